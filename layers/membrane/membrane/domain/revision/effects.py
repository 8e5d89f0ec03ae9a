"""What a revision does to the records that it touches: each time the record's next version.

The words of the audit are the peer's (spec 5.2). No check is made here: see `states`.
"""

from membrane.domain.ingest.builder import DEFAULT_RELATION_WEIGHT, Making, Why, with_entry
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import AuditAction, ProvenanceKind, RevisionStatus
from membrane.domain.lifecycle.changes import anchored, lasting
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.predicates import CONTESTED_BY, SUPERSEDES
from membrane.domain.records.records import MemoryRecord, ProvenanceSource, Relation
from membrane.domain.records.states import is_contested, state_of, with_state
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults

NO_SALIENCE = 0.0


def superseded(
    stored: StoredRecord,
    by: str,
    why: Why,
    making: Making,
    policy: PolicyDefaults,
    *,
    is_named: bool = True,
) -> StoredRecord:
    """The record replaced by the one of that id, which the audit names where it is said so."""
    deed = f"superseded by {by}" if is_named else "superseded"
    entry = (AuditAction.REVISE, why.actor, why.after(deed))
    return _taken_back(stored, by, entry, making, policy)


def merged(
    stored: StoredRecord, into: str, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """The record united with others in the one of that id."""
    entry = (AuditAction.MERGE, why.actor, why.after(f"merged into {into}"))
    return _taken_back(stored, into, entry, making, policy)


def retracted(
    stored: StoredRecord, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """The record taken back; nothing replaces it."""
    entry = (AuditAction.DELETE, why.actor, why.rationale)
    return _taken_back(stored, "", entry, making, policy)


def taken_up(
    stored: StoredRecord,
    record: MemoryRecord,
    why: Why,
    making: Making,
    policy: PolicyDefaults,
    *,
    by_default: bool = False,
) -> StoredRecord:
    """A record that was taken back counts again, as salient as a new one.

    `record` is what it is to be otherwise. A max age that has passed is taken off, or with
    `by_default` its whole profile.
    """
    lifecycle, deed = lasting(stored, "no longer retracted", making, policy, by_default=by_default)
    entry = (AuditAction.REVISE, why.actor, why.after(deed))
    record = record.model_copy(update={"lifecycle": lifecycle})
    record = _standing(record, RevisionStatus.ACTIVE, making)
    return anchored(stored, record, policy.initial_salience, entry, making=making, policy=policy)


def forked(
    stored: StoredRecord, to: str, why: Why, making: Making, *, is_named: bool = True
) -> StoredRecord:
    """The record as it was; its audit tells of the variant, of that id."""
    rationale = why.after(f"forked to {to}" if is_named else "forked")
    return _noted(stored, stored.record, (AuditAction.FORK, why.actor, rationale), making)


def contested(
    stored: StoredRecord, by: str | None, why: Why, making: Making, *, evidence: str = ""
) -> StoredRecord:
    """The record contested, where known by the record of that id, or by what is no record.

    A contest that is open already goes on.
    """
    record, rationale = stored.record, why.rationale
    if not is_contested(record.payload):
        record = _standing(record, RevisionStatus.CONTESTED, making)
    if by is not None:
        record = _contested_by(record, by, making)
    if evidence:
        record = _evidenced(record, evidence, why, making)
        rationale = why.after(f"contested by {evidence}")
    return _noted(stored, record, (AuditAction.REVISE, why.actor, rationale), making)


def kept(stored: StoredRecord, why: Why, making: Making) -> StoredRecord:
    """A contested record holds after all."""
    record = _standing(stored.record, RevisionStatus.ACTIVE, making)
    entry = (AuditAction.REVISE, why.actor, why.after("contest resolved: kept"))
    return _noted(stored, record, entry, making)


def replacing(
    stored: StoredRecord, old: str, why: Why, making: Making, *, is_named: bool = True
) -> StoredRecord:
    """A record that was there before, and now stands in the place of the old one."""
    record = related(stored.record, SUPERSEDES, old, making)
    state = state_of(record.payload)
    named = state.model_copy(
        update={
            "supersedes": state.supersedes or old,
            "status": state.status or RevisionStatus.ACTIVE,
            "since": state.since or making.timestamp,
        }
    )
    record = record.model_copy(update={"payload": with_state(record.payload, named)})
    deed = f"supersedes {old}" if is_named else "supersedes another"
    return _noted(stored, record, (AuditAction.REVISE, why.actor, why.after(deed)), making)


def related(record: MemoryRecord, predicate: str, target_id: str, making: Making) -> MemoryRecord:
    """The record with one more relation; as it is where it has that one already."""
    if any((each.predicate, each.target_id) == (predicate, target_id) for each in record.relations):
        return record
    relation = Relation(
        predicate=predicate,
        target_id=target_id,
        weight=DEFAULT_RELATION_WEIGHT,
        created_at=making.timestamp,
    )
    return record.model_copy(update={"relations": (*record.relations, relation)})


def _contested_by(record: MemoryRecord, by: str, making: Making) -> MemoryRecord:
    """The record with that relation, which says when it was contested so for the last time.

    That is within the contest, whatever a server's clock says.
    """
    since = state_of(record.payload).since or making.timestamp
    at = since if is_before(making.timestamp, since) else making.timestamp
    relations = tuple(
        relation.model_copy(update={"created_at": at})
        if (relation.predicate, relation.target_id) == (CONTESTED_BY, by)
        else relation
        for relation in related(record, CONTESTED_BY, by, making).relations
    )
    return record.model_copy(update={"relations": relations})


def _evidenced(record: MemoryRecord, ref: str, why: Why, making: Making) -> MemoryRecord:
    """The record with one more source; as it is where it has that one already."""
    if any(source.ref == ref for source in record.provenance.sources):
        return record
    source = ProvenanceSource(
        kind=ProvenanceKind.OBSERVATION,
        ref=ref,
        created_by=why.actor,
        timestamp=making.timestamp,
    )
    sources = (*record.provenance.sources, source)
    provenance = record.provenance.model_copy(update={"sources": sources})
    return record.model_copy(update={"provenance": provenance})


def _taken_back(
    stored: StoredRecord,
    successor: str,
    entry: tuple[AuditAction, str, str],
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    record = _standing(stored.record, RevisionStatus.RETRACTED, making, superseded_by=successor)
    return anchored(stored, record, NO_SALIENCE, entry, making=making, policy=policy)


def _standing(
    record: MemoryRecord, status: RevisionStatus, making: Making, *, superseded_by: str = ""
) -> MemoryRecord:
    state = RevisionState(
        supersedes=state_of(record.payload).supersedes,
        superseded_by=superseded_by,
        status=status,
        since=making.timestamp,
    )
    return record.model_copy(update={"payload": with_state(record.payload, state)})


def _noted(
    stored: StoredRecord, record: MemoryRecord, entry: tuple[AuditAction, str, str], making: Making
) -> StoredRecord:
    action, actor, rationale = entry
    return stored.changed(
        with_entry(record, action, actor=actor, rationale=rationale, making=making)
    )
