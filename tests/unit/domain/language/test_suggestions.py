"""A misspelt name is answered with the known name next to it."""

from typing import Any

import pytest

from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import IngestEvent
from membrane.domain.language.violations import MAX_GUESSED_CHARACTERS, nearest
from tests.builders.records import a_plan, a_sent_record, complaints, refusal


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sumary", "summary"),
        ("eventKind", "event_kind"),
        ("SUMMARY", "summary"),
        ("zzz", None),
        ("summary" * 100, None),
    ],
)
def test_the_nearest_of_the_known_names_is_suggested(name: str, meant: str | None) -> None:
    assert nearest(name, ["event_kind", "summary", "source"]) == meant


def test_a_name_too_long_to_compare_gets_no_suggestion() -> None:
    name = "s" * (MAX_GUESSED_CHARACTERS + 1)

    assert nearest(name, [name]) is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sumary": "x"}, "sumary unknown field; did you mean summary?"),
        ({"zzz": "x"}, "zzz unknown field"),
    ],
)
def test_an_unknown_field_of_a_request_gets_its_models_nearest(
    change: dict[str, Any], complaint: str
) -> None:
    error = refusal(IngestEvent, {"source": "ci", "event_kind": "build", "ref": "1", **change})

    assert list(complaints(error).values()) == [complaint]


@pytest.mark.parametrize(
    ("change", "field", "meant"),
    [
        ({"sensitivty": "low"}, "sensitivty", "sensitivity"),
        ({"payload": a_plan(edgs=[])}, "payload.edgs", "edges"),
        ({"payload": a_plan(nodes=[{"id": "a", "lable": "b"}])}, "payload.nodes.0.lable", None),
        ({"payload": a_plan(subject="a")}, "payload.subject", None),
    ],
)
def test_a_suggestion_for_a_part_of_a_record_comes_from_that_part_alone(
    change: dict[str, Any], field: str, meant: str | None
) -> None:
    error = refusal(IngestRecord, {"record": a_sent_record(**change)})

    guess = "" if meant is None else f"; did you mean {meant}?"
    message = complaints(error)[field]
    assert message == f"validation error for {field}: {field} unknown field{guess}"
