"""Going through every record and topic, so that each gets a vector of the present embedder.

The job sets the flag `stale` on each item and writes nothing else: the table's stream tells the
index function of each. Then the job looks through the vectors until the present embedder has made
all of them. It goes step by step, and a step may be ended anywhere: progress is kept page by page,
and whatever is done again changes nothing.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from membrane.domain.language.errors import Aborted
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.catalogue import Checkpoint, Page
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_search import ReadingServices

OTHERS = "another re-index goes on at the same time"


class Stage(StrEnum):
    MARKING = "marking"
    CHECKING = "checking"
    """It looks through the vectors for those that another embedder made."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a re-index has done so far; JSON has the same names."""

    embedder: str
    started_at: str
    stage: Stage = Stage.MARKING
    after: str | None = None
    """Behind which page it goes on."""
    marked: int = 0
    lacking: int = 0
    """Vectors of another embedder that were met in the present look through them, or the last."""
    done_at: str | None = None

    @property
    def is_done(self) -> bool:
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Reindexed":
        return cls(**{**kept, "stage": Stage(kept["stage"])})


def reindex(
    services: ReadingServices, is_out_of_time: IsOutOfTime, *, again: bool = False
) -> Reindexed:
    """Go on until all is done or time is up, from where a step was ended.

    A step ends early where vectors of another embedder are left at the end of a look: the index
    function is still at them. Begins anew where an earlier re-index has come to its end, where
    another embedder is used now, and where it is to be done `again`.
    Raises Aborted where another re-index goes on at the same time; ResourceExhausted, Unavailable.
    """
    kept = services.catalogue.progress()
    progress = None if kept is None else Reindexed.of_json(kept.progress)
    name = services.embedders[0].name
    if progress is None or again or progress.is_done or progress.embedder != name:
        progress = Reindexed(name, rfc3339(services.now()))
        kept = _keep(progress, kept, services)
    is_waiting = False
    while not (progress.is_done or is_waiting or is_out_of_time()):
        progress = _next(progress, services)
        kept = _keep(progress, kept, services)
        # At the end of a look, vectors of another embedder are left.
        is_waiting = progress.after is None and progress.lacking > 0
    return progress


def _keep(progress: Reindexed, before: Checkpoint | None, services: ReadingServices) -> Checkpoint:
    try:
        return services.catalogue.keep_progress(progress.as_json(), before)
    except LostRace as error:
        raise Aborted(OTHERS) from error


def _next(progress: Reindexed, services: ReadingServices) -> Reindexed:
    """After one page more."""
    page = services.catalogue.page(progress.after)
    if progress.stage is Stage.MARKING:
        return _marked(page, progress, services)
    lacking = page.lacking + (0 if progress.after is None else progress.lacking)
    if page.next is not None or lacking:
        return replace(progress, after=page.next, lacking=lacking)
    done_at = rfc3339(services.now())
    return replace(progress, stage=Stage.DONE, after=None, lacking=0, done_at=done_at)


def _marked(page: Page, progress: Reindexed, services: ReadingServices) -> Reindexed:
    mark = partial(services.catalogue.make_stale, since=progress.started_at)
    marked = progress.marked + sum(side_by_side(mark, page.own_keys))
    stage = Stage.MARKING if page.next is not None else Stage.CHECKING
    return replace(progress, stage=stage, after=page.next, marked=marked)
