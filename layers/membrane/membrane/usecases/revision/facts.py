"""Observe facts that may contradict known facts: read, decide, write, one writer after another."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import accumulate
from types import MappingProxyType
from typing import TypeVar

from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision import conflicts
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.table.items import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery import calls
from membrane.usecases.ports import records
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import SPENT, create, earlier, result_of
from membrane.usecases.revision.heads import (
    HeadView,
    inline_value,
    key_of,
    load_again,
    load_shown,
    view_head,
    with_rivals,
)

NO_HEADS: Mapping[bytes, records.Head] = MappingProxyType({})

PATIENCE = 6
"""Reads of a queue without progress, with growing pauses, before a writer passes the others.

Behind 1 ticket the pauses add up to 1.9 s on average, behind 16 tickets to 3.8 s. Passing a slow
writer is harmless: the version of the head decides the race.
"""

LONGEST_STEP = 6
"""The exponent of the longest pause: 2 ** 6 first pauses of `back_off`."""

MAX_WAIT = 800
"""The longest wait for a turn, in first pauses of `back_off` (up to 20 ms).

8 s on average, 16 s at most. An attempt out of turn is usually lost, and delays the writer whose
turn has come.
"""

MAX_PAUSED = 1_300
"""The most first pauses in the queue and between attempts: 26 s of the timeout of 29 s."""

Won = TypeVar("Won")

Plan = tuple[conflicts.Decision, Sequence[records.Head]]
"""What to write for an observed fact, with the heads, all in one transaction."""


def plan_whole(seen: conflicts.Observation, call: calls.Call, world: World) -> Plan:
    """The plan for the fact as the store is now, after crowds of rivals were thinned out.

    Raises LostRace if a record changed meanwhile, or when the plan is written if the head or a
    record has changed since: plan again. Raises FailedPrecondition for too many active facts.
    """
    while (plan := plan_observation(seen, call, world))[0].crowds:
        _thin_out(plan[0].crowds, seen, call, world)
    return plan


def plan_observation(
    seen: conflicts.Observation,
    call: calls.Call,
    world: World,
    values: Mapping[LargeValue, bytes] = records.NO_VALUES,
    heads: Mapping[bytes, records.Head] = NO_HEADS,
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
    decided = conflicts.decide(
        seen,
        [each for each in rivals if each.id not in equal_ids or seen.is_evidence_for(each)],
        equal_ids,
        _making_of(seen, call, world),
        lambda known: load_shown(known, world),
        has_room=all(each.is_whole for each in views),
    )
    _require_returnable(decided.changed)
    if decided.created is None:  # or crowds are to be thinned out, without heads to write
        return decided, [each.head for each in views if each.head.holders != each.before.holders]
    own, *others = views
    replaced = [after.id for _, after in decided.changed if is_retracted(after.record.payload)]
    return decided, [own.claimed_by(decided.created, replaced), *(each.head for each in others)]


def _thin_out(
    crowds: Sequence[Sequence[StoredRecord]],
    seen: conflicts.Observation,
    call: calls.Call,
    world: World,
) -> None:
    """Let the newest record of each crowd replace the rest, in as many writes as necessary.

    Each write takes the oldest records and leaves a single survivor, so no record replaces more
    records than a write may hold. The heads drop replaced facts later.
    """
    for crowd in crowds:
        left = crowd
        while len(left) > 1:
            several, left = left[: MAX_SOURCES + 1], left[MAX_SOURCES + 1 :]
            changed = conflicts.thinned_versions(seen, several, _making_of(seen, call, world))
            _require_returnable(changed)
            world.records.replace_all(changed)
            if left:
                left = [load_again(changed[0][1], world), *left]


def _making_of(seen: conflicts.Observation, call: calls.Call, world: World) -> conflicts.MakingOf:
    return lambda stored: call.making(stored.id, _instant_of(seen, stored), world)


def _require_returnable(changed: Sequence[records.Change]) -> None:
    for before, after in changed:
        require_still_returnable(before.record, after.record)


def _equal_ids(
    seen: conflicts.Observation,
    rivals: Sequence[StoredRecord],
    values: Mapping[LargeValue, bytes],
    world: World,
) -> frozenset[str]:
    """The ids of the rivals with the observed object."""
    if not rivals:
        return frozenset()
    observed = [
        inline_value(conflicts.fact_of(each).object, world, values) for each in seen.wordings
    ]
    known = {each.id: inline_value(conflicts.fact_of(each.record).object, world) for each in rivals}
    return frozenset(
        each
        for each, said in known.items()
        if any(conflicts.is_same(value, said) for value in observed)
    )


def _instant_of(seen: conflicts.Observation, stored: StoredRecord) -> datetime:
    """The instant of the observation, or of the last change of the record if later."""
    return max(seen.making.now, datetime.fromisoformat(stored.record.updated_at))


def receipts_of(
    decided: conflicts.Decision, seen: conflicts.Observation, call: calls.Call
) -> Mapping[str, records.Receipt]:
    """The receipt of the key if a known fact, of another id, is reinforced."""
    if decided.created is not None or call.key is None:
        return records.NO_RECEIPTS
    return {decided.changed[0][0].id: records.Receipt(seen.record.id, call.fingerprint)}


def observe(
    seen: conflicts.Observation,
    call: calls.Call,
    world: World,
    *,
    targets: Sequence[StoredRecord] = (),
    claimed: records.Claimed = records.NOTHING_CLAIMED,
    linked_to: Callable[[str], records.Change] | None = None,
) -> calls.Result:
    """Create the fact or reinforce a known fact, and change the rivals, as `decide` returns.

    One transaction writes everything, with the head of the facts, and the change of a further
    record that `linked_to` makes of the id of the fact, for every attempt. `targets` are the
    targets of the relations of the fact. If more rivals must be replaced than a transaction may
    change, rivals first replace each other. The upload of a known fact stays unclaimed. Raises
    FailedPrecondition for too many active facts; AlreadyExists; TooLarge; Aborted; the errors of
    `require_claimable`.
    """
    tried = calls.Attempts()

    def written_by_this_call() -> calls.Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = tried.find_written(world)
        return None if held is None else _result_of(held, world.now(), seen, world)

    def attempt() -> calls.Result:
        if (done := written_by_this_call()) is not None:
            return done
        decided, heads = plan_observation(seen, call, world, claimed.values)
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
            gained = {
                each.target_id for each in after.record.relations[len(known.record.relations) :]
            }
            world.records.replace_all(
                changed,
                targets=[each for each in targets if each.id in gained],
                heads=heads,
                receipts=receipts_of(decided, seen, call),
            )
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


def _result_of(
    held: AnyRecord, now: datetime, seen: conflicts.Observation, world: World
) -> calls.Result:
    result = result_of(held, now, world)
    if isinstance(result, calls.Written) and held.id != seen.record.id:
        return result._replace(reinforced=True)
    return result


def win_in_queue(attempt: Callable[[], Won], key: bytes, world: World) -> Won:
    """The result of the first attempt that wins the race; raises Aborted after 16 at most.

    The first attempt starts at once, so a fact with a single writer costs no ticket. Later attempts
    wait for the turn of the writer at the head `key`, or for MAX_WAIT.
    """
    with suppress(LostRace):
        return attempt()
    with _queued_at(key, world) as waited:
        return calls.until_won(attempt, world, _tries_after(waited))


def _tries_after(waited: int) -> int:
    """The attempts whose pauses fit into MAX_PAUSED at full length; 15 at most."""
    pauses = map(calls.longest_pause, range(calls.MAX_TRIES - 2))
    return 1 + bisect_right(list(accumulate(pauses)), MAX_PAUSED - waited)


@contextmanager
def _queued_at(key: bytes, world: World) -> Iterator[int]:
    """Wait for the turn and yield the first pauses waited; later writers wait during the block.

    The queue only saves attempts, so if the store refuses a ticket, the writer tries at once.
    """
    ticket = waited = 0
    with suppress(*calls.TRANSIENT):
        queue = world.ticket_queues.take_ticket(key)
        ticket = queue.given
        waited = _wait(queue, key, world)
    try:
        yield waited
    finally:
        if ticket:
            with suppress(*calls.TRANSIENT):
                world.ticket_queues.serve(key, ticket)


def _wait(queue: records.TicketQueue, key: bytes, world: World) -> int:
    """Wait until every earlier ticket is served or passed, or for MAX_WAIT.

    Returns the pauses, each counted at full length. Ends early if the store does not answer.
    """
    ticket, still, waited = queue.given, 0, 0
    with suppress(*calls.TRANSIENT):
        while (
            waited < MAX_WAIT and queue.given >= ticket and (ahead := ticket - 1 - queue.served) > 0
        ):
            if still == PATIENCE:
                world.ticket_queues.serve(key, ticket - 1)
                break
            step = min(ahead.bit_length() + 1 + still, LONGEST_STEP)
            world.back_off(step)
            waited += calls.longest_pause(step)
            before, queue = queue, world.ticket_queues.load(key)
            still = still + 1 if queue.served == before.served else 0
    return waited
