"""What becomes of a stored record's salience and lifecycle: each time its next version.

Whatever moves the anchor first brings the salience to now, and its audit entry has the salience
before and after. An anchor is never moved back, whatever a server's clock says.
"""

from dataclasses import replace

from membrane.domain.builder import Making, Why, with_entry
from membrane.domain.errors import InvalidArgument
from membrane.domain.fields import VANISHING
from membrane.domain.policy import PolicyDefaults, changed_profile, default_profile
from membrane.domain.records import DecayProfile, Lifecycle
from membrane.domain.requests.changes import ChangeLifecycle
from membrane.domain.salience import Anchor, decay_class, salience_at
from membrane.domain.stored import StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.domain.vocabulary import AuditAction

MOST_BY_REINFORCEMENT = 1.0


def reinforced(
    stored: StoredRecord, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """Its salience as of now plus its gain, at most 1: a salience above 1 comes down to it."""
    lifecycle = stored.record.lifecycle
    gained = _salience(stored, making, policy) + lifecycle.decay.reinforcement_gain
    return _anchored(
        stored,
        lifecycle.model_copy(update={"last_reinforced_at": making.timestamp}),
        min(MOST_BY_REINFORCEMENT, gained),
        (AuditAction.REINFORCE, why.actor, why.rationale),
        making=making,
        policy=policy,
    )


def penalized(
    stored: StoredRecord, amount: float, why: Why, making: Making, policy: PolicyDefaults
) -> StoredRecord:
    """Its salience as of now less the amount, not below its floor, which never lifts it."""
    held = _salience(stored, making, policy)
    floor = min(held, stored.record.lifecycle.decay.min_salience)
    left = max(floor, held - amount)
    entry = (AuditAction.DECAY, why.actor, f"penalty: {why.rationale}")
    return _anchored(
        stored,
        stored.record.lifecycle,
        left if left >= VANISHING else 0.0,
        entry,
        making=making,
        policy=policy,
    )


def pinned(
    stored: StoredRecord, why: Why, making: Making, policy: PolicyDefaults, *, pin: bool
) -> StoredRecord:
    """Its salience as of now, which stays as it is, or fades again from now on."""
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
    """Alive again with the salience of a new record; a max age that has passed is taken off.

    With it the next sweep would take the record again. `by_default` it fades as its type does.
    """
    before = stored.record.lifecycle
    age_s = epoch_seconds(making.now) - stored.anchor.born_s
    decay = before.decay
    if by_default:
        decay = default_profile(stored.type, policy)
    elif decay.max_age_seconds and age_s >= decay.max_age_seconds:
        decay = decay.model_copy(update={"max_age_seconds": 0})
    lifecycle = before.model_copy(update={"decay": decay})
    deed = "restored" if decay == before.decay else f"restored, {_difference(before, lifecycle)}"
    entry = (AuditAction.REVISE, why.actor, why.after(deed))
    alive = _anchored(
        stored, lifecycle, policy.initial_salience, entry, making=making, policy=policy
    )
    return replace(alive, tombstone=None)


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
    if decay_class(lifecycle) != decay_class(stored.record.lifecycle):
        held = _salience(stored, making, policy)
        return _anchored(stored, lifecycle, held, entry, making=making, policy=policy)
    action, actor, rationale = entry
    record = stored.record.model_copy(update={"lifecycle": lifecycle})
    return stored.changed(
        with_entry(record, action, actor=actor, rationale=rationale, making=making)
    )


def _anchored(
    stored: StoredRecord,
    lifecycle: Lifecycle,
    salience: float,
    entry: tuple[AuditAction, str, str],
    *,
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    """The next version, with that salience from now on; the entry is action, actor, rationale."""
    now_s = epoch_seconds(making.now)
    anchor = Anchor(salience, max(now_s, stored.anchor.at_s), stored.anchor.born_s)
    after = salience_at(now_s, anchor, lifecycle, policy.custom_curves)
    action, actor, rationale = entry
    record = with_entry(
        stored.record.model_copy(update={"lifecycle": lifecycle, "salience": salience}),
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
