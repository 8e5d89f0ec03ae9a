"""The end of a record: deleted, pruned, expired or erased; and the check before a restore."""

from dataclasses import replace

from membrane.domain.ingest.builder import Making, Why, next_entry, with_entry
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.audit import without_text
from membrane.domain.records.predicates import derived_by
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.domain.salience.function import salience_at

DECAY_SERVICE = "decay-service"
"""The actor of the sweep in the audit."""


def deleted_version(
    stored: StoredRecord, tombstone: Tombstone, why: Why, making: Making
) -> StoredRecord:
    """The deleted record; the document stays until the tombstone is due."""
    record = with_entry(stored.record, AuditAction.DELETE, why, making)
    return replace(stored.next_version(record), tombstone=tombstone)


def pruned_version(
    stored: StoredRecord, tombstone: Tombstone, makings: tuple[Making, Making]
) -> StoredRecord:
    """The record deleted by the sweep, with an audit entry for decay and one for deletion.

    `makings` are the contexts of the two entries.
    """
    fading, deleting = makings
    now_s = epoch_seconds(fading.now)
    now = salience_at(now_s, stored.anchor, stored.record.lifecycle, fading.policy.custom_curves)
    elapsed_s = max(0.0, now_s - stored.anchor.at_s)
    saliences = (stored.anchor.salience, now)
    change = f"{stored.anchor.salience:.4f} -> {now:.4f} (elapsed {elapsed_s:.0f}s)"
    decay = Why(DECAY_SERVICE, f"decay applied: {change}")
    record = with_entry(stored.record, AuditAction.DECAY, decay, fading, saliences)
    reason = Why(DECAY_SERVICE, f"auto-pruned: {tombstone.reason}")
    return deleted_version(stored.next_version(record), tombstone, reason, deleting)


def expired_record(stored: StoredRecord, making: Making, tombstone: Tombstone) -> RemovedRecord:
    """The record without document, after the time for a restore is over."""
    reason = Why(DECAY_SERVICE, "document removed: it could be restored no longer")
    return _removed_record(stored, tombstone, reason, making)


def erased_record(held: AnyRecord, tombstone: Tombstone, why: Why, making: Making) -> RemovedRecord:
    """The record without content; `why` is the only free text that stays in the audit."""
    removed = replace(_removed_record(held, tombstone, why, making), facts=())
    return with_erased_trail(removed)


def with_erased_trail(removed: RemovedRecord) -> RemovedRecord:
    *earlier, last = removed.trail
    return replace(removed, trail=(*map(without_text, earlier), last))


def require_restorable(held: AnyRecord, now_s: float) -> StoredRecord:
    """The deleted record; raises FailedPrecondition if alive, erased or past the restore period."""
    tombstone = held.tombstone
    if tombstone is None:
        raise FailedPrecondition("the record is not deleted")
    if tombstone.is_erased:
        raise FailedPrecondition("the record was erased; nothing is left to restore")
    if isinstance(held, RemovedRecord) or tombstone.due_s is None or tombstone.due_s <= now_s:
        raise FailedPrecondition("the time in which the record could be restored is over")
    return held


def derived_from(held: AnyRecord) -> tuple[str, ...]:
    """The ids of the facts, skills and plans derived from the record, and of a step's trace."""
    if isinstance(held, RemovedRecord):
        return held.facts
    trace_id = held.learning.trace_id
    return (*((trace_id,) if trace_id else ()), *derived_by(held.record.relations))


def _removed_record(
    held: AnyRecord, tombstone: Tombstone, why: Why, making: Making
) -> RemovedRecord:
    entry = next_entry(held.trail, AuditAction.DELETE, why, making)
    return RemovedRecord(
        id=held.id,
        type=held.type,
        scope=held.scope,
        sensitivity=held.sensitivity,
        born_s=held.born_s,
        trail=(*held.trail, entry),
        tombstone=tombstone,
        version=held.version + 1,
        fingerprint=held.fingerprint,
        operations=held.operations,
        audit_count=held.written_entries + 1,
        facts=derived_from(held),
        origin=held.origin,
    )
