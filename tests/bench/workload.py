"""What the bench sends: one report of each kind, 1,000 bytes that hardly compress, two tags."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from membrane_local.template import Function, Template, read_template
from tests.builders.stored_records import noise
from tests.worlds.agreed import ROWS

ROOT = Path(__file__).parents[2]
TEXT_CHARACTERS = 1_000
SCOPE = "project:alpha"
_PLACE = {"scope": SCOPE, "tags": ["one", "two"]}

REPORTS: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "IngestEvent": (
        "POST /v1/ingest/event",
        {"source": "ci", "event_kind": "build", "ref": "build:1"},
        "summary",
    ),
    "IngestToolOutput": (
        "POST /v1/ingest/tool-output",
        {"source": "agent", "tool_name": "grep", "args": {"pattern": "TODO"}},
        "result",
    ),
    "IngestObservation": (
        "POST /v1/ingest/observation",
        {"source": "agent", "subject": "user", "predicate": "likes"},
        "object",
    ),
    "IngestWorkingState": (
        "POST /v1/ingest/working-state",
        {"source": "agent", "thread_id": "thread:1", "state": "planning"},
        "context_summary",
    ),
}
"""By RPC: its route, a report, and the field that holds the text."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One HTTP request."""

    route: str
    body: Mapping[str, Any] | None
    key: str = ""
    record_id: str = ""
    """What `{id}` or `{thread_id}` in the route stands for."""
    query: str = ""

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        return re.sub(r"\{\w+\}", self.record_id, self.route.split()[1])

    def event(self) -> dict[str, Any]:
        """The request as API Gateway hands it to a function, payload format 2.0."""
        body = {} if self.body is None else {"body": json.dumps(self.body)}
        return {
            "version": "2.0",
            "routeKey": self.route,
            "rawPath": self.path,
            "rawQueryString": self.query,
            "headers": {
                "accept": "*/*",
                "authorization": "Bearer 0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
                "content-length": "1234",
                "content-type": "application/json",
                "host": "a1b2c3d4e5.execute-api.us-east-1.amazonaws.com",
                **({"idempotency-key": self.key} if self.key else {}),
                "user-agent": "agent/1.0",
                "x-amzn-trace-id": "Root=1-6741f0d5-0f1e2d3c4b5a69788796a5b4",
                "x-forwarded-for": "203.0.113.7",
                "x-forwarded-port": "443",
                "x-forwarded-proto": "https",
            },
            "requestContext": {
                "accountId": "123456789012",
                "apiId": "a1b2c3d4e5",
                "authorizer": {
                    "lambda": {
                        "actor_id": "agent",
                        "permissions": ["ingest", "read", "revise", "admin"],
                        "scopes": [SCOPE],
                        "max_sensitivity": "medium",
                    }
                },
                "domainName": "a1b2c3d4e5.execute-api.us-east-1.amazonaws.com",
                "domainPrefix": "a1b2c3d4e5",
                "http": {
                    "method": self.method,
                    "path": self.path,
                    "protocol": "HTTP/1.1",
                    "sourceIp": "203.0.113.7",
                    "userAgent": "agent/1.0",
                },
                "requestId": "JKJaXmPLvHcESHA=",
                "routeKey": self.route,
                "stage": "$default",
                "time": "21/Nov/2026:10:00:00 +0000",
                "timeEpoch": 1795255200000,
            },
            "pathParameters": {"id": self.record_id, "thread_id": self.record_id},
            "isBase64Encoded": False,
            **body,
        }


def report(rpc: str, number: int) -> Sent:
    """The report of that RPC; each number has a text and a key of its own."""
    route, body, field = REPORTS[rpc]
    return Sent(route, {**body, **_PLACE, field: noise(TEXT_CHARACTERS, number)}, f"key-{number}")


def conversation(messages: int, number: int) -> Sent:
    """So many messages of a thread of its own."""
    said = [
        {"role": ("user", "assistant")[turn % 2], "content": noise(TEXT_CHARACTERS, number + turn)}
        for turn in range(messages)
    ]
    body = {"thread_id": f"talk-{number}", "messages": said, **_PLACE}
    return Sent("POST /v1/messages", body, f"key-{number}")


def outcome(record_id: str, number: int, **rests_on: str) -> Sent:
    """How the episode that a record tells of ended."""
    ended = {"target_record_id": record_id, "outcome_status": "success"}
    body = {"source": "agent", **ended, **rests_on}
    return Sent("POST /v1/ingest/outcome", body, f"key-{number}")


def full_record(number: int) -> Sent:
    """A whole record, of a skill."""
    text = noise(TEXT_CHARACTERS, number)
    skill = {"kind": "competence", "skill_name": text, "triggers": [], "recipe": []}
    record = {"type": "competence", "sensitivity": "low", "payload": skill, **_PLACE}
    return Sent("POST /v1/records", record, f"key-{number}")


def batch(rpc: str, numbers: range) -> Sent:
    """Several reports of that RPC in one request."""
    items = [{"rpc": rpc, **(report(rpc, number).body or {})} for number in numbers]
    return Sent("POST /v1/ingest/batch", {"items": items}, f"key-{numbers.start}")


def upload(value: bytes, number: int) -> Sent:
    """A place for a large value."""
    body = {"size": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    return Sent("POST /v1/uploads", body, f"key-{number}")


def report_of_upload(upload_id: str, number: int) -> Sent:
    """A tool's output that was uploaded."""
    sent = report("IngestToolOutput", number)
    return replace(sent, body={**(sent.body or {}), "result": {"$upload": upload_id}})


def read(record_id: str) -> Sent:
    """The record of an id."""
    return Sent("GET /v1/records/{id}", None, record_id=record_id)


def audit(record_id: str) -> Sent:
    """Its audit trail."""
    return Sent("GET /v1/records/{id}/audit", None, record_id=record_id)


def preview(memory_type: str) -> Sent:
    """What would be pruned of a type of records if it faded slower."""
    body = {"memory_types": [memory_type], "half_life_seconds": {memory_type: 123_456}}
    return Sent("POST /v1/decay/preview", body)


def retrieve(task: str = "") -> Sent:
    """The ten best records for a task or, without one, the ten most salient."""
    return Sent("POST /v1/retrieve", {"limit": 10, **({"task_descriptor": task} if task else {})})


def most_salient(memory_type: str) -> Sent:
    """The ten most salient records of a type."""
    return Sent("GET /v1/records", None, query=f"scope={SCOPE}&type={memory_type}&limit=10")


def removed(state: str) -> Sent:
    """The ten records that were removed last, in that way."""
    return Sent("GET /v1/records", None, query=f"scope={SCOPE}&state={state}&limit=10")


def thread(thread_id: str) -> Sent:
    """The state of a thread."""
    return Sent("GET /v1/threads/{thread_id}/state", None, record_id=thread_id, query="limit=1")


def receipt(receipt_id: str) -> Sent:
    """Why a retrieval came out as it did."""
    return Sent("GET /v1/receipts/{id}", None, record_id=receipt_id)


def deployed() -> Template:
    """The template with its parameters at their defaults."""
    return read_template(ROOT / "template.yaml")


def function_of(route: str, functions: Sequence[Function]) -> Function:
    """The function that a route leads to."""
    folder = next(row.function for row in ROWS if row.route == route)
    return next(each for each in functions if each.folder.name == folder)
