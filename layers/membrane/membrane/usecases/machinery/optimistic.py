"""Optimistic writing: read, decide, write, and again when another writer came first."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from membrane.domain.language.errors import Aborted
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

MAX_TRIES = 16
"""Tries of one write, with full jitter between them (design 6)."""

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
