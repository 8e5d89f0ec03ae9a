"""What the lines of an import become, and how a line is refused: by code, reason and number."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.events.test_import import PATH, event, put, text
from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api, Reply

MAX_LINE_BYTES = 6 * 1024 * 1024


def lines_of(content: tuple[Any, ...]) -> bytes:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in content]
    return "".join(f"{each}\n" for each in texts).encode()


def imported(api: Api, *lines: Any) -> dict[str, Any]:
    """The result of the import of these lines; a text is a line as it is."""
    reply: Reply = put(api, lines_of(lines))
    assert reply.status == 202, reply.body
    return dict(api.get(PATH).body)


def records(api: Api) -> list[dict[str, Any]]:
    return list(api.get("/v1/records?limit=100").body["records"])


def skill(**fields: Any) -> dict[str, Any]:
    return {"rpc": "IngestRecord", "record": {**SKILL, **fields}}


def episode(record_id: str) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    timeline = [{"t": at, "event_kind": "build", "ref": "1"}]
    payload = {"kind": "episodic", "timeline": timeline}
    record = {"id": record_id, "type": "episodic", "sensitivity": "low", "payload": payload}
    return {"rpc": "IngestRecord", "record": record}


def outcome(record_id: str, source: str = "judge") -> dict[str, Any]:
    told = {"target_record_id": record_id, "outcome_status": "success"}
    return {"rpc": "IngestOutcome", "source": source, **told}


def test_every_line_becomes_what_it_reports(api: Api) -> None:
    names = {
        "event": "IngestEvent",
        "tool-output": "IngestToolOutput",
        "observation": "IngestObservation",
        "working-state": "IngestWorkingState",
    }
    lines = [{"rpc": names[kind], **body} for kind, body in REPORTS.items()]

    result = imported(api, *lines, skill())

    assert (result["status"], result["lines"], result["created"]) == ("done", 5, 5)
    types = sorted(each["type"] for each in records(api))
    assert types == ["competence", "episodic", "episodic", "semantic", "working"]


def test_equal_lines_are_reports_of_their_own_unless_they_have_a_key(api: Api) -> None:
    keyed = {**event(1), "idempotency_key": "k"}

    result = imported(api, event(1), event(1), keyed, keyed)

    assert (result["created"], result["replayed"]) == (3, 1)


def test_lines_find_what_the_lines_before_made_in_their_order(api: Api) -> None:
    judges = [f"judge {number}" for number in range(20)]
    related = skill(id="b", relations=[{"predicate": "after", "target_id": "a"}])
    two = skill(id="c", tags=["first"]), skill(id="c", tags=["second"])

    told = [outcome("e-1", judge) for judge in judges]
    result = imported(api, episode("e-1"), *told, skill(id="a"), related, *two)

    assert (result["created"], [each["line"] for each in result["refusals"]]) == (24, [25])
    entries = api.get("/v1/records/e-1/audit").body["audit_log"]
    assert [each["actor"] for each in entries if each["actor"] in judges] == judges
    assert api.get("/v1/records/c").record["tags"] == ["first"]


def test_blank_lines_crlf_a_mark_and_a_missing_end_are_no_obstacle(api: Api) -> None:
    content = b"\xef\xbb\xbf" + b"\r\n \r\n".join(text(event(n)).strip() for n in (1, 2, 3))

    put(api, content)
    result = api.get(PATH).body
    put(api, b"")
    nothing = api.get(PATH).body

    assert (result["status"], result["lines"], result["blank"]) == ("done", 5, 2)
    assert (result["created"], result["refused"]) == (3, 0)
    assert result["bytes_done"] == result["bytes_total"] == len(content)
    assert (nothing["status"], nothing["lines"], nothing["bytes_total"]) == ("done", 0, 0)


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
        (outcome("nobody"), "record not found"),
        ({**event(1), "idempotency_key": ""}, "idempotency_key"),
        ({**event(1), "s3cret": 1}, "the request has an unknown field"),
        (skill(s3cret=1), "record has an unknown field"),
        (
            skill(relations=[{"predicate": "after", "target_id": "a", "s3cret": 1}]),
            "record.relations.0 has an unknown field",
        ),
        ({**event(1), "source": 1}, "source must be a string"),
        (
            skill(payload={"kind": "competence", "skill_name": 1}),
            "validation error for payload.skill_name: payload.skill_name must be a string",
        ),
    ],
)
def test_a_refused_line_is_named_with_its_code_and_reason_and_stops_no_other(
    api: Api, line: Any, reason: str
) -> None:
    result = imported(api, event(1), line, event(2))

    (refusal,) = result["refusals"]
    assert (refusal["line"], result["created"], result["status"]) == (2, 2, "done")
    assert refusal["code"] in ("INVALID_ARGUMENT", "NOT_FOUND")
    assert reason in refusal["reason"]
    assert "s3cret" not in refusal["reason"]


def test_a_line_over_the_limit_of_a_request_is_refused_unread(api: Api) -> None:
    result = imported(api, event(1), {**event(2), "summary": "x" * MAX_LINE_BYTES}, event(3))

    (refusal,) = result["refusals"]
    assert (result["created"], refusal["line"]) == (2, 2)
    assert "longer than" in refusal["reason"]


SECRET = "s3cret"
SAMPLES: tuple[Any, ...] = (
    {"rpc": "IngestEvent", **EVENT, "tags": ["t"]},
    outcome("e-1"),
    skill(tags=["t"], relations=[{"predicate": "after", "target_id": "a"}]),
    {
        "rpc": "IngestToolOutput",
        "source": "a",
        "tool_name": "grep",
        "args": {"a": 1},
        "depends_on": ["b"],
    },
    {"rpc": "IngestWorkingState", **REPORTS["working-state"]},
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


def spoilt(value: Any) -> Iterator[Any]:
    """The value with a secret in each of its places, as a value and as a name."""
    yield from (SECRET, [SECRET], {SECRET: SECRET}, {SECRET: 1})
    if isinstance(value, dict):
        yield {**value, SECRET: 1}
        yield from ({**value, name: each} for name in value for each in spoilt(value[name]))
    if isinstance(value, list):
        yield from ([*value, each] for inner in value for each in spoilt(inner))


def test_a_refusal_never_repeats_what_the_line_holds(api: Api) -> None:
    lines = [each for sample in SAMPLES for each in spoilt(sample)]

    result = imported(api, skill(id=SECRET), outcome(SECRET), '"s3cret', *map(json.dumps, lines))

    parts = [
        api.get(f"{PATH}?part={number}").body for number in range(len(result["refused_parts"]))
    ]
    assert result["refused"] > 100
    assert SECRET not in json.dumps([result, parts])
