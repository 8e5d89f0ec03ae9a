"""The records of messages: a message becomes an episode at its turn of the thread."""

from typing import NamedTuple

from membrane.domain.ingest.builder import Making, new_record
from membrane.domain.ingest.messages import IngestMessages, Message
from membrane.domain.ingest.policy import MemoryCandidate, PolicyResult
from membrane.domain.language.vocabulary import ProvenanceKind, Role
from membrane.domain.records import payloads
from membrane.domain.records.records import MemoryRecord, ProvenanceSource


class AcceptedMessage(NamedTuple):
    """A message that passed all checks, with the parts of its record."""

    message: Message
    candidate: MemoryCandidate
    policy_result: PolicyResult
    making: Making


def build_turn(
    accepted: AcceptedMessage, turn: int, request: IngestMessages, scope: str
) -> MemoryRecord:
    """The record of a message, with ref `<thread>:<turn>` and the speaker in the provenance."""
    message, candidate, policy_result, making = accepted
    ref = f"{request.thread}:{turn}"
    source = ProvenanceSource(
        kind=ProvenanceKind.TOOL_CALL if message.role is Role.TOOL else ProvenanceKind.EVENT,
        ref=ref,
        hash=candidate.digest(),
        created_by=message.source,
        timestamp=candidate.timestamp,
    )
    payload = _episode(accepted, ref, request)
    rationale = f"Ingested {candidate.kind} from {request.source or message.source}"
    return new_record(
        payload, source, policy_result, making, tags=request.tags, scope=scope, rationale=rationale
    )


def turn_of(record: MemoryRecord) -> int:
    """The turn in the ref of a message's record; raises ValueError for any other record."""
    return int(record.provenance.sources[0].ref.rpartition(":")[2])


def thread_of(record: MemoryRecord) -> str | None:
    """The thread of a record that may be a message; None for any other record.

    The outputs of tools have the form of a tool's message: a thread without messages has turn 1.
    """
    payload = record.payload
    if not isinstance(payload, payloads.EpisodicPayload) or not payload.timeline:
        return None
    event = payload.timeline[0]
    thread, _, turn = event.ref.rpartition(":")
    is_message = (
        event.event_kind.startswith(payloads.MESSAGE_PREFIX)
        or event.event_kind == payloads.TOOL_CALL
    )
    return thread if is_message and thread and turn.isdecimal() else None


def _episode(
    accepted: AcceptedMessage, ref: str, request: IngestMessages
) -> payloads.EpisodicPayload:
    """The episode of a message; a message that calls a tool, or answers a call, is a step."""
    message, timestamp = accepted.message, accepted.candidate.timestamp
    nodes = [
        payloads.ToolNode(
            id=call.id, tool=call.function.name, args=call.function.arguments, timestamp=timestamp
        )
        for call in message.tool_calls
    ]
    event_kind = f"{payloads.MESSAGE_PREFIX}{message.role}"
    if message.role is Role.TOOL:
        event_kind = payloads.TOOL_CALL
        called = request.calls.get(message.tool_call_id or "")
        node = payloads.ToolNode(
            id=message.tool_call_id or accepted.making.node_id,
            tool=message.name or (called.name if called else message.role),
            args=called.arguments if called else {},
            result=message.content,
            timestamp=timestamp,
        )
        nodes = [node]
    called_tools = f"{payloads.TOOL_CALL}: {', '.join(node.tool for node in nodes)}"
    is_said = (message.content or "").strip() and message.role is not Role.TOOL
    event = payloads.TimelineEvent(
        t=timestamp,
        event_kind=event_kind,
        ref=ref,
        summary=(message.content or "") if is_said else called_tools,
    )
    return payloads.EpisodicPayload(
        kind="episodic",
        timeline=(event,),
        tool_graph=tuple(nodes),
        thread_id=request.thread if nodes else "",
    )
