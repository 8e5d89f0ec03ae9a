"""Re-index: give every record and topic a vector of the present embedder.

Stage MARKING sets the flag `stale` on every item; the table's stream then brings every item to the
index function. Stage CHECKING scans the vectors until the present embedder has made all of them.
The job stores progress after each page. A step may end anywhere; repeating a page changes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.table.items import Checkpoint, LostRace
from membrane.usecases.machinery.calls import IsOutOfTime, side_by_side, until_won
from membrane.usecases.ports.search import Embedder
from membrane.usecases.ports.world import World


class Page(NamedTuple):
    """One page of a walk over all items."""

    own_keys: Sequence[tuple[str, str]]
    """The primary keys of live records and topics."""
    lacking: int
    """The number of vectors that the present embedder did not make."""
    next: str | None
    """The start of the next page; None after the last page."""


class Stage(StrEnum):
    MARKING = "marking"
    CHECKING = "checking"
    """The job scans the vectors for vectors of a former embedder."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """The progress of a re-index; JSON has the same names."""

    embedder: str
    started_at: str
    stage: Stage = Stage.MARKING
    after: str | None = None
    """The end of the last finished page of the scan."""
    marked: int = 0
    lacking: int = 0
    """Vectors of a former embedder, met in the present scan or else in the last scan."""
    done_at: str | None = None

    @property
    def is_done(self) -> bool:
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "ReindexProgress":
        return cls(**{**kept, "stage": Stage(kept["stage"])})


def reindex(world: World, is_out_of_time: IsOutOfTime, *, again: bool = False) -> ReindexProgress:
    """Continue the re-index from the stored progress, until done or out of time.

    The step ends early if a scan has met vectors of a former embedder: the index function needs
    time to replace them; and if a second step was faster: of two steps at once, which an
    interrupted command leaves behind, one ends with the progress of the other. Starts from the
    beginning after a finished re-index, after a change of the embedder, and with `again`. Raises
    ResourceExhausted and Unavailable.
    """
    progress, kept = until_won(lambda: _begin(world, again=again), world)
    is_waiting = False
    while not (progress.is_done or is_waiting or is_out_of_time()):
        progress = _after_next_page(progress, world)
        try:
            kept = world.catalogue.keep_progress(progress.as_json(), kept)
        except LostRace:
            newest = world.catalogue.progress()
            return progress if newest is None else ReindexProgress.of_json(newest.progress)
        # At the end of a scan, vectors of a former embedder are left.
        is_waiting = progress.after is None and progress.lacking > 0
    return progress


def _begin(world: World, *, again: bool) -> tuple[ReindexProgress, Checkpoint]:
    """The stored progress, or a stored beginning; raises LostRace."""
    kept = world.catalogue.progress()
    name = world.embedders[0].name
    if kept is not None and not again:
        progress = ReindexProgress.of_json(kept.progress)
        if not progress.is_done and progress.embedder == name:
            return progress, kept
    progress = ReindexProgress(name, rfc3339(world.now()))
    return progress, world.catalogue.keep_progress(progress.as_json(), kept)


def _after_next_page(progress: ReindexProgress, world: World) -> ReindexProgress:
    page = world.catalogue.page(progress.after)
    if progress.stage is Stage.MARKING:
        return _mark_page(page, progress, world)
    lacking = page.lacking + (0 if progress.after is None else progress.lacking)
    if page.next is not None or lacking:
        return replace(progress, after=page.next, lacking=lacking)
    done_at = rfc3339(world.now())
    return replace(progress, stage=Stage.DONE, after=None, lacking=0, done_at=done_at)


def _mark_page(page: Page, progress: ReindexProgress, world: World) -> ReindexProgress:
    mark = partial(world.catalogue.make_stale, since=progress.started_at)
    marked = progress.marked + sum(side_by_side(mark, page.own_keys))
    stage = Stage.MARKING if page.next is not None else Stage.CHECKING
    return replace(progress, stage=stage, after=page.next, marked=marked)


@dataclass(frozen=True, slots=True)
class Changeover:
    """An Embedder that uses the former model until the re-index has replaced every vector.

    A search uses the index with the dimensions of the question's vector. A question that was
    embedded just before the end of the re-index is therefore still answered by the former index.
    """

    present: Embedder
    former: Embedder
    progress: Callable[[], Checkpoint | None]
    """The progress of the newest re-index, read for every question until the re-index is done."""
    done: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.current().name

    @property
    def dimensions(self) -> int:
        return self.current().dimensions

    @property
    def concurrency(self) -> int | None:
        return self.current().concurrency

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.current().embed(texts)

    def current(self) -> Embedder:
        """The embedder of questions now; a later call may return the present one instead."""
        if not self.done and self._is_reindexed():
            self.done.append(True)
        return self.present if self.done else self.former

    def _is_reindexed(self) -> bool:
        kept = self.progress()
        if kept is None:
            return False
        reindexed = ReindexProgress.of_json(kept.progress)
        return reindexed.is_done and reindexed.embedder == self.present.name


def embedder_in_use(embedder: Embedder) -> Embedder:
    """An embedder that stays the same for the length of a request."""
    return embedder.current() if isinstance(embedder, Changeover) else embedder
