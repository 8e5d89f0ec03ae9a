"""Builds records from reports, messages and full records, and next versions of records."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.principals import SERVICE_ACTORS
from membrane.domain.ingest.policy import (
    MemoryCandidate,
    PolicyResult,
    digest_of,
    origin_of,
    payload_of,
)
from membrane.domain.ingest.reports import Report
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import AuditAction, OutcomeStatus, ProvenanceKind
from membrane.domain.records import records
from membrane.domain.records.payloads import EpisodicPayload, Payload
from membrane.domain.records.standing import require_window, with_state
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Anchor, salience_at
from membrane.domain.salience.lifecycle import Lifecycle

if TYPE_CHECKING:
    from membrane.domain.ingest.full_records import RecordInput
    from membrane.domain.salience.decay_defaults import PolicyDefaults

CREATED_BY = "ingestion-service"
"""The actor of a creation and the default creator of provenance, as in Membrane."""

DEFAULT_RELATION_WEIGHT = 1.0
"""The weight stored for a relation without a weight or with weight 0, as in Membrane."""


class Making(NamedTuple):
    """The context of a write: ids, time, authenticated principal, salt, and the settings."""

    record_id: str
    node_id: str
    now: datetime
    principal: str
    salt: str
    """The salt of the audit entry."""
    policy: "PolicyDefaults"

    @property
    def timestamp(self) -> str:
        return rfc3339(self.now)


class Why(NamedTuple):
    """The actor and the rationale of an audit entry."""

    actor: str
    rationale: str

    def after(self, change: str) -> "Why":
        """The rationale prefixed with a description of the change."""
        return self._replace(rationale=f"{change}: {self.rationale}" if self.rationale else change)


def build_record(
    candidate: MemoryCandidate,
    report: Report,
    policy_result: PolicyResult,
    scope: str,
    making: Making,
) -> records.MemoryRecord:
    """The record of a report, with provenance and the first audit entry.

    Raises InvalidArgument for a fact whose window does not end after its start.
    """
    payload = payload_of(report, candidate.timestamp, making.node_id)
    require_window(payload)
    source = _source_of(candidate, report, making)
    rationale = f"Ingested {candidate.kind} from {report.source}"
    return new_record(
        payload, source, policy_result, making, tags=report.tags, scope=scope, rationale=rationale
    )


def new_record(
    payload: Payload,
    source: records.ProvenanceSource,
    policy_result: PolicyResult,
    making: Making,
    *,
    tags: tuple[str, ...],
    scope: str,
    rationale: str,
) -> records.MemoryRecord:
    """A new record with a single source; `rationale` goes into the first audit entry."""
    return records.MemoryRecord(
        id=making.record_id,
        type=policy_result.type,
        sensitivity=policy_result.sensitivity,
        confidence=policy_result.confidence,
        salience=policy_result.salience,
        scope=scope,
        tags=tags,
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=policy_result.lifecycle,
        provenance=records.Provenance(sources=(source,), created_by=CREATED_BY),
        payload=payload,
        audit_log=_creation_trail(making, rationale),
    )


def build_full_record(
    record_input: "RecordInput", sent: object, lifecycle: Lifecycle, scope: str, making: Making
) -> records.MemoryRecord:
    """The record that a caller sent whole; `sent` is the JSON, whose digest all sources get.

    Raises InvalidArgument for a payload that does not match the type, a relation given twice or
    pointing at the record itself, and a fact whose window does not end after its start.
    """
    if record_input.payload.kind != record_input.type:
        raise InvalidArgument("validation error for payload: payload kind must match memory type")
    require_window(record_input.payload)
    digest = digest_of(sent)
    sources = tuple(
        records.ProvenanceSource(**{**dict(source), "hash": digest})
        for source in record_input.provenance.sources
    )
    maker = record_input.provenance.created_by
    if not maker or maker in SERVICE_ACTORS:  # no caller may claim to be the service
        maker = CREATED_BY
    return records.MemoryRecord(
        id=making.record_id,
        type=record_input.type,
        sensitivity=record_input.sensitivity,
        confidence=record_input.confidence,
        salience=record_input.salience,
        scope=scope,
        tags=record_input.tags,
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=lifecycle,
        provenance=records.Provenance(sources=sources, created_by=maker),
        relations=_relations_of(record_input, making),
        payload=with_state(record_input.payload, None),
        audit_log=_creation_trail(making, f"Ingested record from {making.principal}"),
    )


def with_outcome(
    record: records.MemoryRecord,
    payload: EpisodicPayload,
    status: OutcomeStatus,
    candidate: MemoryCandidate,
    making: Making,
    *,
    reason: str = "",
) -> records.MemoryRecord:
    """The record after an outcome.

    The payload has the newest outcome; audit and provenance have every outcome. An outcome
    without a reason clears the reason of the previous outcome.
    """
    source = candidate.report.source
    evidence = records.ProvenanceSource(
        kind=ProvenanceKind.OUTCOME,
        ref=f"outcome:{record.id}:{status}",
        hash=candidate.digest(),
        created_by=source,
        timestamp=candidate.timestamp,
    )
    record = with_source(record, evidence)
    completed = payload.model_copy(update={"outcome": status, "outcome_reason": reason})
    record = record.model_copy(update={"payload": completed})
    why = Why(source, reason).after(f"Outcome recorded: {status}")
    return with_entry(record, AuditAction.REVISE, why, making)


def with_source(
    record: records.MemoryRecord, source: records.ProvenanceSource
) -> records.MemoryRecord:
    sources = (*record.provenance.sources, source)
    provenance = record.provenance.model_copy(update={"sources": sources})
    return record.model_copy(update={"provenance": provenance})


def with_entry(
    record: records.MemoryRecord,
    action: AuditAction,
    why: Why,
    making: Making,
    saliences: tuple[float, float] | None = None,
) -> records.MemoryRecord:
    """The record, updated now, with a further audit entry; `saliences` as in `entry_after`."""
    entry = next_entry(record.audit_log, action, why, making, saliences)
    return record.model_copy(
        update={"updated_at": making.timestamp, "audit_log": (*record.audit_log, entry)}
    )


def salience_now(stored: StoredRecord, making: Making) -> float:
    now_s = epoch_seconds(making.now)
    return salience_at(now_s, stored.anchor, stored.record.lifecycle, making.policy.custom_curves)


def anchored_version(
    stored: StoredRecord,
    record: records.MemoryRecord,
    why: Why,
    making: Making,
    *,
    action: AuditAction = AuditAction.REVISE,
) -> StoredRecord:
    """The next version with document `record` and an anchor at `record.salience`, now."""
    now_s = epoch_seconds(making.now)
    anchor = Anchor(record.salience, max(now_s, stored.anchor.at_s), stored.anchor.born_s)
    after = salience_at(now_s, anchor, record.lifecycle, making.policy.custom_curves)
    saliences = (salience_now(stored, making), after)
    record = with_entry(record, action, why, making, saliences)
    return replace(stored.next_version(record), anchor=anchor)


def _creation_trail(making: Making, rationale: str) -> tuple[records.AuditEntry]:
    return (next_entry((), AuditAction.CREATE, Why(CREATED_BY, rationale), making),)


def next_entry(
    previous: Sequence[records.AuditEntry],
    action: AuditAction,
    why: Why,
    making: Making,
    saliences: tuple[float, float] | None = None,
) -> records.AuditEntry:
    return records.entry_after(
        previous,
        record_id=making.record_id,
        action=action,
        actor=why.actor,
        rationale=why.rationale,
        principal=making.principal,
        timestamp=making.timestamp,
        salt=making.salt,
        saliences=saliences,
    )


def _source_of(
    candidate: MemoryCandidate, report: Report, making: Making
) -> records.ProvenanceSource:
    kind, ref = origin_of(report, making.node_id)
    return records.ProvenanceSource(
        kind=kind,
        ref=ref,
        hash=candidate.digest(),
        created_by=report.source,
        timestamp=candidate.timestamp,
    )


def _relations_of(record_input: "RecordInput", making: Making) -> tuple[records.Relation, ...]:
    edges = {(relation.predicate, relation.target_id) for relation in record_input.relations}
    if len(edges) != len(record_input.relations):
        raise InvalidArgument("validation error for relations: the same relation is given twice")
    if any(relation.target_id == making.record_id for relation in record_input.relations):
        raise InvalidArgument("validation error for relations: a record cannot relate to itself")
    return tuple(
        relation.model_copy(
            update={
                "weight": relation.weight or DEFAULT_RELATION_WEIGHT,
                "created_at": making.timestamp,
            }
        )
        for relation in record_input.relations
    )
