"""From a report to the parts of a record: candidate, payload, provenance."""

import hashlib
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.vocabulary import CandidateKind, ProvenanceKind, ValidityMode
from membrane.domain.records.payloads import (
    TOOL_CALL,
    EpisodicPayload,
    Payload,
    ProvenanceRef,
    SemanticPayload,
    TimelineEvent,
    ToolNode,
    Validity,
    WorkingPayload,
)
from membrane.domain.records.records import as_json
from membrane.domain.records.standing import given_timestamp

if TYPE_CHECKING:
    from membrane.domain.ingest.messages import Message

Value = TypeVar("Value")


class MemoryCandidate(NamedTuple):
    """A report with its kind and the time of the reported event (RFC 3339, UTC)."""

    kind: CandidateKind
    report: "Report | IngestOutcome | Message"
    timestamp: str

    def digest(self) -> str:
        reported = as_json(self.report)
        reported.pop("idempotency_key", None)
        return digest_of({**reported, "kind": self.kind, "timestamp": self.timestamp})


def digest_of(candidate: object) -> str:
    """`sha256:` and the SHA-256 (hex) of the canonical form of a JSON value."""
    return f"sha256:{hashlib.sha256(canonical_json(candidate)).hexdigest()}"


def require_present(value: Value | None) -> Value:
    """A required value; ValueError means that `policy.check` was not called before."""
    if value is None:
        raise ValueError("the candidate was not checked")
    return value


def candidate_from(report: Report | IngestOutcome, now: str) -> MemoryCandidate:
    """The candidate of a report; `now` is the time of a report without a timestamp."""
    return MemoryCandidate(report.kind, report, given_timestamp(report.timestamp) or now)


def origin_of(report: Report, node_id: str) -> tuple[ProvenanceKind, str]:
    match report:
        case IngestEvent():
            return ProvenanceKind.EVENT, report.ref
        case IngestToolOutput():
            return ProvenanceKind.TOOL_CALL, node_id
        case IngestObservation():
            return ProvenanceKind.OBSERVATION, report.source
        case IngestWorkingState():
            return ProvenanceKind.EVENT, report.thread_id


def payload_of(report: Report, timestamp: str, node_id: str) -> Payload:
    match report:
        case IngestEvent():
            event = TimelineEvent(
                t=timestamp,
                event_kind=report.event_kind,
                ref=report.ref,
                summary=report.summary or "",
            )
            return EpisodicPayload(kind="episodic", timeline=(event,), thread_id=report.thread_id)
        case IngestToolOutput():
            return _tool_episode(report, timestamp, node_id)
        case IngestObservation():
            evidence = ProvenanceRef(
                source_type="observation", source_id=report.source, timestamp=timestamp
            )
            return SemanticPayload(
                kind="semantic",
                subject=report.subject,
                predicate=report.predicate,
                object=report.object,
                validity=_validity(report),
                evidence=(evidence,),
                revision_policy="replace",
            )
        case IngestWorkingState():
            return WorkingPayload(
                kind="working",
                thread_id=report.thread_id,
                state=require_present(report.state),
                active_constraints=report.active_constraints,
                next_actions=report.next_actions,
                open_questions=report.open_questions,
                context_summary=report.context_summary or "",
            )


def _validity(report: IngestObservation) -> Validity:
    """The validity of an observed fact.

    Conditions decide the mode: a fact with conditions and a window is conditional.
    """
    start, end = given_timestamp(report.start), given_timestamp(report.end)
    mode = ValidityMode.GLOBAL
    if report.conditions:
        mode = ValidityMode.CONDITIONAL
    elif start is not None or end is not None:
        mode = ValidityMode.TIMEBOXED
    return Validity(mode=mode, conditions=report.conditions, start=start, end=end)


def _tool_episode(report: IngestToolOutput, timestamp: str, node_id: str) -> EpisodicPayload:
    event = TimelineEvent(
        t=timestamp,
        event_kind=TOOL_CALL,
        ref=node_id,
        summary=f"{TOOL_CALL}: {report.tool_name}"[:MAX_TEXT_CHARACTERS],
    )
    node = ToolNode(
        id=node_id,
        tool=report.tool_name,
        args=report.args,
        result=report.result,
        timestamp=timestamp,
        depends_on=report.depends_on,
    )
    return EpisodicPayload(
        kind="episodic",
        timeline=(event,),
        tool_graph=(node,),
        outcome=report.status,
        thread_id=report.thread_id,
    )
