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
"""Looks at a line that stands still, with growing pauses, before the writer in front is passed.

For one place in line the pauses add up to 2.5 s on average. A writer in front that needs longer
was killed, or is passed and races the next one, which the head's version keeps harmless.
"""

MAX_LOOKS = 100
"""Looks before a writer tries without its turn."""

Result = TypeVar("Result")


def won_in_turn(attempt: Callable[[], Result], key: bytes, services: Services) -> Result:
    """The result of the first attempt that wins its race; raises Aborted after 16 attempts.

    The first attempt is made at once, so that a fact with one writer costs nothing more. The
    others are made when the writer's turn at the head `key` has come.
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
    """Return when every ticket before this one was served, or passed."""
    still = 0
    for _ in range(MAX_LOOKS):
        ahead = ticket - 1 - line.served
        if ahead <= 0 or line.given < ticket:
            return
        if still == PATIENCE:
            services.lines.serve(key, line.served + 1)
            still = 0
        services.back_off(ahead.bit_length() + 1 + still)
        before, line = line, services.lines.look(key)
        still = still + 1 if line.served == before.served else 0
