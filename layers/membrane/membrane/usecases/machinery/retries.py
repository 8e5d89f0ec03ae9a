"""Retry writes that lost a race, with a random pause before each retry.

Repeats of a request under an idempotency key are the matter of `usecases.records.creating` and
`usecases.records.changing`.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World

MAX_TRIES = 16
"""Tries of a write, with full jitter between tries."""

FIRST_PAUSE_S = 0.02
"""The limit of the first pause."""

LONGEST_PAUSE = 100
"""The limit of the longest pause, as a multiple of FIRST_PAUSE_S, at which doubling ends."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a busy or silent store: no fault of an item, hence worth a retry."""

Result = TypeVar("Result")


def until_won(attempt: Callable[[], Result], world: World, max_tries: int = MAX_TRIES) -> Result:
    """The result of the first attempt without LostRace; raises Aborted after `max_tries`."""
    for tries in range(max_tries):
        if tries:
            world.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")


def longest_pause(tries: int) -> int:
    """The limit of the pause after a number of tries, as a multiple of FIRST_PAUSE_S.

    `World.back_off(tries)` draws the pause from 0 up to the limit (full jitter).
    """
    return min(1 << tries, LONGEST_PAUSE)
