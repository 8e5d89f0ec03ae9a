"""The message that set the task of a conversation: its text stands in one trace, and goes there."""

from typing import Any

import pytest

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.services import Services
from tests.builders.messages import messages, tell
from tests.builders.requests import change
from tests.worlds.captures import services_over
from tests.worlds.stores import Store

TASK = "Release the parser for zedekiah"


def a_call(name: str) -> list[dict[str, Any]]:
    """A message that calls a tool, and the answer."""
    function = {"name": name, "arguments": {"suite": "unit"}}
    calls = [{"id": name, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": name, "content": f"{name} done"},
    ]


def converse(services: Services) -> str:
    """The id of the message that opens a conversation with tool calls."""
    told = tell(
        messages({"role": "user", "content": TASK}, *a_call("run_tests"), *a_call("build")),
        services,
    )
    return str(told.body["records"][0]["id"])


def trace_made(store: Store, services: Services) -> StoredRecord:
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    held = services.records.load(trace_id)
    assert isinstance(held, StoredRecord)
    return held


def summaries(trace: StoredRecord) -> list[str]:
    payload = trace.record.payload
    assert isinstance(payload, EpisodicPayload)
    return [event.summary for event in payload.timeline]


def test_the_opening_message_is_evidence_of_the_trace(store: Store) -> None:
    services = services_over(store)
    opening = converse(services)

    trace = trace_made(store, services)

    assert TASK in summaries(trace)
    assert opening in [source.ref for source in trace.record.provenance.sources]
    message = services.records.load(opening)
    assert isinstance(message, StoredRecord)
    assert message.learning.trace_id == trace.id
    assert message.trail[-1].rationale == f"set the task of trace {trace.id}"


@pytest.mark.parametrize("erase", [False, True])
def test_the_trace_goes_with_the_opening_message(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    opening = converse(services)
    trace = trace_made(store, services)

    change(DeleteRecord(id=opening, erase=erase, rationale="law"), services)

    held = services.records.load(trace.id)
    assert held is not None
    assert held.tombstone is not None
    assert held.tombstone.is_erased == erase
    assert (TASK in repr(held)) is not erase


def test_a_later_trace_of_the_conversation_is_without_the_opening_message(store: Store) -> None:
    services = services_over(store)
    opening = converse(services)
    trace_made(store, services)
    tell(messages(*a_call("deploy"), *a_call("announce")), services)

    later = trace_made(store, services)

    assert TASK not in summaries(later)
    assert opening not in [source.ref for source in later.record.provenance.sources]
