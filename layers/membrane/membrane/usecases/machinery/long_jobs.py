"""Long jobs that go on step by step, their progress kept between steps."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from membrane.domain.language.errors import Aborted
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.catalogue import Kept
from membrane.usecases.ports.records import LostRace

IsOutOfTime = Callable[[], bool]


class OutOfTime(Exception):
    """A run ended before an item's turn came; nothing of the item was done."""


def never() -> bool:
    return False


class Progress(Protocol):
    @property
    def is_done(self) -> bool: ...
    def as_json(self) -> JsonObject: ...


Job = TypeVar("Job", bound=Progress)

Keep = Callable[[JsonObject, Kept | None], Kept]
"""Keeps progress in place of what was read; raises LostRace where another one has kept some."""


def go_on(
    progress: Job,
    kept: Kept | None,
    step: Callable[[Job], Job],
    keep: Keep,
    is_out_of_time: IsOutOfTime,
) -> Job:
    """After as many steps as time allows, each kept before the next; raises what `keep` does."""
    while not progress.is_done and not is_out_of_time():
        progress = step(progress)
        kept = keep(progress.as_json(), kept)
    return progress


def unrivalled(keep: Keep, others: str) -> Keep:
    """As `keep`, with Aborted and the words `others` instead of LostRace."""

    def kept(progress: JsonObject, before: Kept | None) -> Kept:
        try:
            return keep(progress, before)
        except LostRace as error:
            raise Aborted(others) from error

    return kept
