"""The set of captures: what a careful reader found stands there, and nothing is left out."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from membrane.adapters.aws_lambda.routes.ingest_batch import INGESTS
from membrane.domain.language.timestamps import normalise
from membrane.domain.language.violations import validate
from tests.bench.capture_sets import CaptureSet, EntityKey, read_capture_set
from tests.bench.question_sets import Fold, UnusableSet
from tests.bench.tallies import Findings

KINDS = {"event", "tool_output", "observation", "agent_turn", "working_state"}


@pytest.fixture(scope="module")
def fortnight() -> CaptureSet:
    return read_capture_set()


def test_the_fortnight_is_large_enough_to_tell(fortnight: CaptureSet) -> None:
    counts = [
        sum(len(getattr(each, kind)) for each in fortnight.captures) for kind in Findings._fields
    ]

    assert (len(fortnight.entities), len(fortnight.captures)) == (16, 60)
    assert (len(fortnight.two_links), len(fortnight.one_link)) == (25, 10)
    assert counts == [99, 14, 13]
    assert {each.request["source_kind"] for each in fortnight.captures} == KINDS


def test_keys_contents_and_questions_are_unique(fortnight: CaptureSet) -> None:
    names = [each["key"] for each in fortnight.entities]
    keys = [each.key for each in fortnight.captures]
    contents = [json.dumps(each.request["content"]) for each in fortnight.captures]
    questions = [each.text for each in (*fortnight.two_links, *fortnight.one_link)]

    for unique in (names, keys, contents, questions):
        assert max(Counter(unique).values()) == 1


def test_captures_stand_in_the_order_of_time(fortnight: CaptureSet) -> None:
    times = [normalise(each.request["timestamp"]) for each in fortnight.captures]

    assert times == sorted(times)
    assert datetime.fromisoformat(times[-1]) < fortnight.known_by


def test_every_prior_entity_can_be_ingested(fortnight: CaptureSet) -> None:
    for entity in fortnight.entities:
        payload = {"kind": "entity", **{name: entity[name] for name in entity if name != "key"}}
        record = {"type": "entity", "sensitivity": "low", "payload": payload}
        validate(INGESTS["IngestRecord"].request, {"record": record})


def test_every_surface_stands_once_in_the_list_and_literally_in_the_content(
    fortnight: CaptureSet,
) -> None:
    for each in fortnight.captures:
        surfaces = [mention.surface for mention in each.mentions]
        texts = texts_in(each.request["content"])
        assert len(set(surfaces)) == len(surfaces)
        assert [name for name in surfaces if not any(stands_in(name, text) for text in texts)] == []


def test_no_name_of_a_prior_entity_is_left_out(fortnight: CaptureSet) -> None:
    names = {
        name: entity["key"] for entity in fortnight.entities for name in names_of_entity(entity)
    }

    for each in fortnight.captures:
        text = " ".join(texts_in(each.request["content"]))
        for mention in sorted(each.mentions, key=lambda mention: -len(mention.surface)):
            assert names.get(mention.surface.removeprefix("@"), mention.entity) == mention.entity
            text = text.replace(mention.surface, "")
        assert [name for name in names if stands_in(name, text)] == []


def test_an_entity_is_called_by_its_key_or_by_its_first_surface(fortnight: CaptureSet) -> None:
    known = {entity["key"] for entity in fortnight.entities}

    for mention in (mention for each in fortnight.captures for mention in each.mentions):
        assert mention.entity in known or mention.entity == mention.surface
        known.add(mention.entity)


def test_the_entities_of_a_fact_are_mentioned_and_other_values_are_literal(
    fortnight: CaptureSet,
) -> None:
    for each in fortnight.captures:
        entities = {mention.entity for mention in each.mentions}
        values = list(values_in(each.request["content"]))
        for fact in each.facts:
            assert fact.predicate in values
            for value in (fact.subject, fact.object):
                if isinstance(value, EntityKey):
                    assert value.key in entities
                else:
                    assert value in values


def test_a_link_leads_to_an_earlier_capture_by_its_ref_or_id(fortnight: CaptureSet) -> None:
    earlier: dict[str, str] = {}
    for each in fortnight.captures:
        content, context = each.request["content"], each.request.get("context", {})
        texts = [*texts_in(content), *texts_in(context)]
        for key in each.links:
            assert any(earlier[key] in text or f"{{id:{key}}}" in text for text in texts)
        ref = content.get("ref") if isinstance(content, Mapping) else None
        earlier[each.key] = ref or f"{{id:{each.key}}}"


def test_no_link_is_left_out(fortnight: CaptureSet) -> None:
    refs = {
        each.request["content"]["ref"]: each.key
        for each in fortnight.captures
        if isinstance(each.request["content"], Mapping) and "ref" in each.request["content"]
    }

    for each in fortnight.captures:
        texts = [*texts_in(each.request["content"]), *texts_in(each.request.get("context", {}))]
        words = {word.strip(".,:;()") for text in texts for word in text.split()}
        assert {refs[word] for word in words & refs.keys()} - {each.key} <= set(each.links)


def test_the_evidence_of_two_links_shares_an_entity_that_the_question_does_not_name(
    fortnight: CaptureSet,
) -> None:
    captures = {each.key: each for each in fortnight.captures}

    for asked in fortnight.two_links:
        first, second = (captures[key] for key in asked.evidence)
        shared = {each.entity for each in first.mentions} & {
            each.entity for each in second.mentions
        }
        named = {each.surface for each in (*first.mentions, *second.mentions)}
        assert shared
        assert [surface for surface in named if surface.casefold() in asked.text.casefold()] == []
    assert {key for asked in fortnight.one_link for key in asked.evidence} <= captures.keys()
    assert all(len(asked.evidence) == 1 for asked in fortnight.one_link)


def test_the_folds_share_captures_and_questions_by_turns(fortnight: CaptureSet) -> None:
    tuning, held_out = (read_capture_set(fold=fold) for fold in (Fold.TUNING, Fold.HELD_OUT))

    assert tuning.captures == held_out.captures == fortnight.captures == fortnight.judged
    assert (tuning.judged, held_out.judged) == (fortnight.captures[::2], fortnight.captures[1::2])
    assert [len(tuning.two_links), len(held_out.two_links)] == [13, 12]
    assert [len(tuning.one_link), len(held_out.one_link)] == [5, 5]


@pytest.mark.parametrize("text", ["", "{}", '{"scope": "s", "entities": [], "captures": [1]}'])
def test_a_file_without_a_set_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UnusableSet, match=r"tiny\.json"):
        read_capture_set(path)


def names_of_entity(entity: Mapping[str, Any]) -> Sequence[str]:
    identifiers = [each["value"] for each in entity["identifiers"]]
    return [entity["canonical_name"], *entity["aliases"], *identifiers]


def stands_in(name: str, text: str) -> bool:
    """Whether the name stands in the text between word borders."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def values_in(value: Any) -> Sequence[Any]:
    """Every value in a JSON value that is neither an object nor a list."""
    match value:
        case dict():
            return [each for inner in value.values() for each in values_in(inner)]
        case list():
            return [each for inner in value for each in values_in(inner)]
        case _:
            return [value]


def texts_in(value: Any) -> Sequence[str]:
    return [each for each in values_in(value) if isinstance(each, str)]
