"""The steps of threads in a store, as an agent reports them."""

from typing import Any

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.calls import Result, Written
from membrane.wiring.world import World
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, outcome, tool_output


def add_event(thread: str, summary: str, services: World, **fields: Any) -> MemoryRecord:
    """The record of an event that sets a task."""
    usual = {"source": "agent", "event_kind": "task", "ref": f"{thread}/task", "scope": "team"}
    asked = event(**{**usual, "summary": summary, "thread_id": thread, **fields})
    return written(ingest(asked, call(asked), services))


def add_call(
    thread: str, tool: str, args: Any, result: Any, services: World, **fields: Any
) -> MemoryRecord:
    """The record of a tool call."""
    usual = {"tool_name": tool, "scope": "team", "thread_id": thread}
    asked = tool_output(**{**usual, "args": args, "result": result, **fields})
    return written(ingest(asked, call(asked), services))


def triple(subject: str, value: Any, predicate: str = "owned_by") -> dict[str, Any]:
    """A part of a result that states a fact."""
    return {"subject": subject, "predicate": predicate, "object": value}


def end(
    record_id: str,
    services: World,
    status: OutcomeStatus = OutcomeStatus.SUCCESS,
    **fields: Any,
) -> MemoryRecord:
    """The record with the outcome of its thread."""
    asked = outcome(record_id, outcome_status=status, **fields)
    return written(ingest(asked, call(asked), services))


def add_release(
    thread: str,
    version: str,
    services: World,
    status: OutcomeStatus = OutcomeStatus.SUCCESS,
    **fields: Any,
) -> list[MemoryRecord]:
    """The records of a thread of four steps: a task, and three calls."""
    task = add_event(thread, f"Release version {version} of the parser", services, **fields)
    image = f"parser-{version}"
    steps = [
        add_call(thread, "run_tests", {"suite": "unit"}, {"passed": 412}, services, **fields),
        add_call(thread, "build", {"tag": version}, {"image": image}, services, **fields),
        add_call(thread, "deploy", {"image": image}, {"ok": True}, services, **fields),
    ]
    return [task, *steps[:-1], end(steps[-1].id, services, status)]


def written(result: Result) -> MemoryRecord:
    assert isinstance(result, Written)
    return result.record
