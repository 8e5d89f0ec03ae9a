"""`membrane demo`: what the memory does, shown on a local stack of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from membrane_local.dev import DevOptions, local_stack
from membrane_local.http_client import Answer, HttpClient
from membrane_local.server import server_for

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


class DemoError(Exception):
    """The stack did not answer as it must."""


def run_demo(console: Console) -> None:
    """Show ingest, audit, replay and refusal; raises DemoError where an answer is not right."""
    with running_stack() as client:
        records = _ingest(console, client)
        _show_audit(console, client, records[0]["id"])
        _show_replay(console, client)
        _show_refusal(console, client)
    console.print("\nEverything above came from the handlers that run in Lambda.")


@contextmanager
def running_stack() -> Iterator[HttpClient]:
    """A client of a local stack on a free port, which stops at the end."""
    ready: Queue[str] = Queue()
    with local_stack(DevOptions()) as (application, secret):
        server = server_for(application, 0, ready.put)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield HttpClient(ready.get(timeout=30), secret)
        finally:
            server.should_exit = True
            thread.join()


def _ingest(console: Console, client: HttpClient) -> list[dict[str, Any]]:
    """All five RPCs; the outcome completes the event's record."""
    reports = {
        "event": EVENT,
        "tool-output": TOOL_OUTPUT,
        "observation": OBSERVATION,
        "working-state": WORKING_STATE,
    }
    records = {
        name: _expect(201, client.call("POST", f"/v1/ingest/{name}", report))["record"]
        for name, report in reports.items()
    }
    outcome = {
        "source": "coding-agent",
        "target_record_id": records["event"]["id"],
        "outcome_status": "success",
    }
    answer = client.call("POST", "/v1/ingest/outcome", outcome)
    records["event"] = _expect(200, answer)["record"]
    table = _table(
        "Five reports, four records (the outcome completed the first)",
        ("reported", "record", "type", "conf.", "half-life", "memory"),
    )
    for name, record in records.items():
        table.add_row(
            name,
            record["id"][:8],
            record["type"],
            f"{record['confidence']:g}",
            _hours(record["lifecycle"]["decay"]["half_life_seconds"]),
            _gist(record["payload"]),
        )
    console.print(table)
    return list(records.values())


def _show_audit(console: Console, client: HttpClient, record_id: str) -> None:
    trail = _expect(200, client.call("GET", f"/v1/records/{record_id}/audit?verify=true"))
    if trail["verified"] is not True:
        raise DemoError("the audit chain does not verify")
    table = _table(
        f"Audit of {record_id[:8]}: a hash chain, verified",
        ("action", "actor", "principal", "follows", "hash", "rationale"),
    )
    for entry in trail["audit_log"]:
        table.add_row(
            entry["action"],
            entry["actor"],
            entry["principal"],
            entry["previous_hash"][:8] or "-",
            entry["hash"][:8],
            entry["rationale"],
        )
    console.print(table)


def _show_replay(console: Console, client: HttpClient) -> None:
    key = {"idempotency-key": "demo-1"}
    first = client.call("POST", "/v1/ingest/observation", OBSERVATION, key)
    again = client.call("POST", "/v1/ingest/observation", OBSERVATION, key)
    if _expect(201, first)["record"]["id"] != _expect(200, again)["record"]["id"]:
        raise DemoError("a repeated request made a second record")
    console.print(
        f"\nThe same request twice under one Idempotency-Key: {first.status}, then {again.status} "
        f"with Idempotency-Replayed: {again.headers['idempotency-replayed']}, "
        f"one record {first.body['record']['id'][:8]}."
    )


def _show_refusal(console: Console, client: HttpClient) -> None:
    refused = client.call("POST", "/v1/ingest/event", REFUSED)
    problem = _expect(400, refused)
    console.print(f"\nA refused request: {refused.status} {problem['code']}")
    for error in problem["errors"]:
        console.print(f"  {error['field']}: {error['message']}", highlight=False)


def _table(title: str, headings: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(headings[-1])
    return table


def _hours(seconds: int) -> str:
    return f"{seconds // 3600} h"


def _expect(status: int, answer: Answer) -> dict[str, Any]:
    if answer.status != status:
        raise DemoError(f"expected {status}, got {answer.status}: {answer.body}")
    return dict(answer.body)


def _gist(payload: dict[str, Any]) -> str:
    match payload["kind"]:
        case "episodic":
            outcome = f" -> {payload['outcome']}" if "outcome" in payload else ""
            return f"{payload['timeline'][0]['summary']}{outcome}"
        case "semantic":
            return f"{payload['subject']} {payload['predicate']} {payload['object']}"
        case _:
            return f"{payload['thread_id']}: {payload['state']}"
