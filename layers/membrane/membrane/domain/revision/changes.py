"""The new records and the next versions of a revision, with the audit texts of Membrane."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.ingest import builder
from membrane.domain.language import vocabulary
from membrane.domain.language.timestamps import NOT_GIVEN, is_before, later
from membrane.domain.lifecycle.changes import lifecycle_on_return
from membrane.domain.records import records
from membrane.domain.records.payloads import ProvenanceRef, RevisionState, SemanticPayload
from membrane.domain.records.standing import in_state, is_contested, state_of
from membrane.domain.records.stored import AnyRecord, StoredRecord

MAX_SOURCES = 22
"""The most sources of a merge, which is a single DynamoDB transaction of at most 100 actions.

A source takes up to four actions: the record, the end of its vector, an edge, a decay profile.
"""


def successor(
    record: records.MemoryRecord, old: StoredRecord, why: builder.Why, making: builder.Making
) -> records.MemoryRecord:
    """The record as successor of `old`, with evidence of its own, and `old` in the provenance."""
    record = _with_own_evidence(record, why, making)
    evidence = records.ProvenanceSource(
        kind=vocabulary.ProvenanceKind.EVENT,
        ref=old.id,
        created_by=why.actor,
        timestamp=making.timestamp,
    )
    state = RevisionState(
        supersedes=old.id, status=vocabulary.RevisionStatus.ACTIVE, since=making.timestamp
    )
    record = in_state(builder.with_source(record, evidence), state)
    return linked_record(
        record, records.SUPERSEDES, [old.id], why.after(f"supersedes {old.id}"), making
    )


def _with_own_evidence(
    record: records.MemoryRecord, why: builder.Why, making: builder.Making
) -> records.MemoryRecord:
    """The sources without time and reporter are of the revision; the first is a fact's evidence."""
    reported = {"created_by": why.actor, "timestamp": making.timestamp}
    sources = tuple(
        each if each.created_by or each.timestamp else each.model_copy(update=reported)
        for each in record.provenance.sources
    )
    provenance = record.provenance.model_copy(update={"sources": sources})
    record = record.model_copy(update={"provenance": provenance})
    payload = record.payload
    if not isinstance(payload, SemanticPayload) or payload.evidence or not sources:
        return record
    found = ProvenanceRef(
        source_type=sources[0].kind,
        source_id=sources[0].ref,
        timestamp=sources[0].timestamp or making.timestamp,
    )
    payload = payload.model_copy(update={"evidence": (found,)})
    return record.model_copy(update={"payload": payload})


def sensitivity_among(
    sources: Iterable[StoredRecord], wanted: vocabulary.Sensitivity
) -> vocabulary.Sensitivity:
    """The highest of `wanted` and the sources' sensitivities: a new record shows its sources."""
    return max((wanted, *(each.sensitivity for each in sources)), key=lambda each: each.level)


def _relation_to(target_id: str, predicate: str, making: builder.Making) -> records.Relation:
    return records.Relation(
        predicate=predicate,
        target_id=target_id,
        weight=builder.DEFAULT_RELATION_WEIGHT,
        created_at=making.timestamp,
    )


def linked_record(
    record: records.MemoryRecord,
    predicate: str,
    target_ids: Sequence[str],
    why: builder.Why,
    making: builder.Making,
) -> records.MemoryRecord:
    """The record with a relation to each target and its first audit entry.

    The relations of the revision come first, then the relations of `record`, without repeats.
    """
    made = [_relation_to(target_id, predicate, making) for target_id in target_ids]
    relations: dict[tuple[str, str], records.Relation] = {}
    for each in (*made, *record.relations):
        relations.setdefault((each.predicate, each.target_id), each)
    entry = builder.next_entry((), vocabulary.AuditAction.CREATE, why, making)
    return record.model_copy(update={"relations": tuple(relations.values()), "audit_log": (entry,)})


LAST_EVIDENCE_GONE = "last evidence withdrawn"
"""The beginning of the reason of a record that went with its evidence; a reason may follow."""


def superseded_version(
    stored: StoredRecord,
    by: str,
    why: builder.Why,
    making: builder.Making,
    *,
    is_named: bool = True,
) -> StoredRecord:
    """The record superseded by the record with id `by`; the audit has the id if `is_named`."""
    why = why.after(f"superseded by {by}" if is_named else "superseded")
    return _withdrawn_version(stored, by, why, making)


def merged_version(
    stored: StoredRecord, into: str, why: builder.Why, making: builder.Making
) -> StoredRecord:
    why = why.after(f"merged into {into}")
    return _withdrawn_version(stored, into, why, making, action=vocabulary.AuditAction.MERGE)


def retracted_version(
    stored: StoredRecord, why: builder.Why, making: builder.Making
) -> StoredRecord:
    return _withdrawn_version(stored, "", why, making, action=vocabulary.AuditAction.DELETE)


def has_lost_evidence(ended: AnyRecord) -> bool:
    """Whether the record ended for want of evidence, and was not dismissed by a caller."""
    ends = [entry for entry in ended.trail if entry.action is vocabulary.AuditAction.DELETE]
    return bool(ends) and ends[-1].rationale.startswith(LAST_EVIDENCE_GONE)


def reactivated_version(
    stored: StoredRecord,
    record: records.MemoryRecord,
    why: builder.Why,
    making: builder.Making,
    *,
    by_default: bool = False,
) -> StoredRecord:
    """A retracted record made active, with the salience of a new record.

    `record` is the document with all other requested changes. `lifecycle_on_return` decides the
    lifecycle.
    """
    lifecycle, change = lifecycle_on_return(
        stored, "no longer retracted", making, by_default=by_default
    )
    changes = {"lifecycle": lifecycle, "salience": making.policy.initial_salience}
    record = _with_status(
        record.model_copy(update=changes), vocabulary.RevisionStatus.ACTIVE, making
    )
    return builder.anchored_version(stored, record, why.after(change), making)


def reclassified_version(
    stored: StoredRecord,
    fields: Mapping[str, Any],
    why: builder.Why,
    making: builder.Making,
    *,
    ends_retraction: bool = False,
    by_default: bool = False,
) -> StoredRecord:
    """The record with another scope, sensitivity or tags, and active if `ends_retraction`."""
    record = stored.record.model_copy(update=dict(fields))
    change = ", ".join(_changes(stored.record, record))
    if ends_retraction:
        why = why.after(change) if change else why
        return reactivated_version(stored, record, why, making, by_default=by_default)
    return _revised_version(stored, record, why.after(change or "classification confirmed"), making)


def _changes(before: records.MemoryRecord, after: records.MemoryRecord) -> Iterator[str]:
    """The changes as text for the audit; every reader may see it: no scope names, no tags."""
    if before.scope != after.scope:
        yield "scope changed"
    if before.sensitivity is not after.sensitivity:
        yield f"sensitivity {before.sensitivity} -> {after.sensitivity}"
    if before.tags != after.tags:
        yield f"{len(before.tags)} tags -> {len(after.tags)} tags"


def forked_version(
    stored: StoredRecord,
    to: str,
    why: builder.Why,
    making: builder.Making,
    *,
    is_named: bool = True,
) -> StoredRecord:
    """The record with an audit entry for the variant `to`; the entry has the id if `is_named`."""
    why = why.after(f"forked to {to}" if is_named else "forked")
    return stored.next_version(
        builder.with_entry(stored.record, vocabulary.AuditAction.FORK, why, making)
    )


def contested_version(
    stored: StoredRecord,
    by: str | None,
    why: builder.Why,
    making: builder.Making,
    *,
    evidence: str = "",
) -> StoredRecord:
    """The record, contested by the record with the id `by`; an open contest continues."""
    record = stored.record
    if not is_contested(record.payload):
        record = _with_status(record, vocabulary.RevisionStatus.CONTESTED, making)
    if by is not None:
        record = _with_contesting_relation(record, by, making)
    if evidence:
        record = _with_evidence(record, evidence, why, making)
        why = why.after(f"contested by {evidence}")
    return _revised_version(stored, record, why, making)


def kept_version(stored: StoredRecord, why: builder.Why, making: builder.Making) -> StoredRecord:
    record = _with_status(stored.record, vocabulary.RevisionStatus.ACTIVE, making)
    return _revised_version(stored, record, why.after("contest resolved: kept"), making)


def superseding_version(
    stored: StoredRecord,
    old: str,
    why: builder.Why,
    making: builder.Making,
    *,
    is_named: bool = True,
) -> StoredRecord:
    """An existing record that supersedes the record with id `old`."""
    state = state_of(stored.record.payload)
    named = state.model_copy(
        update={
            "supersedes": state.supersedes or old,
            "status": state.status or vocabulary.RevisionStatus.ACTIVE,
            "since": state.since or making.timestamp,
        }
    )
    record = in_state(with_relation(stored.record, records.SUPERSEDES, old, making), named)
    change = f"supersedes {old}" if is_named else "supersedes another"
    return _revised_version(stored, record, why.after(change), making)


def with_relation(
    record: records.MemoryRecord, predicate: str, target_id: str, making: builder.Making
) -> records.MemoryRecord:
    """The record with a further relation; unchanged if it already has the relation."""
    if any((each.predicate, each.target_id) == (predicate, target_id) for each in record.relations):
        return record
    relation = _relation_to(target_id, predicate, making)
    return record.model_copy(update={"relations": (*record.relations, relation)})


def _with_contesting_relation(
    record: records.MemoryRecord, by: str, making: builder.Making
) -> records.MemoryRecord:
    """The record with a `contested_by` relation, dated at the last contest by record `by`.

    The date is never before the start of the contest, even if a server's clock is late.
    """
    since = state_of(record.payload).since or making.timestamp
    at = later(making.timestamp, since)
    relations = tuple(
        relation.model_copy(update={"created_at": at})
        if (relation.predicate, relation.target_id) == (records.CONTESTED_BY, by)
        else relation
        for relation in with_relation(record, records.CONTESTED_BY, by, making).relations
    )
    return record.model_copy(update={"relations": relations})


def _with_evidence(
    record: records.MemoryRecord, ref: str, why: builder.Why, making: builder.Making
) -> records.MemoryRecord:
    """The record with a further source; unchanged if it already has the source."""
    if any(source.ref == ref for source in record.provenance.sources):
        return record
    source = records.ProvenanceSource(
        kind=vocabulary.ProvenanceKind.OBSERVATION,
        ref=ref,
        created_by=why.actor,
        timestamp=making.timestamp,
    )
    return builder.with_source(record, source)


def _withdrawn_version(
    stored: StoredRecord,
    successor: str,
    why: builder.Why,
    making: builder.Making,
    *,
    action: vocabulary.AuditAction = vocabulary.AuditAction.REVISE,
) -> StoredRecord:
    record = stored.record.model_copy(update={"salience": 0.0})
    record = _with_status(
        record, vocabulary.RevisionStatus.RETRACTED, making, superseded_by=successor
    )
    return builder.anchored_version(stored, record, why, making, action=action)


def _with_status(
    record: records.MemoryRecord,
    status: vocabulary.RevisionStatus,
    making: builder.Making,
    *,
    superseded_by: str = "",
) -> records.MemoryRecord:
    state = RevisionState(
        supersedes=state_of(record.payload).supersedes,
        superseded_by=superseded_by,
        status=status,
        since=making.timestamp,
    )
    return in_state(record, state)


def _revised_version(
    stored: StoredRecord, record: records.MemoryRecord, why: builder.Why, making: builder.Making
) -> StoredRecord:
    return stored.next_version(
        builder.with_entry(record, vocabulary.AuditAction.REVISE, why, making)
    )


def last_contesting(record: records.MemoryRecord) -> str | None:
    """The id of the last contesting record of an open contest; None if there is none."""
    if not is_contested(record.payload):
        return None
    since = state_of(record.payload).since or NOT_GIVEN
    last, last_at = None, since
    for relation in record.relations:
        at = relation.created_at or NOT_GIVEN
        if relation.predicate == records.CONTESTED_BY and not is_before(at, last_at):
            last, last_at = relation.target_id, at
    return last


def is_contested_by_alone(record: records.MemoryRecord, other_id: str) -> bool:
    """Whether one record, and no other record or evidence, contests in the open contest."""
    if not is_contested(record.payload):
        return False
    since = state_of(record.payload).since or NOT_GIVEN
    contesting = {
        each.target_id
        for each in record.relations
        if each.predicate == records.CONTESTED_BY
        and not is_before(each.created_at or NOT_GIVEN, since)
    }
    others = (each.timestamp or NOT_GIVEN for each in record.provenance.sources)
    return contesting == {other_id} and all(is_before(each, since) for each in others)
