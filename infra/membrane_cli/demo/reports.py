"""The first acts: reports become records, a repeat is recognised, a wrong request refused."""

from typing import Any

from rich.console import Console

from membrane_cli.demo.stage import DemoError, expect, table
from membrane_cli.http_client import HttpClient
from membrane_cli.outside_text import plain, show_line

EVENT = {
    "source": "coding-agent",
    "event_kind": "user_input",
    "ref": "msg-001",
    "summary": "User asked to refactor auth module",
    "tags": ["refactor", "auth"],
    "scope": "project",
}
TOOL_OUTPUT = {
    "source": "coding-agent",
    "tool_name": "file_read",
    "args": '{"path": "/src/auth.go"}',
    "result": {"content": "package auth...", "lines": 142},
    "tags": ["tool", "file_read"],
}
OBSERVATION = {
    "source": "coding-agent",
    "subject": "user",
    "predicate": "prefers_language",
    "object": "Go",
    "tags": ["preference"],
}
WORKING_STATE = {
    "source": "coding-agent",
    "thread_id": "session-42",
    "state": "executing",
    "next_actions": ["run tests", "commit changes"],
    "open_questions": ["Which test framework to use?"],
    "context_summary": "Refactoring auth module, tests passing",
    "tags": ["task-refactor"],
}
REFUSED = {"source": "coding-agent", "event_kind": "user_input", "sensitivity": "secret"}


def ingest(console: Console, client: HttpClient) -> list[dict[str, Any]]:
    """All five RPCs; the outcome completes the event's record."""
    reports = {
        "event": EVENT,
        "tool-output": TOOL_OUTPUT,
        "observation": OBSERVATION,
        "working-state": WORKING_STATE,
    }
    records = {
        name: expect(201, client.call("POST", f"/v1/ingest/{name}", report))["record"]
        for name, report in reports.items()
    }
    outcome = {
        "source": "coding-agent",
        "target_record_id": records["event"]["id"],
        "outcome_status": "success",
    }
    answer = client.call("POST", "/v1/ingest/outcome", outcome)
    records["event"] = expect(200, answer)["record"]
    title = "Five reports, four records (the outcome completed the first)"
    rows = table(title, "reported", "record", "type", "conf.", "half-life", "memory")
    for name, record in records.items():
        rows.add_row(
            name,
            record["id"][:8],
            record["type"],
            f"{record['confidence']:g}",
            _hours(record["lifecycle"]["decay"]["half_life_seconds"]),
            plain(_gist(record["payload"])),
        )
    console.print(rows)
    return list(records.values())


def show_replay(console: Console, client: HttpClient) -> None:
    """The same request twice makes one record."""
    key = {"idempotency-key": "demo-1"}
    first = client.call("POST", "/v1/ingest/observation", OBSERVATION, key)
    again = client.call("POST", "/v1/ingest/observation", OBSERVATION, key)
    if expect(201, first)["record"]["id"] != expect(200, again)["record"]["id"]:
        raise DemoError("a repeated request made a second record")
    console.print(
        f"\nThe same request twice under one Idempotency-Key: {first.status}, then {again.status} "
        f"with Idempotency-Replayed: {again.headers['idempotency-replayed']}, "
        f"one record {first.body['record']['id'][:8]}."
    )


def show_refusal(console: Console, client: HttpClient) -> None:
    """A request that is wrong is told why."""
    refused = client.call("POST", "/v1/ingest/event", REFUSED)
    problem = expect(400, refused)
    console.print(f"\nA refused request: {refused.status} {problem['code']}")
    for error in problem["errors"]:
        show_line(console, f"  {error['field']}: {error['message']}")


def _hours(seconds: int) -> str:
    return f"{seconds // 3600} h"


def _gist(payload: dict[str, Any]) -> str:
    match payload["kind"]:
        case "episodic":
            outcome = f" -> {payload['outcome']}" if "outcome" in payload else ""
            return f"{payload['timeline'][0]['summary']}{outcome}"
        case "semantic":
            return f"{payload['subject']} {payload['predicate']} {payload['object']}"
        case _:
            return f"{payload['thread_id']}: {payload['state']}"
