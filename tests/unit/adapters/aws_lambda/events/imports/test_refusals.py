"""Lines that are refused: named with code and reason, and no obstacle to others."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from membrane.usecases.imports import progress as import_progress
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.work import MAX_LINE_BYTES
from tests.worlds.importing import World, event, outcome, skill


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not JSON", "malformed JSON"),
        ("[1]", "must be a JSON object"),
        ('{"a": 1e999}', "out of range"),
        ('{"rpc": "Fly"}', "rpc must be one of: IngestEvent, "),
        ('{"rpc": ["IngestEvent"]}', "rpc must be one of"),
        ('{"rpc": "DeleteRecord", "id": "a"}', "rpc must be one of"),
        ('{"rpc": "IngestEvent", "rpc": "IngestEvent"}', "same key twice"),
        ('{"rpc": "IngestEvent", "source": "ci"}', "event kind is required"),
        ('{"rpc": "IngestToolOutput", "result": ' + "[" * 70 + "]" * 70 + "}", "nested deeper"),
        ('{"rpc": "IngestRecord"}', "record"),
        (json.dumps(outcome("nobody")), "record not found"),
        (json.dumps(event(1, idempotency_key="")), "idempotency_key"),
    ],
)
def test_a_refused_line_is_named_with_its_code_and_reason_and_stops_no_other(
    world: World, line: str, reason: str
) -> None:
    result = world.imported(event(1), line, event(2))

    (refusal,) = result["refusals"]
    assert (refusal["line"], result["created"], result["status"]) == (2, 2, "done")
    assert refusal["code"] in ("INVALID_ARGUMENT", "NOT_FOUND")
    assert reason in refusal["reason"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (event(1, scope="project:acme"), "the principal does not cover this scope"),
        (
            event(1, sensitivity="hyper"),
            "the principal's highest sensitivity is below the record's",
        ),
    ],
)
def test_a_line_beyond_the_rights_of_imports_names_the_parameter(
    world: World, line: dict[str, Any], reason: str
) -> None:
    (refusal,) = world.imported(line)["refusals"]

    assert refusal["code"] == "PERMISSION_DENIED"
    assert refusal["reason"] == f"{reason}: see the parameter ImportPrincipal"


SAMPLES = (
    event(1, tags=["t"]),
    outcome("e-1"),
    skill(tags=["t"], relations=[{"predicate": "after", "target_id": "a"}]),
    {
        "rpc": "IngestToolOutput",
        "source": "a",
        "tool_name": "grep",
        "args": {"a": 1},
        "depends_on": ["b"],
    },
    {"rpc": "IngestWorkingState", "source": "a", "thread_id": "t", "state": "planning"},
    {
        "rpc": "IngestRecord",
        "record": {
            "type": "episodic",
            "sensitivity": "low",
            "lifecycle": {"decay": {"curve": "linear", "half_life_seconds": 60}},
            "provenance": {"sources": [{"kind": "event", "ref": "r"}]},
            "payload": {
                "kind": "episodic",
                "timeline": [{"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}],
                "environment": {"os": "linux", "tool_versions": {"make": "1"}},
            },
        },
    },
)


SECRET = "s3cret"


def spoilt(value: Any) -> Iterator[Any]:
    """The value with a secret in each of its places, as a value and as a name."""
    yield from (SECRET, [SECRET], {SECRET: SECRET}, {SECRET: 1})
    if isinstance(value, dict):
        yield {**value, SECRET: 1}
        yield from ({**value, name: each} for name in value for each in spoilt(value[name]))
    if isinstance(value, list):
        yield from ([*value, each] for inner in value for each in spoilt(inner))


def test_a_refusal_never_repeats_what_the_line_holds(world: World) -> None:
    lines = [each for sample in SAMPLES for each in spoilt(sample)]

    result = world.imported(skill(id=SECRET), outcome(SECRET), '"s3cret', *lines)

    assert result["refused"] > 100
    assert "ingestion: target record is not episodic" in [
        refusal["reason"] for refusal in world.refusals()
    ]
    assert SECRET not in json.dumps([result, world.refusals()])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (event(1, s3cret=1), "the request has an unknown field"),
        (skill(s3cret=1), "record has an unknown field"),
        (
            skill(relations=[{"predicate": "after", "target_id": "a", "s3cret": 1}]),
            "record.relations.0 has an unknown field",
        ),
        (event(1, source=1), "source must be a string"),
        (
            skill(payload={"kind": "competence", "skill_name": 1}),
            "validation error for payload.skill_name: payload.skill_name must be a string",
        ),
    ],
)
def test_a_reason_says_where_an_unknown_field_is(
    world: World, line: dict[str, Any], reason: str
) -> None:
    result = world.imported(line)

    assert [refusal["reason"] for refusal in result["refusals"]] == [reason]


def test_a_line_over_the_limit_of_a_request_is_refused_unread(world: World) -> None:
    result = world.imported(event(1), event(2, summary="x" * MAX_LINE_BYTES), event(3))

    assert result["created"] == 2
    assert [refusal["line"] for refusal in result["refusals"]] == [2]
    assert f"longer than {MAX_LINE_BYTES} bytes" in result["refusals"][0]["reason"]


def test_many_refusals_move_into_numbered_parts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 10)
    monkeypatch.setattr(import_work, "WINDOW_LINES", 7)

    result = world.imported(*["no"] * 35)

    parts, rest = result["refused_parts"], result["refusals"]
    assert (result["refused"], len(parts), len(rest)) == (35, 3, 5)
    assert [refusal["line"] for refusal in world.refusals()] == list(range(1, 36))


def test_a_line_with_a_field_that_needs_revise_is_refused(world: World) -> None:
    result = world.imported(skill(lifecycle={"pinned": True}), event(1))

    (refusal,) = result["refusals"]
    assert (refusal["line"], result["created"]) == (1, 1)
    assert refusal["code"] == "PERMISSION_DENIED"
    assert "pinned" in refusal["reason"]
