"""Assembles records from what was reported and what policy gave it (seed 000, step 4)."""

from dataclasses import dataclass
from datetime import datetime

from membrane.domain import audit
from membrane.domain.candidates import MemoryCandidate, digest_of, present
from membrane.domain.errors import InvalidArgument
from membrane.domain.fields import MAX_TEXT_CHARACTERS
from membrane.domain.payloads import (
    EpisodicPayload,
    Payload,
    ProvenanceRef,
    SemanticPayload,
    TimelineEvent,
    ToolNode,
    Validity,
    WorkingPayload,
)
from membrane.domain.policy import PolicyResult
from membrane.domain.records import (
    AuditEntry,
    Lifecycle,
    MemoryRecord,
    Provenance,
    ProvenanceSource,
    Relation,
)
from membrane.domain.requests import (
    IngestEvent,
    IngestObservation,
    IngestToolOutput,
    IngestWorkingState,
    RecordInput,
    Report,
)
from membrane.domain.timestamps import rfc3339
from membrane.domain.vocabulary import AuditAction, OutcomeStatus, ProvenanceKind, ValidityMode

CREATED_BY = "ingestion-service"
"""Actor of a creation and creator of its provenance (spec 2.1)."""

TOOL_CALL = "tool_call"
DEFAULT_RELATION_WEIGHT = 1.0
"""What a weight of 0 becomes in the store (spec 1.5)."""


@dataclass(frozen=True, slots=True)
class Making:
    """The circumstances in which a record is made or changed: ids, time, who, fresh salt."""

    record_id: str
    node_id: str
    now: datetime
    principal: str
    salt: str

    @property
    def timestamp(self) -> str:
        """Now, as RFC 3339."""
        return rfc3339(self.now)


def build_record(
    candidate: MemoryCandidate,
    report: Report,
    given: PolicyResult,
    scope: str,
    making: Making,
) -> MemoryRecord:
    """The record of a report, with its provenance and its first audit entry."""
    return MemoryRecord(
        id=making.record_id,
        type=given.type,
        sensitivity=given.sensitivity,
        confidence=given.confidence,
        salience=given.salience,
        scope=scope,
        tags=report.tags,
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=given.lifecycle,
        provenance=Provenance(
            sources=(_source_of(candidate, report, making),), created_by=CREATED_BY
        ),
        payload=_payload_of(report, candidate.timestamp, making.node_id),
        audit_log=(_created(making, f"Ingested {candidate.kind} from {report.source}"),),
    )


def build_given(
    given: RecordInput, sent: object, lifecycle: Lifecycle, scope: str, making: Making
) -> MemoryRecord:
    """The record that a caller sent whole; `sent` is its JSON, for the provenance's digest.

    Raises InvalidArgument where the payload is not of the record's type, or a relation is given
    twice or points at the record itself.
    """
    if given.payload.kind != given.type:
        raise InvalidArgument("validation error for payload: payload kind must match memory type")
    digest = digest_of(sent)
    sources = tuple(
        ProvenanceSource(
            kind=source.kind,
            ref=source.ref,
            hash=digest,
            created_by=source.created_by,
            timestamp=source.timestamp,
        )
        for source in given.provenance.sources
    )
    return MemoryRecord(
        id=making.record_id,
        type=given.type,
        sensitivity=given.sensitivity,
        confidence=given.confidence,
        salience=given.salience,
        scope=scope,
        tags=given.tags,
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=lifecycle,
        provenance=Provenance(
            sources=sources, created_by=given.provenance.created_by or CREATED_BY
        ),
        relations=_relations_of(given, making),
        payload=given.payload,
        audit_log=(_created(making, f"Ingested record from {making.principal}"),),
    )


def with_outcome(
    record: MemoryRecord,
    payload: EpisodicPayload,
    status: OutcomeStatus,
    candidate: MemoryCandidate,
    making: Making,
) -> MemoryRecord:
    """The record after an outcome: the newest in the payload, every one in audit and provenance."""
    source = candidate.report.source
    evidence = ProvenanceSource(
        kind=ProvenanceKind.OUTCOME,
        ref=f"outcome:{record.id}:{status}",
        hash=candidate.digest(),
        created_by=source,
        timestamp=candidate.timestamp,
    )
    return with_entry(
        record.model_copy(
            update={
                "payload": payload.model_copy(update={"outcome": status}),
                "provenance": record.provenance.model_copy(
                    update={"sources": (*record.provenance.sources, evidence)}
                ),
            }
        ),
        AuditAction.REVISE,
        actor=source,
        rationale=f"Outcome recorded: {status}",
        making=making,
    )


def with_entry(
    record: MemoryRecord, action: AuditAction, *, actor: str, rationale: str, making: Making
) -> MemoryRecord:
    """The record with one more audit entry, updated now."""
    entry = audit.entry_after(
        record.audit_log,
        record_id=record.id,
        action=action,
        actor=actor,
        rationale=rationale,
        principal=making.principal,
        timestamp=making.timestamp,
        salt=making.salt,
    )
    return record.model_copy(
        update={"updated_at": making.timestamp, "audit_log": (*record.audit_log, entry)}
    )


def _created(making: Making, rationale: str) -> AuditEntry:
    return audit.entry_after(
        (),
        record_id=making.record_id,
        action=AuditAction.CREATE,
        actor=CREATED_BY,
        rationale=rationale,
        principal=making.principal,
        timestamp=making.timestamp,
        salt=making.salt,
    )


def _source_of(candidate: MemoryCandidate, report: Report, making: Making) -> ProvenanceSource:
    kind, ref = _origin_of(report, making.node_id)
    return ProvenanceSource(
        kind=kind,
        ref=ref,
        hash=candidate.digest(),
        created_by=report.source,
        timestamp=candidate.timestamp,
    )


def _origin_of(report: Report, node_id: str) -> tuple[ProvenanceKind, str]:
    """Kind and reference of the provenance, by kind of report (spec 2.2 to 2.6)."""
    match report:
        case IngestEvent():
            return ProvenanceKind.EVENT, report.ref
        case IngestToolOutput():
            return ProvenanceKind.TOOL_CALL, node_id
        case IngestObservation():
            return ProvenanceKind.OBSERVATION, report.source
        case IngestWorkingState():
            return ProvenanceKind.EVENT, report.thread_id


def _payload_of(report: Report, timestamp: str, node_id: str) -> Payload:
    match report:
        case IngestEvent():
            return EpisodicPayload(
                kind="episodic",
                timeline=(
                    TimelineEvent(
                        t=timestamp,
                        event_kind=report.event_kind,
                        ref=report.ref,
                        summary=report.summary or "",
                    ),
                ),
            )
        case IngestToolOutput():
            return _tool_episode(report, timestamp, node_id)
        case IngestObservation():
            return SemanticPayload(
                kind="semantic",
                subject=report.subject,
                predicate=report.predicate,
                object=report.object,
                validity=Validity(mode=ValidityMode.GLOBAL),
                evidence=(
                    ProvenanceRef(
                        source_type="observation", source_id=report.source, timestamp=timestamp
                    ),
                ),
                revision_policy="replace",
            )
        case IngestWorkingState():
            return WorkingPayload(
                kind="working",
                thread_id=report.thread_id,
                state=present(report.state),
                active_constraints=report.active_constraints,
                next_actions=report.next_actions,
                open_questions=report.open_questions,
                context_summary=report.context_summary or "",
            )


def _tool_episode(report: IngestToolOutput, timestamp: str, node_id: str) -> EpisodicPayload:
    """An episode of one tool node, which its timeline entry refers to (spec 2.3)."""
    return EpisodicPayload(
        kind="episodic",
        timeline=(
            TimelineEvent(
                t=timestamp,
                event_kind=TOOL_CALL,
                ref=node_id,
                summary=f"{TOOL_CALL}: {report.tool_name}"[:MAX_TEXT_CHARACTERS],
            ),
        ),
        tool_graph=(
            ToolNode(
                id=node_id,
                tool=report.tool_name,
                args=report.args,
                result=report.result,
                timestamp=timestamp,
                depends_on=report.depends_on,
            ),
        ),
    )


def _relations_of(given: RecordInput, making: Making) -> tuple[Relation, ...]:
    edges = {(relation.predicate, relation.target_id) for relation in given.relations}
    if len(edges) != len(given.relations):
        raise InvalidArgument("validation error for relations: the same relation is given twice")
    if any(relation.target_id == making.record_id for relation in given.relations):
        raise InvalidArgument("validation error for relations: a record cannot relate to itself")
    return tuple(
        relation.model_copy(
            update={
                "weight": relation.weight or DEFAULT_RELATION_WEIGHT,
                "created_at": making.timestamp,
            }
        )
        for relation in given.relations
    )
