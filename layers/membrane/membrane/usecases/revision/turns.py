"""The line of writers that lost the race for one fact."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import TypeVar

from membrane.table.writes import LostRace
from membrane.usecases.machinery.calls import MAX_TRIES, TRANSIENT, longest_pause, until_won
from membrane.usecases.ports.records import TicketQueue
from membrane.usecases.ports.world import World

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
