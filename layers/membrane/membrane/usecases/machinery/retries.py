"""Retry writes that lost a race, with a random pause before each retry.

Repeats of a request under an idempotency key are the matter of `usecases.records.creating` and
`usecases.records.changing`.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

MAX_TRIES = 16
"""Tries of a write, with full jitter between tries."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a busy or silent store: no fault of an item, hence worth a retry."""

Result = TypeVar("Result")


def until_won(
    attempt: Callable[[], Result], services: Services, max_tries: int = MAX_TRIES
) -> Result:
    """The result of the first attempt without LostRace; raises Aborted after `max_tries`."""
    for tries in range(max_tries):
        if tries:
            services.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")
