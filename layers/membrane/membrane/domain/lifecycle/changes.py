"""What becomes of a stored record's salience and lifecycle: each time its next version.

Whatever moves the anchor first brings the salience to now, and its audit entry has the salience
before and after. An anchor is never moved back, whatever a server's clock says.
"""

from dataclasses import replace

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import VANISHING
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, require_standing, state_of, with_state
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults, changed_profile, default_profile
from membrane.domain.salience.function import Anchor, decay_class, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle

MOST_BY_REINFORCEMENT = 1.0


def reinforced(
    stored: StoredRecord, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """Its salience as of now plus its gain, at most 1: a salience above 1 comes down to it."""
    require_standing(stored)
    lifecycle = stored.record.lifecycle
    gained = _salience(stored, making, policy) + lifecycle.decay.reinforcement_gain
    lifecycle = lifecycle.model_copy(update={"last_reinforced_at": making.timestamp})
    return anchored(
        stored,
        stored.record.model_copy(update={"lifecycle": lifecycle}),
        min(MOST_BY_REINFORCEMENT, gained),
        (AuditAction.REINFORCE, why.actor, why.rationale),
        making=making,
        policy=policy,
    )


def penalized(
    stored: StoredRecord, amount: float, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """Its salience as of now less the amount, not below its floor, which never lifts it."""
    require_standing(stored)
    held = _salience(stored, making, policy)
    floor = min(held, stored.record.lifecycle.decay.min_salience)
    left = max(floor, held - amount)
    entry = (AuditAction.DECAY, why.actor, f"penalty: {why.rationale}")
    return anchored(
        stored,
        stored.record,
        left if left >= VANISHING else 0.0,
        entry,
        making=making,
        policy=policy,
    )


def pinned(
    stored: StoredRecord, why: Why, making: Making, policy: PolicyDefaults, *, pin: bool
) -> StoredRecord:
    """Its salience as of now, which stays as it is, or fades again from now on."""
    require_standing(stored)
    entry = (AuditAction.REVISE, why.actor, why.after("pinned" if pin else "unpinned"))
    lifecycle = stored.record.lifecycle.model_copy(update={"pinned": pin})
    return _with(stored, lifecycle, entry, making=making, policy=policy)


def with_lifecycle(
    stored: StoredRecord, asked: ChangeLifecycle, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """Another profile, under which its salience as of now fades on; another deletion policy.

    Raises InvalidArgument where nothing is asked for, or the curve cannot be used.
    """
    lifecycle = stored.record.lifecycle
    profile = changed_profile(lifecycle.decay, asked.decay, policy)
    after = lifecycle.model_copy(
        update={
            "decay": profile,
            "deletion_policy": asked.deletion_policy or lifecycle.deletion_policy,
        }
    )
    if not asked.decay.model_fields_set and asked.deletion_policy is None:
        raise InvalidArgument("nothing is to be changed: give decay, deletion_policy or both")
    entry = (AuditAction.REVISE, why.actor, why.after(f"lifecycle {_difference(lifecycle, after)}"))
    return _with(stored, after, entry, making=making, policy=policy)


def restored(
    stored: StoredRecord,
    why: Why,
    making: Making,
    policy: PolicyDefaults,
    *,
    by_default: bool = False,
) -> StoredRecord:
    """Alive again with the salience of a new record, and a lifecycle with which it stays so.

    A retracted record stays retracted, and is kept as long as if it were retracted now.
    """
    lifecycle, deed = lasting(stored, "restored", making, policy, by_default=by_default)
    entry = (AuditAction.REVISE, why.actor, why.after(deed))
    record = stored.record.model_copy(update={"lifecycle": lifecycle})
    salience = policy.initial_salience
    if is_retracted(record.payload):
        salience = 0.0
        state = state_of(record.payload).model_copy(update={"since": making.timestamp})
        record = record.model_copy(update={"payload": with_state(record.payload, state)})
    alive = anchored(stored, record, salience, entry, making=making, policy=policy)
    return replace(alive, tombstone=None)


def lasting(
    stored: StoredRecord,
    deed: str,
    making: Making,
    policy: PolicyDefaults,
    *,
    by_default: bool = False,
) -> tuple[Lifecycle, str]:
    """The lifecycle of a record that is back, without a max age that has passed; the deed told.

    With it the record would have no salience, and the next sweep would take it. `by_default` it
    then fades as its type does.
    """
    before = stored.record.lifecycle
    age_s = epoch_seconds(making.now) - stored.anchor.born_s
    if not before.decay.max_age_seconds or age_s < before.decay.max_age_seconds:
        return before, deed
    decay = before.decay.model_copy(update={"max_age_seconds": 0})
    if by_default:
        decay = default_profile(stored.type, policy)
    after = before.model_copy(update={"decay": decay})
    return after, f"{deed}, {_difference(before, after)}"


def _salience(stored: StoredRecord, making: Making, policy: PolicyDefaults) -> float:
    """As of now."""
    now_s = epoch_seconds(making.now)
    return salience_at(now_s, stored.anchor, stored.record.lifecycle, policy.custom_curves)


def _with(
    stored: StoredRecord,
    lifecycle: Lifecycle,
    entry: tuple[AuditAction, str, str],
    *,
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    """The next version, with that lifecycle; its anchor stays where it fades as it did."""
    record = stored.record.model_copy(update={"lifecycle": lifecycle})
    if decay_class(lifecycle) != decay_class(stored.record.lifecycle):
        held = _salience(stored, making, policy)
        return anchored(stored, record, held, entry, making=making, policy=policy)
    action, actor, rationale = entry
    return stored.changed(
        with_entry(record, action, actor=actor, rationale=rationale, making=making)
    )


def anchored(
    stored: StoredRecord,
    record: MemoryRecord,
    salience: float,
    entry: tuple[AuditAction, str, str],
    *,
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    """The next version: the record as it is now to be, with that salience from now on.

    The entry is action, actor and rationale.
    """
    now_s = epoch_seconds(making.now)
    anchor = Anchor(salience, max(now_s, stored.anchor.at_s), stored.anchor.born_s)
    after = salience_at(now_s, anchor, record.lifecycle, policy.custom_curves)
    action, actor, rationale = entry
    record = with_entry(
        record.model_copy(update={"salience": salience}),
        action,
        actor=actor,
        rationale=rationale,
        making=making,
        saliences=(_salience(stored, making, policy), after),
    )
    return replace(stored.changed(record), anchor=anchor)


def _difference(before: Lifecycle, after: Lifecycle) -> str:
    """What is another, with both values: `half_life_seconds 3600 -> 7200`."""
    fields = [
        (name, getattr(before.decay, name), getattr(after.decay, name))
        for name in DecayProfile.model_fields
    ]
    fields.append(("deletion_policy", before.deletion_policy, after.deletion_policy))
    changes = [f"{name} {old} -> {new}" for name, old, new in fields if old != new]
    return ", ".join(changes) or "confirmed"
