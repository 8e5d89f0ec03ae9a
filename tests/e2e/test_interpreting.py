"""Captures that a model reads on, in the local stack: by a script, by an endpoint, and in vain."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders.proposals import answer, mention
from tests.e2e.stack import Stack, dev
from tests.worlds.agreed import WAITS_S
from tests.worlds.chat_endpoint import ChatEndpoint, chat_endpoint, says, sends
from tests.worlds.tuning import tuned


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


def test_a_repeat_of_an_interpreted_capture_changes_nothing(scripted: Stack) -> None:
    record_id = captured(scripted, "Bob runs payments", key="again")["id"]
    before = once_interpreted(scripted, record_id)

    captured(scripted, "Bob runs payments", key="again")

    assert once_interpreted(scripted, record_id)["relations"] == before["relations"]


def test_a_script_reads_the_trace_of_a_thread_that_has_ended(scripted: Stack) -> None:
    step = {"source": "agent", "tool_name": "ask", "thread_id": "t-1", "scope": "team"}
    said = "Carol owns invoicing"
    scripted.call("POST", "/v1/ingest/tool-output", {**step, "result": "nobody knows"})
    _, last = scripted.call("POST", "/v1/ingest/tool-output", {**step, "result": said})
    outcome = {"source": "agent", "target_record_id": last["record"]["id"]}
    scripted.call("POST", "/v1/ingest/outcome", {**outcome, "outcome_status": "success"})
    asked = {"scope": "team", "dry_run": False}

    scripted.call("POST", "/v1/consolidate", asked)
    scripted.call("GET", "/_dev/queues/InterpretQueue?wait")

    _, listed = scripted.call("GET", "/v1/records?scope=team&type=semantic")
    facts = [each["payload"] for each in listed["records"]]
    said_by = [each for each in facts if each["subject"] == "Carol"]
    assert [(each["predicate"], each["object"]) for each in said_by] == [("owns", "invoicing")]
    _, trace = scripted.call("GET", f"/v1/records/{said_by[0]['evidence'][0]['source_id']}")
    assert trace["record"]["payload"]["timeline"][0]["event_kind"] == "trace"


def test_a_capture_that_an_endpoint_fails_on_waits_longer_and_longer_and_then_has_failed() -> None:
    with chat_endpoint() as endpoint:
        endpoint.answer = sends(b"{}", 500)
        with dev(*asking(endpoint)) as stack:
            stack.call("POST", "/_dev/clock", {"frozen": True})
            before = captured(stack, "Ana owns billing")
            once_interpreted(stack, before["id"])
            for wait_s in WAITS_S:
                asked = len(endpoint.requests)
                stack.call("POST", "/_dev/clock?wait", {"advance_seconds": wait_s - 1})
                assert len(endpoint.requests) == asked
                stack.call("POST", "/_dev/clock?wait", {"advance_seconds": 1})
                assert len(endpoint.requests) == asked + 1
            stack.call("POST", "/_dev/clock?wait", {"advance_seconds": 1_080})

            _, letters = stack.call("GET", "/_dev/queues/InterpretDeadLetters?wait")
            after = once_interpreted(stack, before["id"])

    assert len(letters["messages"]) == 1
    failed = {"status": "failed", "failure": "unavailable"}
    assert after["interpretation"] == {**before["interpretation"], **failed}


def test_a_capture_beyond_the_tokens_of_a_day_is_interpreted_on_the_next_day() -> None:
    with chat_endpoint() as endpoint:
        usage = {"total_tokens": 1_000_000}
        endpoint.answer = says(json.dumps(answer(mentions=[mention("Ana")])), usage)
        with dev(*asking(endpoint)) as stack:
            stack.call("POST", "/_dev/clock", {"set": "2026-10-31T06:00:00Z"})
            stack.call("POST", "/_dev/clock", {"frozen": True})
            once_interpreted(stack, captured(stack, "Ana owns billing", key="first")["id"])
            late = captured(stack, "Ana owns payments", key="second")
            once_interpreted(stack, late["id"])
            for _ in range(2):
                stack.call("POST", "/_dev/clock?wait", {"advance_seconds": 42_600})
            assert len(endpoint.requests) == 2
            after = once_interpreted(stack, late["id"])

    assert after["interpretation"]["status"] == "resolved"


def asking(endpoint: ChatEndpoint) -> list[str]:
    """The options of a stack whose captures outlive all tries."""
    parameters = tuned(
        {
            "Interpreter": "openai",
            "InterpreterModel": "some-model",
            "InterpreterUrl": endpoint.url,
            "EpisodicHalfLifeSeconds": "2592000",
        }
    )
    return [f"--parameter={name}={value}" for name, value in parameters.items()]
