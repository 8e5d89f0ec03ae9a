"""Turns at one fact: a writer that lost a race waits in line behind those that lost before."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import TypeVar

from membrane.usecases.machinery.retries import MAX_TRIES, TRANSIENT, until_won
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services, longest_pause
from membrane.usecases.ports.ticket_queues import TicketQueue

PATIENCE = 6
"""Looks at a line that stands still, with growing pauses, before the writers in front are passed.

Before one place in line the pauses add up to 1.9 s on average, before 16 places to 3.8 s. The
head's version keeps a race with a slow writer harmless.
"""

LONGEST_STEP = 6
"""The longest pause is 2 ** 6 first pauses of `back_off`."""

MAX_WAIT = 800
"""First pauses of `back_off` (up to 20 ms) that a writer waits for its turn.

That is 8 s on average, 16 s at most. An attempt without a turn is mostly lost, and holds up the
writer whose turn it is.
"""

MAX_PAUSED = 1_300
"""First pauses that a writer pauses at most, in line and between attempts: 26 s of 29 s."""

Result = TypeVar("Result")


def win_in_queue(attempt: Callable[[], Result], key: bytes, services: Services) -> Result:
    """The result of the first attempt that wins its race; raises Aborted after 16 at most.

    The first attempt is made at once, so that a fact with one writer costs nothing more. The others
    wait for the writer's turn at the head `key`, or for MAX_WAIT.
    """
    with suppress(LostRace):
        return attempt()
    with _queued_at(key, services) as waited:
        return until_won(attempt, services, _tries_after(waited))


def _tries_after(waited: int) -> int:
    """Attempts whose pauses fit into MAX_PAUSED, where each pause is the longest; 15 at most."""
    pauses = map(longest_pause, range(MAX_TRIES - 2))
    return 1 + bisect_right(list(accumulate(pauses)), MAX_PAUSED - waited)


@contextmanager
def _queued_at(key: bytes, services: Services) -> Iterator[int]:
    """Wait for the turn, and give the first pauses waited; writers behind wait within the block.

    The line only saves attempts, so a store that refuses to keep one lets the writer try at once.
    """
    ticket = waited = 0
    with suppress(*TRANSIENT):
        line = services.ticket_queues.take_ticket(key)
        ticket = line.given
        waited = _wait(line, key, services)
    try:
        yield waited
    finally:
        if ticket:
            with suppress(*TRANSIENT):
                services.ticket_queues.serve(key, ticket)


def _wait(line: TicketQueue, key: bytes, services: Services) -> int:
    """Wait until every ticket before this one was served or passed, or for MAX_WAIT.

    Returns the pauses, each counted at its longest. Ends early where the store does not answer.
    """
    ticket, still, waited = line.given, 0, 0
    with suppress(*TRANSIENT):
        while (
            waited < MAX_WAIT and line.given >= ticket and (ahead := ticket - 1 - line.served) > 0
        ):
            if still == PATIENCE:
                services.ticket_queues.serve(key, ticket - 1)
                break
            step = min(ahead.bit_length() + 1 + still, LONGEST_STEP)
            services.back_off(step)
            waited += longest_pause(step)
            before, line = line, services.ticket_queues.load(key)
            still = still + 1 if line.served == before.served else 0
    return waited
