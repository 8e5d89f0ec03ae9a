"""Episodes, traces, their steps and questions about them, to be varied by one field."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from membrane.domain.chat.turns import (
    ModelTurn,
    OfferedTool,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.likeness import are_alike, outline_of
from membrane.domain.learning.skills import Evidence, outline_of_skill
from membrane.domain.records.payloads import (
    TOOL_CALL,
    CompetencePayload,
    EpisodicPayload,
    TimelineEvent,
    ToolNode,
)
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.calls import Result, Written
from membrane.wiring.world import World
from tests.builders.records import NOW, a_record_of, an_event, ingest
from tests.builders.requests import call, event, outcome, tool_output

TASK = "Deploy the payment service"


def a_call(tool: str, node_id: str = "", **fields: Any) -> ToolNode:
    return ToolNode(id=node_id or f"call-{tool}", tool=tool, **fields)


def an_occurrence(summary: str = TASK, kind: str = "task", **fields: Any) -> TimelineEvent:
    return TimelineEvent(
        **{"t": rfc3339(NOW), "event_kind": kind, "ref": "event-1", "summary": summary} | fields
    )


def an_episode(*calls: ToolNode, **fields: Any) -> EpisodicPayload:
    """One step of a thread: an event, or tool calls with their event."""
    kind, summary = (TOOL_CALL, "") if calls else ("task", TASK)
    timeline = (an_occurrence(summary, kind),)
    complete: dict[str, Any] = {"kind": "episodic", "timeline": timeline, "tool_graph": calls}
    return EpisodicPayload(**complete | fields)


def a_step(number: int, episode: EpisodicPayload) -> MemoryRecord:
    """The record `step-<number>`, so many seconds after NOW."""
    at = rfc3339(NOW + timedelta(seconds=number))
    timeline = tuple(event.model_copy(update={"t": at}) for event in episode.timeline)
    payload = episode.model_copy(update={"timeline": timeline})
    return a_record_of(an_event()).model_copy(
        update={"id": f"step-{number}", "payload": payload, "created_at": at}
    )


def a_trace(
    tools: Sequence[str | ToolNode] = ("build", "push", "roll_out"),
    task: str = TASK,
    *,
    kind: str = "task",
    outcome: OutcomeStatus | None = OutcomeStatus.SUCCESS,
    **fields: Any,
) -> EpisodicPayload:
    """A trace whose task is `task`; a call is made every second."""
    calls = [
        a_call(each, f"call-{at}") if isinstance(each, str) else each
        for at, each in enumerate(tools, start=1)
    ]
    timed = tuple(
        call.model_copy(update={"timestamp": rfc3339(NOW + timedelta(seconds=at))})
        for at, call in enumerate(calls, start=1)
    )
    return EpisodicPayload(
        kind="episodic",
        timeline=(an_occurrence(task, kind),),
        tool_graph=timed,
        outcome=outcome,
        **fields,
    )


def an_evidence(trace: EpisodicPayload, number: int = 1) -> Evidence:
    """The trace `trace-<number>`, which ended so many minutes after NOW."""
    return Evidence(trace, f"trace-{number}", rfc3339(NOW + timedelta(minutes=number)))


def alike(a: EpisodicPayload, b: EpisodicPayload) -> bool:
    """Whether two traces show the same way to do the same."""
    return are_alike(outline_of(a), outline_of(b))


def matches(skill: CompetencePayload, trace: EpisodicPayload) -> bool:
    """Whether a trace is a use of the skill."""
    return are_alike(outline_of_skill(skill), outline_of(trace))


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


SCHEMA = {"type": "object", "properties": {"key": {"type": "string"}}}
READ = OfferedTool("read", "Reads a topic.", SCHEMA)


def question(*turns: Turn, **changes: Any) -> Question:
    """A question with rules and a tool; without turns, the user asks something."""
    usual = Question("rules", turns or (UserTurn("What do I like?"),), (READ,))
    return usual._replace(**changes)


def used_tool(
    arguments: dict[str, Any] | str, text: str = "", *, fails: bool = False
) -> list[Turn]:
    """A call of the tool, and the result."""
    call = ToolCall("t-1", "read", arguments)
    return [ModelTurn(text, [call]), ResultsTurn([ToolResult("t-1", '{"found": 1}', fails)])]
