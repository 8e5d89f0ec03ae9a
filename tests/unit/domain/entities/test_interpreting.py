"""The interpretation of a capture without a model."""

import json
from typing import Any

import pytest

from membrane.domain.entities.interpreting import interpret
from membrane.domain.language.vocabulary import MemoryType

ORCHID = {
    "ref": "evt-capture-1",
    "text": "Remember Orchid as the staging deploy target",
    "project": "Orchid",
}


def test_a_capture_is_interpreted_by_its_fields() -> None:
    found = interpret(content=ORCHID, summary="Remember Orchid", tags=["grpc", "orchid"])

    assert json.loads(found.model_dump_json(exclude_defaults=True)) == {
        "status": "tentative",
        "summary": "Remember Orchid",
        "proposed_type": "episodic",
        "topical_labels": ["grpc", "orchid"],
        "mentions": [{"surface": "Orchid", "entity_kind": "project", "confidence": 0.5}],
        "reference_candidates": [{"ref": "evt-capture-1", "confidence": 0.5}],
        "extraction_confidence": 0.25,
    }


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ({"summary": "short", "reason_to_remember": "why", "content": "all"}, "short"),
        ({"summary": " ", "reason_to_remember": "why", "content": "all"}, "why"),
        ({"content": " all "}, "all"),
        ({"content": {"a": 1}}, '{"a":1}'),
        ({"content": "x" * 2_000}, "x" * 1_000),
        ({"content": None}, ""),
    ],
)
def test_the_summary_is_the_first_text_there_is(said: dict[str, Any], summary: str) -> None:
    assert interpret(**said).summary == summary


@pytest.mark.parametrize(
    ("source_kind", "proposed", "expected"),
    [
        ("working_state", None, MemoryType.WORKING),
        ("observation", None, MemoryType.SEMANTIC),
        ("agent_turn", None, MemoryType.EPISODIC),
        ("", None, MemoryType.EPISODIC),
        ("observation", MemoryType.COMPETENCE, MemoryType.COMPETENCE),
    ],
)
def test_the_type_is_proposed_by_the_caller_or_by_the_source(
    source_kind: str, proposed: MemoryType | None, expected: MemoryType
) -> None:
    found = interpret(content="x", source_kind=source_kind, proposed_type=proposed)

    assert found.proposed_type is expected


def test_labels_are_trimmed_tags_that_differ_by_more_than_case() -> None:
    found = interpret(content="x", tags=[" Deploy", "deploy", "", " ", "ops"])

    assert found.topical_labels == ("Deploy", "ops")


def test_known_names_are_mentioned_with_their_entity() -> None:
    (mention,) = interpret(content="ask ann", names={"ann": {"ann": "entity-1"}}).mentions

    assert mention.canonical_entity_id == "entity-1"
