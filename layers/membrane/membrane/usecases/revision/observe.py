"""Observe a fact that may contradict known facts: plan, and write the plan."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple, TypeVar

from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition, TooLarge
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.conflict_changes import lacking_relations
from membrane.domain.revision.conflict_decisions import ThinOut
from membrane.table.writes import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery.calls import (
    MAX_TRIES,
    TRANSIENT,
    Attempts,
    Call,
    Result,
    Written,
    longest_pause,
    until_won,
)
from membrane.usecases.ports.records import Change, Head, Receipt, TicketQueue
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import SPENT, create, earlier, first_version, result_of
from membrane.usecases.revision.heads import key_of
from membrane.usecases.revision.plan_observation import FactPlan, Observation, Planning, instant_of

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


def win_in_queue(attempt: Callable[[], Won], key: bytes, world: World) -> Won:
    """The result of the first attempt that wins the race; raises Aborted after 16 at most.

    The first attempt starts at once, so a fact with a single writer costs no ticket. Later attempts
    wait for the turn of the writer at the head `key`, or for MAX_WAIT.
    """
    with suppress(LostRace):
        return attempt()
    with _queued_at(key, world) as waited:
        return until_won(attempt, world, _tries_after(waited))


def _tries_after(waited: int) -> int:
    """The attempts whose pauses fit into MAX_PAUSED at full length; 15 at most."""
    pauses = map(longest_pause, range(MAX_TRIES - 2))
    return 1 + bisect_right(list(accumulate(pauses)), MAX_PAUSED - waited)


@contextmanager
def _queued_at(key: bytes, world: World) -> Iterator[int]:
    """Wait for the turn and yield the first pauses waited; later writers wait during the block.

    The queue only saves attempts, so if the store refuses a ticket, the writer tries at once.
    """
    ticket = waited = 0
    with suppress(*TRANSIENT):
        queue = world.ticket_queues.take_ticket(key)
        ticket = queue.given
        waited = _wait(queue, key, world)
    try:
        yield waited
    finally:
        if ticket:
            with suppress(*TRANSIENT):
                world.ticket_queues.serve(key, ticket)


def _wait(queue: TicketQueue, key: bytes, world: World) -> int:
    """Wait until every earlier ticket is served or passed, or for MAX_WAIT.

    Returns the pauses, each counted at full length. Ends early if the store does not answer.
    """
    ticket, still, waited = queue.given, 0, 0
    with suppress(*TRANSIENT):
        while (
            waited < MAX_WAIT and queue.given >= ticket and (ahead := ticket - 1 - queue.served) > 0
        ):
            if still == PATIENCE:
                world.ticket_queues.serve(key, ticket - 1)
                break
            step = min(ahead.bit_length() + 1 + still, LONGEST_STEP)
            world.back_off(step)
            waited += longest_pause(step)
            before, queue = queue, world.ticket_queues.load(key)
            still = still + 1 if queue.served == before.served else 0
    return waited


def observe(seen: Observation, call: Call, world: World) -> Result:
    """Create the fact or reinforce a known fact, and change the rivals, as `decide` returns.

    One transaction writes everything, with the head of the facts. If more rivals must be replaced
    than a transaction may change, rivals first replace each other. The upload of a known fact
    stays unclaimed. Raises FailedPrecondition for too many active facts; AlreadyExists; TooLarge;
    Aborted; the errors of `require_claimable`.
    """
    tried = Attempts()

    def written_by_this_call() -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = tried.find_written(world)
        return None if held is None else _result_of(held, world.now(), seen, world)

    def written_before() -> Result | None:
        return written_by_this_call() or earlier(seen.record.id, call, world)

    def attempt() -> Result:
        if (done := written_by_this_call()) is not None:
            return done
        planning = Planning(seen, call, world)
        while isinstance(plan := planning.next_step(), ThinOut):
            if (done := earlier(seen.record.id, call, world)) is not None:
                return done
            planning.thin_out(plan)
        if plan.created is not None:
            tried.note_first(plan.created)
            return _create(plan.created, plan, seen, call, world)
        _, after = plan.changed[0]
        tried.note(after)
        return _reinforce(plan, written_before, seen, world)

    try:
        return win_in_queue(attempt, key_of(seen.record, world, seen.claimed.values), world)
    except (Aborted, FailedPrecondition):
        done = written_before()
        if done is None:
            raise
        return done


def _create(
    record: MemoryRecord, plan: FactPlan, seen: Observation, call: Call, world: World
) -> Result:
    return create(
        record,
        seen.making.now,
        call,
        world,
        changed=[*plan.changed, *_linked_to(record.id, seen)],
        targets=seen.targets,
        heads=plan.heads,
        claimed=seen.claimed,
    )


def _reinforce(
    plan: FactPlan, written_before: Callable[[], Result | None], seen: Observation, world: World
) -> Result:
    known, after = plan.changed[0]
    changed = [*plan.changed, *_linked_to(known.id, seen)]
    gained = {each.target_id for each in lacking_relations(known.record, seen.record)}
    targets = [each for each in seen.targets if each.id in gained]
    heads, receipts = plan.heads, plan.receipts
    try:
        world.records.replace_all(changed, targets=targets, heads=heads, receipts=receipts)
    except (IdTaken, KeyUsed) as error:
        done = written_before()
        if done is None:
            raise AlreadyExists(SPENT) from error
        return done
    return _result_of(after, instant_of(seen, known), seen, world)


def _linked_to(fact_id: str, seen: Observation) -> Sequence[Change]:
    return () if seen.linked_to is None else (seen.linked_to(fact_id),)


def _result_of(held: AnyRecord, now: datetime, seen: Observation, world: World) -> Result:
    result = result_of(held, now, world)
    if isinstance(result, Written) and held.id != seen.record.id:
        return result._replace(reinforced=True)
    return result


class Observed(NamedTuple):
    """A fact to observe, without relations and uploads, and the call that reports the fact."""

    seen: Observation
    call: Call


def observe_together(
    facts: Sequence[Observed], linked_to: Callable[[Sequence[str]], Change], world: World
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
    if not facts:
        return []
    keys = [key_of(each.seen.record, world) for each in facts]
    batch = _Batch(world, world.records.heads_of(dict.fromkeys(keys)))
    ids = [batch.add(key, each) for key, each in zip(keys, facts, strict=True)]
    added = [each for each in ids if each is not None]
    if not added:
        return ids
    try:
        batch.write(linked_to(added))
    except TooLarge:
        return [None] * len(ids)
    return ids


@dataclass(slots=True)
class _Batch:
    """The plans for the facts of a transaction."""

    world: World
    heads: Mapping[bytes, Head]
    keys: set[bytes] = field(default_factory=set)
    """The keys of the heads of the facts: a known fact has one head, so none is changed twice."""
    created: list[StoredRecord] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    changed_heads: list[Head] = field(default_factory=list)
    receipts: dict[str, Receipt] = field(default_factory=dict)

    def add(self, key: bytes, fact: Observed) -> str | None:
        """Add the plan for the fact; the id of the fact, or None for a fact left out."""
        if key in self.keys:
            return None
        try:
            plan = Planning(*fact, self.world, self.heads).next_step()
            if not isinstance(plan, FactPlan) or len(plan.changed) > 1:
                return None
            fact_id = self._add_fact(plan, fact)
        except (FailedPrecondition, TooLarge):
            return None  # `observe` refuses the fact, with the reason
        if fact_id is not None:
            self.keys.add(key)
            self.changed.extend(plan.changed)
            self.changed_heads.extend(plan.heads)
            self.receipts |= plan.receipts
        return fact_id

    def _add_fact(self, plan: FactPlan, fact: Observed) -> str | None:
        if plan.reinforced is not None:
            return plan.reinforced.id
        if plan.created is None:
            return None
        new, values = first_version(plan.created, fact.seen.making.now, fact.call)
        if values:
            return None
        self.created.append(new)
        return new.id

    def write(self, linked: Change) -> None:
        changed = [*self.changed, linked]
        records, heads, receipts = self.world.records, self.changed_heads, self.receipts
        try:
            if self.created:
                first, *also = self.created
                records.create(first, also=also, changed=changed, heads=heads, receipts=receipts)
            else:
                records.replace_all(changed, heads=heads, receipts=receipts)
        except (IdTaken, KeyUsed):
            raise LostRace from None
