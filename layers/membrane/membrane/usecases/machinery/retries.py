"""What is tried again: a write that lost its race, and whatever met a busy store.

A request that is repeated under its idempotency key is answered by `usecases.records.creating` and
`usecases.records.changing`.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

MAX_TRIES = 16
"""Tries of one write, with full jitter between them."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a store that is busy or does not answer: no item's own fault, so worth a retry."""

Result = TypeVar("Result")


def until_won(
    attempt: Callable[[], Result], services: Services, max_tries: int = MAX_TRIES
) -> Result:
    """The result of the first attempt that wins its race; raises Aborted after so many tries."""
    for tries in range(max_tries):
        if tries:
            services.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")
