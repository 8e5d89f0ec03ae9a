"""Assembles records from what was reported and what policy gave it (seed 000, step 4)."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.ingest.candidates import MemoryCandidate, digest_of
from membrane.domain.ingest.payloads_of import origin_of, payload_of
from membrane.domain.ingest.policy import PolicyResult
from membrane.domain.ingest.reports import Report
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import AuditAction, OutcomeStatus, ProvenanceKind
from membrane.domain.records import audit
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import (
    AuditEntry,
    MemoryRecord,
    Provenance,
    ProvenanceSource,
    Relation,
)
from membrane.domain.records.states import without_state
from membrane.domain.records.validity import require_window
from membrane.domain.salience.lifecycle import Lifecycle

if TYPE_CHECKING:
    from membrane.domain.ingest.full_records import RecordInput

CREATED_BY = "ingestion-service"
"""Actor of a creation and creator of its provenance (spec 2.1)."""

DEFAULT_RELATION_WEIGHT = 1.0
"""What a weight of 0 becomes in the store (spec 1.5)."""


class Making(NamedTuple):
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


class Why(NamedTuple):
    """Who asks for a change, and for what reason, as the audit shall have it."""

    actor: str
    rationale: str

    def after(self, deed: str) -> str:
        """What was done, and the reason if one was given."""
        return f"{deed}: {self.rationale}" if self.rationale else deed


def build_record(
    candidate: MemoryCandidate,
    report: Report,
    given: PolicyResult,
    scope: str,
    making: Making,
) -> MemoryRecord:
    """The record of a report, with its provenance and its first audit entry.

    Raises InvalidArgument for a fact whose window ends before it begins.
    """
    payload = payload_of(report, candidate.timestamp, making.node_id)
    require_window(payload)
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
        payload=payload,
        audit_log=(_created(making, f"Ingested {candidate.kind} from {report.source}"),),
    )


def build_given(
    given: "RecordInput", sent: object, lifecycle: Lifecycle, scope: str, making: Making
) -> MemoryRecord:
    """The record that a caller sent whole; `sent` is its JSON, for the provenance's digest.

    Raises InvalidArgument where the payload is not of the record's type, a relation is given twice
    or points at the record itself, or a fact's window ends before it begins.
    """
    if given.payload.kind != given.type:
        raise InvalidArgument("validation error for payload: payload kind must match memory type")
    require_window(given.payload)
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
        payload=without_state(given.payload),
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
    record: MemoryRecord,
    action: AuditAction,
    *,
    actor: str,
    rationale: str,
    making: Making,
    saliences: tuple[float, float] | None = None,
) -> MemoryRecord:
    """The record with one more audit entry, updated now; `saliences` as `entry_after` has them."""
    entry = next_entry(
        record.audit_log,
        action,
        actor=actor,
        rationale=rationale,
        making=making,
        saliences=saliences,
    )
    return record.model_copy(
        update={"updated_at": making.timestamp, "audit_log": (*record.audit_log, entry)}
    )


def _created(making: Making, rationale: str) -> AuditEntry:
    return next_entry((), AuditAction.CREATE, actor=CREATED_BY, rationale=rationale, making=making)


def next_entry(
    previous: Sequence[AuditEntry],
    action: AuditAction,
    *,
    actor: str,
    rationale: str,
    making: Making,
    saliences: tuple[float, float] | None = None,
) -> AuditEntry:
    """The entry that follows the previous ones, made now."""
    return audit.entry_after(
        previous,
        record_id=making.record_id,
        action=action,
        actor=actor,
        rationale=rationale,
        principal=making.principal,
        timestamp=making.timestamp,
        salt=making.salt,
        saliences=saliences,
    )


def _source_of(candidate: MemoryCandidate, report: Report, making: Making) -> ProvenanceSource:
    kind, ref = origin_of(report, making.node_id)
    return ProvenanceSource(
        kind=kind,
        ref=ref,
        hash=candidate.digest(),
        created_by=report.source,
        timestamp=candidate.timestamp,
    )


def _relations_of(given: "RecordInput", making: Making) -> tuple[Relation, ...]:
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
