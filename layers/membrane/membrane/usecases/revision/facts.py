"""Observe facts that may contradict known facts: read, decide, write, one writer after another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition, TooLarge
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.revision.conflicts import (
    Decision,
    MakingOf,
    Observation,
    decide,
    fact_of,
    is_same,
    thinned_versions,
)
from membrane.table.writes import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery.calls import Attempts, Call, Result, Written
from membrane.usecases.ports.records import (
    NO_RECEIPTS,
    NO_VALUES,
    NOTHING_CLAIMED,
    Change,
    Claimed,
    Head,
    Receipt,
)
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import SPENT, create, earlier, first_version, result_of
from membrane.usecases.revision.heads import (
    HeadView,
    inline_value,
    key_of,
    load_changeable,
    view_head,
    with_rivals,
)
from membrane.usecases.revision.turns import win_in_queue

NO_HEADS: Mapping[bytes, Head] = MappingProxyType({})

Plan = tuple[Decision, Sequence[Head]]
"""What to write for an observed fact, with the heads, all in one transaction."""


def plan_whole(seen: Observation, call: Call, world: World) -> Plan:
    """The plan for the fact as the store is now, after crowds of rivals were thinned out.

    Raises LostRace if a record changed meanwhile, or when the plan is written if the head or a
    record has changed since: plan again. Raises FailedPrecondition for too many active facts.
    """
    while (plan := plan_observation(seen, call, world))[0].crowds:
        _thin_out(plan[0].crowds, seen, call, world)
    return plan


def plan_observation(
    seen: Observation,
    call: Call,
    world: World,
    values: Mapping[LargeValue, bytes] = NO_VALUES,
    heads: Mapping[bytes, Head] = NO_HEADS,
) -> Plan:
    """The plan as `plan_whole`, or a decision about crowds to thin out.

    `values` are large values that are not stored yet; `heads` were read before, by key.
    """
    by_key = {key_of(each, world, values): each for each in seen.wordings[::-1]}
    views, rivals = list[HeadView](), list[StoredRecord]()
    for key, record in reversed(by_key.items()):
        view = view_head(record, world, values, before=heads.get(key))
        if seen.on_conflict is not ConflictPolicy.KEEP or seen.reinforces_same:
            changes_one = seen.on_conflict in (ConflictPolicy.KEEP, ConflictPolicy.FORK)
            few = 1 if changes_one else MAX_SOURCES
            view, found = with_rivals(view, record, call.principal, world, most_loaded=few)
            rivals += found
        views.append(view)
    if len(views) > 1:
        rivals.sort(key=lambda each: (each.born_s, each.id))
    equal_ids = _equal_ids(seen, rivals, values, world)
    decided = decide(
        seen,
        [each for each in rivals if each.id not in equal_ids or seen.is_evidence_for(each)],
        equal_ids,
        _making_of(seen, call, world),
        lambda several: load_changeable(several, world),
        has_room=all(each.is_whole for each in views),
    )
    _require_returnable(decided.changed)
    if decided.created is None:  # or crowds are to be thinned out, without heads to write
        return decided, [each.head for each in views if each.head.holders != each.before.holders]
    own, *others = views
    replaced = [after.id for _, after in decided.changed if is_retracted(after.record.payload)]
    return decided, [own.claimed_by(decided.created, replaced), *(each.head for each in others)]


def _thin_out(
    crowds: Sequence[Sequence[StoredRecord]], seen: Observation, call: Call, world: World
) -> None:
    """Let the newest record of each crowd replace the rest, in as many writes as necessary.

    Each write takes the oldest records and leaves a single survivor, so no record replaces more
    records than a write may hold. The heads drop replaced facts later.
    """
    for crowd in crowds:
        left = crowd
        while len(left) > 1:
            several = load_changeable(left[: MAX_SOURCES + 1], world)
            changed = thinned_versions(seen, several, _making_of(seen, call, world))
            _require_returnable(changed)
            world.records.replace_all(changed)
            left = [replace(changed[0][1], origin=None), *left[MAX_SOURCES + 1 :]]


def _making_of(seen: Observation, call: Call, world: World) -> MakingOf:
    return lambda stored: call.making(stored.id, _instant_of(seen, stored), world)


def _require_returnable(changed: Sequence[Change]) -> None:
    for before, after in changed:
        require_still_returnable(before.record, after.record)


def _equal_ids(
    seen: Observation,
    rivals: Sequence[StoredRecord],
    values: Mapping[LargeValue, bytes],
    world: World,
) -> frozenset[str]:
    """The ids of the rivals with the observed object."""
    if not rivals:
        return frozenset()
    observed = [inline_value(fact_of(each).object, world, values) for each in seen.wordings]
    known = {each.id: inline_value(fact_of(each.record).object, world) for each in rivals}
    return frozenset(
        each for each, said in known.items() if any(is_same(value, said) for value in observed)
    )


def _instant_of(seen: Observation, stored: StoredRecord) -> datetime:
    """The instant of the observation, or of the last change of the record if later."""
    return max(seen.making.now, datetime.fromisoformat(stored.record.updated_at))


def _receipts(decided: Decision, seen: Observation, call: Call) -> Mapping[str, Receipt]:
    """The receipt of the idempotency key if a known fact is reinforced.

    The id of the known fact is not made from the key.
    """
    if decided.created is not None or call.key is None:
        return NO_RECEIPTS
    return {decided.changed[0][0].id: Receipt(seen.record.id, call.fingerprint)}


def observe(
    seen: Observation,
    call: Call,
    world: World,
    *,
    targets: Sequence[StoredRecord] = (),
    claimed: Claimed = NOTHING_CLAIMED,
    linked_to: Callable[[str], Change] | None = None,
) -> Result:
    """Create the fact or reinforce a known fact, and change the rivals, as `decide` returns.

    One transaction writes everything, with the head of the facts, and the change of a further
    record that `linked_to` makes of the id of the fact, for every attempt. `targets` are the
    targets of the relations of the fact. If more rivals must be replaced than a transaction may
    change, rivals first replace each other. The upload of a known fact stays unclaimed. Raises
    FailedPrecondition for too many active facts; AlreadyExists; TooLarge; Aborted; the errors of
    `require_claimable`.
    """
    tried = Attempts()

    def written_by_this_call() -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = tried.find_written(world)
        return None if held is None else _result_of(held, world.now(), seen, world)

    def attempt() -> Result:
        if (done := written_by_this_call()) is not None:
            return done
        plan = plan_observation(seen, call, world, claimed.values)
        decided, heads = plan
        if decided.crowds:
            if (done := earlier(seen.record.id, call, world)) is not None:
                return done
            _thin_out(decided.crowds, seen, call, world)
            return attempt()
        made = decided.created or decided.changed[0][1].record
        changed = [*decided.changed, *([linked_to(made.id)] if linked_to else ())]
        if decided.created is None:
            known, after = decided.changed[0]
            tried.note(after)
            _reinforce(plan, changed, targets, _receipts(decided, seen, call), world)
            return _result_of(after, _instant_of(seen, known), seen, world)
        tried.note_first(made)
        return create(
            made,
            seen.making.now,
            call,
            world,
            changed=changed,
            targets=targets,
            heads=heads,
            claimed=claimed,
        )

    try:
        return win_in_queue(attempt, key_of(seen.record, world, claimed.values), world)
    except (Aborted, FailedPrecondition, IdTaken, KeyUsed) as error:
        done = written_by_this_call() or earlier(seen.record.id, call, world)
        if done is not None:
            return done
        if isinstance(error, IdTaken | KeyUsed):
            raise AlreadyExists(SPENT) from error
        raise


def _reinforce(
    plan: Plan,
    changed: Sequence[Change],
    targets: Sequence[StoredRecord],
    receipts: Mapping[str, Receipt],
    world: World,
) -> None:
    """Write all changes; raises IdTaken or KeyUsed if the idempotency key was used before."""
    (known, after), heads = plan[0].changed[0], plan[1]
    gained = {each.target_id for each in after.record.relations[len(known.record.relations) :]}
    new = [each for each in targets if each.id in gained]
    world.records.replace_all(changed, targets=new, heads=heads, receipts=receipts)


def _result_of(held: AnyRecord, now: datetime, seen: Observation, world: World) -> Result:
    result = result_of(held, now, world)
    if isinstance(result, Written) and held.id != seen.record.id:
        return result._replace(reinforced=True)
    return result


def observe_together(
    facts: Sequence[tuple[Observation, Call]],
    linked_to: Callable[[Sequence[str]], Change],
    world: World,
) -> Sequence[str | None]:
    """Create each fact or reinforce a known fact; returns the ids.

    One transaction writes all facts, and the change that `linked_to` makes of the ids. None stands
    for a fact left out, which `observe` can write or refuse: a fact under the head of an earlier
    one, a fact that changes several known facts, a fact with large values, and a fact that is
    refused. All are left out if the transaction has no room for a record.
    Requests: one for the heads, one for each fact, up to three more for a fact with known facts of
    the subject and predicate, and the transaction.
    Raises ScopeFenced. Raises LostRace if a record or a head is no longer as read, and if a fact
    was written before; then call `observe` for each fact.
    """
    keys = [key_of(seen.record, world) for seen, _ in facts]
    before = world.records.heads_of(dict.fromkeys(keys)) if keys else NO_HEADS
    created, changed = list[StoredRecord](), list[Change]()
    heads, receipts = list[Head](), dict[str, Receipt]()
    ids, taken = list[str | None](), set[bytes]()
    for key, (seen, call) in zip(keys, facts, strict=True):
        found = None if key in taken else _planned_with_others(seen, call, world, before)
        ids.append(None if found is None else found[0].id)
        if found is None:
            continue
        fact, (decided, moved) = found
        taken.add(key)
        created += [fact] if decided.created else []
        changed += decided.changed
        heads += moved
        receipts |= _receipts(decided, seen, call)
    if not taken:
        return ids
    try:
        changed.append(linked_to([*filter(None, ids)]))
        if created:
            first, *also = created
            world.records.create(first, also=also, changed=changed, heads=heads, receipts=receipts)
        else:
            world.records.replace_all(changed, heads=heads, receipts=receipts)
    except TooLarge:
        return [None] * len(ids)
    except (IdTaken, KeyUsed):
        raise LostRace from None
    return ids


def _planned_with_others(
    seen: Observation, call: Call, world: World, heads: Mapping[bytes, Head]
) -> tuple[StoredRecord, Plan] | None:
    """The fact as written, and the plan; None for a fact to leave out."""
    try:
        plan = plan_observation(seen, call, world, heads=heads)
        decided, _ = plan
        if decided.crowds or len(decided.changed) > 1:
            return None
        if decided.created is None:
            return decided.changed[0][1], plan
        new, values = first_version(decided.created, seen.making.now, call)
    except (FailedPrecondition, TooLarge):
        return None  # `observe` refuses the fact, with the reason
    return None if values else (new, plan)
