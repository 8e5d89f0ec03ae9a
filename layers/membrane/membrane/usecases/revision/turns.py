"""Turns at one fact: a writer that lost a race waits in line behind those that lost before."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.usecases.machinery.retries import MAX_TRIES, until_won
from membrane.usecases.ports.lines import Line
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

PATIENCE = 6
"""Looks at a line that stands still, with growing pauses, before the writers in front are passed.

Before one place in line the pauses add up to 1.9 s on average, before 16 places to 3.8 s. A writer
in front that needs longer was killed, or races the writer that passes; the head's version keeps
the race harmless.
"""

LONGEST_STEP = 6
"""The longest pause is 2 ** 6 first pauses of `back_off`."""

MAX_WAIT = 800
"""First pauses of `back_off` that a writer waits at most before an attempt without a turn.

With a first pause of up to 0.02 s: 8 s on average, 16 s at most, of the 29 s that a function has.
Half of it doubles the time that 32 writers need who contest one fact: an attempt without a turn
is mostly lost, and holds up the writer whose turn it is.
"""

Result = TypeVar("Result")


def won_in_turn(attempt: Callable[[], Result], key: bytes, services: Services) -> Result:
    """The result of the first attempt that wins its race; raises Aborted after 16 attempts.

    The first attempt is made at once, so that a fact with one writer costs nothing more. The
    others are made when the writer's turn at the head `key` has come, or has not come for MAX_WAIT.
    """
    with suppress(LostRace):
        return attempt()
    with _turn_at(key, services):
        return until_won(attempt, services, MAX_TRIES - 1)


@contextmanager
def _turn_at(key: bytes, services: Services) -> Iterator[None]:
    """Wait for the turn; within the block the writers behind wait.

    The line only saves attempts, so a store that refuses to keep one lets the writer try at once.
    """
    ticket = 0
    with suppress(ResourceExhausted, Unavailable):
        line = services.lines.join(key)
        ticket = line.given
        _wait(ticket, line, key, services)
    try:
        yield
    finally:
        if ticket:
            with suppress(ResourceExhausted, Unavailable):
                services.lines.serve(key, ticket)


def _wait(ticket: int, line: Line, key: bytes, services: Services) -> None:
    """Return when every ticket before this one was served or passed, or after MAX_WAIT."""
    still = waited = 0
    while waited < MAX_WAIT and line.given >= ticket and (ahead := ticket - 1 - line.served) > 0:
        if still == PATIENCE:
            services.lines.serve(key, ticket - 1)
            return
        step = min(ahead.bit_length() + 1 + still, LONGEST_STEP)
        services.back_off(step)
        waited += 2**step
        before, line = line, services.lines.look(key)
        still = still + 1 if line.served == before.served else 0
