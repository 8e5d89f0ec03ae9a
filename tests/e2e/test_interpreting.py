"""Captures that a model reads on, in the local stack: by a script, by an endpoint, and in vain."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.stack import Stack, dev

VISIBILITY_S = 21_600
MAX_RECEIVES = 5


@pytest.fixture(scope="module")
def scripted() -> Iterator[Stack]:
    """A stack with the scripted model."""
    with dev("--parameter", "Interpreter=scripted") as stack:
        yield stack


def captured(stack: Stack, text: str, key: str = "once") -> dict[str, Any]:
    """The primary record of the capture."""
    body = {"source": "agent", "source_kind": "event", "content": {"ref": "note:1", "text": text}}
    status, reply = stack.call("POST", "/v1/capture", body, **{"idempotency-key": key})
    assert status in (200, 201)
    return dict(reply["primary_record"])


def once_interpreted(stack: Stack, record_id: str) -> dict[str, Any]:
    """The record after the queue was read."""
    stack.call("GET", "/_dev/queues/InterpretQueue?wait")
    status, reply = stack.call("GET", f"/v1/records/{record_id}")
    assert status == 200
    return dict(reply["record"])


def test_a_script_adds_mentions_a_fact_and_links(scripted: Stack) -> None:
    before = captured(scripted, "Ana owns billing")

    after = once_interpreted(scripted, before["id"])

    interpretation = after["interpretation"]
    assert interpretation["status"] == "resolved"
    assert [each["surface"] for each in interpretation["mentions"]] == ["Ana", "billing"]
    predicates = sorted(each["predicate"] for each in after["relations"])
    assert predicates == ["derived_semantic", "mentions_entity", "mentions_entity"]
    (fact_id,) = (
        each["target_id"] for each in after["relations"] if each["predicate"] == "derived_semantic"
    )
    fact = scripted.call("GET", f"/v1/records/{fact_id}")[1]["record"]
    assert (fact["payload"]["subject"], fact["payload"]["object"]) == ("Ana", "billing")
    assert fact["confidence"] == 0.9
