"""The next versions of a record: of a changed salience or lifecycle, ended, restored.

A change that moves the anchor starts from the salience as of now, and the audit entry has the
salience before and after. An anchor never moves back in time, even if a server's clock is late.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.ingest import builder
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.language.fields import VANISHING
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.evidence import derived_by
from membrane.domain.records.records import MemoryRecord, without_text
from membrane.domain.records.standing import in_state, is_retracted, require_not_retracted, state_of
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.domain.salience.decay_defaults import changed_profile, default_profile
from membrane.domain.salience.function import decay_class, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle

if TYPE_CHECKING:
    from membrane.domain.lifecycle.requests import ChangeLifecycle

MOST_BY_REINFORCEMENT = 1.0
"""The highest salience that a reinforcement leads to."""


def reinforced_version(
    stored: StoredRecord,
    why: builder.Why,
    making: builder.Making,
    *,
    record: MemoryRecord | None = None,
) -> StoredRecord:
    """The record with the salience as of now plus the gain, at most 1.

    A salience above 1 therefore drops to 1. `record` is the document with all other changes;
    None for no other change.
    """
    require_not_retracted(stored)
    lifecycle = stored.record.lifecycle
    gained = builder.salience_now(stored, making) + lifecycle.decay.reinforcement_gain
    salience = min(MOST_BY_REINFORCEMENT, gained)
    lifecycle = lifecycle.model_copy(update={"last_reinforced_at": making.timestamp})
    changes = {"lifecycle": lifecycle, "salience": salience}
    record = (stored.record if record is None else record).model_copy(update=changes)
    return builder.anchored_version(stored, record, why, making, action=AuditAction.REINFORCE)


def penalized_version(
    stored: StoredRecord, amount: float, why: builder.Why, making: builder.Making
) -> StoredRecord:
    """The record after a penalty of `amount`; see `lowered_version`."""
    penalty = builder.Why(why.actor, f"penalty: {why.rationale}")
    return lowered_version(stored, amount, penalty, making)


def lowered_version(
    stored: StoredRecord,
    amount: float,
    why: builder.Why,
    making: builder.Making,
    *,
    record: MemoryRecord | None = None,
) -> StoredRecord:
    """The record with the salience as of now minus `amount`, not below the floor.

    The floor never lifts a salience that is already lower. `record` is the document with all other
    changes; None for no other change.
    """
    require_not_retracted(stored)
    held = builder.salience_now(stored, making)
    floor = min(held, stored.record.lifecycle.decay.min_salience)
    left = max(floor, held - amount)
    changes = {"salience": left if left >= VANISHING else 0.0}
    record = (stored.record if record is None else record).model_copy(update=changes)
    return builder.anchored_version(stored, record, why, making, action=AuditAction.DECAY)


def pinned_version(
    stored: StoredRecord, why: builder.Why, making: builder.Making, *, pin: bool
) -> StoredRecord:
    """The record with the salience as of now, constant from now on, or fading again if unpinned."""
    require_not_retracted(stored)
    lifecycle = stored.record.lifecycle.model_copy(update={"pinned": pin})
    return version_with_lifecycle(
        stored, lifecycle, why.after("pinned" if pin else "unpinned"), making
    )


def with_lifecycle(
    stored: StoredRecord, request: "ChangeLifecycle", why: builder.Why, making: builder.Making
) -> StoredRecord:
    """The record with a new decay profile, a new deletion policy, or both.

    The salience as of now fades on under the new profile. Raises InvalidArgument for an empty
    request and for a curve missing from the settings.
    """
    before = stored.record.lifecycle
    profile = changed_profile(before.decay, request.decay, making.policy)
    deletion_policy = request.deletion_policy or before.deletion_policy
    after = before.model_copy(update={"decay": profile, "deletion_policy": deletion_policy})
    if not request.decay.model_fields_set and request.deletion_policy is None:
        raise InvalidArgument("nothing is to be changed: give decay, deletion_policy or both")
    why = why.after(f"lifecycle {_difference(before, after)}")
    return version_with_lifecycle(stored, after, why, making)


def restored_version(
    stored: StoredRecord, why: builder.Why, making: builder.Making, *, by_default: bool = False
) -> StoredRecord:
    """The record without tombstone, with the salience of a new record; see `lifecycle_on_return`.

    A retracted record stays retracted with salience 0, and the retention of retracted records
    starts again now.
    """
    lifecycle, change = lifecycle_on_return(stored, "restored", making, by_default=by_default)
    record = stored.record
    salience = making.policy.initial_salience
    if is_retracted(record.payload):
        salience = 0.0
        since = {"since": making.timestamp}
        record = in_state(record, state_of(record.payload).model_copy(update=since))
    record = record.model_copy(update={"lifecycle": lifecycle, "salience": salience})
    alive = builder.anchored_version(stored, record, why.after(change), making)
    return replace(alive, tombstone=None)


def lifecycle_on_return(
    stored: StoredRecord, change: str, making: builder.Making, *, by_default: bool = False
) -> tuple[Lifecycle, str]:
    """The lifecycle of a restored or reactivated record, and the audit text of the change.

    If the max age has passed, the record would be due at once. The profile therefore loses its
    max age, or with `by_default` becomes the default profile.
    """
    before = stored.record.lifecycle
    age_s = epoch_seconds(making.now) - stored.anchor.born_s
    if not before.decay.max_age_seconds or age_s < before.decay.max_age_seconds:
        return before, change
    decay = before.decay.model_copy(update={"max_age_seconds": 0})
    if by_default:
        decay = default_profile(stored.type, making.policy)
    after = before.model_copy(update={"decay": decay})
    return after, f"{change}, {_difference(before, after)}"


def version_with_lifecycle(
    stored: StoredRecord,
    lifecycle: Lifecycle,
    why: builder.Why,
    making: builder.Making,
    *,
    record: MemoryRecord | None = None,
) -> StoredRecord:
    """The next version with `lifecycle`; the anchor moves only if the decay class changes.

    `record` is the document with all other changes; None for no other change.
    """
    changes = {"lifecycle": lifecycle}
    record = (stored.record if record is None else record).model_copy(update=changes)
    if decay_class(lifecycle) == decay_class(stored.record.lifecycle):
        return stored.next_version(builder.with_entry(record, AuditAction.REVISE, why, making))
    record = record.model_copy(update={"salience": builder.salience_now(stored, making)})
    return builder.anchored_version(stored, record, why, making)


def _difference(before: Lifecycle, after: Lifecycle) -> str:
    fields = [
        (name, getattr(before.decay, name), getattr(after.decay, name))
        for name in DecayProfile.model_fields
    ]
    fields.append(("deletion_policy", before.deletion_policy, after.deletion_policy))
    changes = [f"{name} {old} -> {new}" for name, old, new in fields if old != new]
    return ", ".join(changes) or "confirmed"


DECAY_SERVICE = "decay-service"
"""The actor of the sweep in the audit."""


def deleted_version(
    stored: StoredRecord, tombstone: Tombstone, why: builder.Why, making: builder.Making
) -> StoredRecord:
    """The deleted record; the document stays until the tombstone is due."""
    record = builder.with_entry(stored.record, AuditAction.DELETE, why, making)
    return replace(stored.next_version(record), tombstone=tombstone)


def pruned_version(
    stored: StoredRecord, tombstone: Tombstone, makings: tuple[builder.Making, builder.Making]
) -> StoredRecord:
    """The record deleted by the sweep, with an audit entry for decay and for deletion."""
    fading, deleting = makings
    now_s = epoch_seconds(fading.now)
    now = salience_at(now_s, stored.anchor, stored.record.lifecycle, fading.policy.custom_curves)
    elapsed_s = max(0.0, now_s - stored.anchor.at_s)
    saliences = (stored.anchor.salience, now)
    change = f"{stored.anchor.salience:.4f} -> {now:.4f} (elapsed {elapsed_s:.0f}s)"
    decay = builder.Why(DECAY_SERVICE, f"decay applied: {change}")
    record = builder.with_entry(stored.record, AuditAction.DECAY, decay, fading, saliences)
    reason = builder.Why(DECAY_SERVICE, f"auto-pruned: {tombstone.reason}")
    return deleted_version(stored.next_version(record), tombstone, reason, deleting)


def expired_record(
    stored: StoredRecord, making: builder.Making, tombstone: Tombstone
) -> RemovedRecord:
    """The record without document, after the time for a restore is over."""
    reason = builder.Why(DECAY_SERVICE, "document removed: it could be restored no longer")
    return _removed_record(stored, tombstone, reason, making)


def erased_record(
    held: AnyRecord, tombstone: Tombstone, why: builder.Why, making: builder.Making
) -> RemovedRecord:
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
    held: AnyRecord, tombstone: Tombstone, why: builder.Why, making: builder.Making
) -> RemovedRecord:
    entry = builder.next_entry(held.trail, AuditAction.DELETE, why, making)
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
