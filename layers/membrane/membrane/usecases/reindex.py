"""Going through every record, so that the search index is what it should be: step by step.

A step may be ended anywhere: progress is kept page by page, and whatever is done again changes
nothing. What happens to records meanwhile, the table's stream tells as ever.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from membrane.domain.json_text import JsonObject
from membrane.domain.timestamps import rfc3339
from membrane.usecases.index_records import index_or_set_aside
from membrane.usecases.indexing import Changed, Failed
from membrane.usecases.ports.catalogue import EntryPlace, Page
from membrane.usecases.ports.reading import ReadingServices
from membrane.usecases.ports.search import Layout
from membrane.usecases.ports.services import MAX_WORKERS
from membrane.usecases.stepping import IsOutOfTime, go_on, unrivalled

Removal = tuple[str, Callable[[], bool]]
"""In which scope, and what removes an entry there; whether it did."""

OTHERS = "another re-index goes on at the same time"


class Stage(StrEnum):
    """How far a re-index is."""

    RECORDS = "records"
    """It goes through records and entries."""
    SCOPES = "scopes"
    """All entries are right; it counts those of each scope and tells its readers."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a re-index has done so far; JSON has the same names."""

    embedder: str
    vector: bool
    shards: int
    started_at: str
    stage: Stage = Stage.RECORDS
    after: str | None = None
    """Behind which page it goes on, or which scope."""
    scope: str | None = None
    """The one whose entries are being counted."""
    counted: int = 0
    """Of that scope, so far."""
    counted_to: str | None = None
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0
    scopes: int = 0
    done_at: str | None = None

    @classmethod
    def begun(cls, layout: Layout, now: str) -> "Reindexed":
        """When nothing is done yet."""
        return cls(layout.embedder, layout.vector, layout.shards, now)

    @property
    def layout(self) -> Layout:
        """How it writes entries, from its beginning to its end."""
        return Layout(self.embedder, self.vector, self.shards)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.stage is Stage.DONE

    def as_json(self) -> JsonObject:
        """As it is kept and shown."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Reindexed":
        """The inverse of `as_json`."""
        return cls(**{**kept, "stage": Stage(kept["stage"])})

    def behind(self, after: str | None) -> "Reindexed":
        """After one more page of records."""
        stage = Stage.RECORDS if after is not None else Stage.SCOPES
        return replace(self, stage=stage, after=after)


def reindex(
    services: ReadingServices, is_out_of_time: IsOutOfTime, *, again: bool = False
) -> Reindexed:
    """Go on until all is done or time is up, from where an earlier step was ended.

    Begins anew where an earlier one has come to its end, where entries are written otherwise now,
    and where it is to be done `again`.
    Raises Aborted where another re-index goes on at the same time; ResourceExhausted, Unavailable.
    """
    keep = unrivalled(services.catalogue.keep, OTHERS)
    kept = services.catalogue.progress()
    layout = services.entries.layout
    if kept is None or again or not _goes_on(Reindexed.of_json(kept.progress), layout):
        kept = keep(Reindexed.begun(layout, rfc3339(services.now())).as_json(), kept)
    progress = Reindexed.of_json(kept.progress)
    return go_on(progress, kept, lambda now: _next(now, services), keep, is_out_of_time)


def _goes_on(progress: Reindexed, layout: Layout) -> bool:
    return not progress.is_done and progress.layout == layout


def _next(progress: Reindexed, services: ReadingServices) -> Reindexed:
    """After one page more, or one part more of a scope."""
    if progress.stage is Stage.RECORDS:
        return _through(services.catalogue.page(progress.after), progress, services)
    if progress.scope is not None:
        return _counted(progress.scope, progress, services)
    scope = services.catalogue.scope_after(progress.after)
    if scope is None:
        return replace(progress, stage=Stage.DONE, done_at=rfc3339(services.now()))
    return _counted(scope, progress, services)


def _through(page: Page, progress: Reindexed, services: ReadingServices) -> Reindexed:
    """What stands where nobody looks for it goes first, so that it waits for no embedder."""
    displaced = _displaced(page.entries, services)
    places = [*page.records, *((each.record_id, each.scope) for each in page.entries)]
    changed = [Changed(record_id, (scope,)) for record_id, scope in places]
    indexed = index_or_set_aside(changed, services)
    disowned = _disowned(indexed.failed, services)
    return replace(
        progress.behind(page.next),
        indexed=progress.indexed + indexed.written,
        unchanged=progress.unchanged + indexed.unchanged,
        removed=progress.removed + indexed.removed + displaced + disowned,
        failed=progress.failed + len(indexed.failed),
    )


def _displaced(entries: Iterable[EntryPlace], services: ReadingServices) -> int:
    """How many entries stood in a shard that is not theirs: a scope had more, or fewer, once."""
    displace = services.entries.displace
    every = [
        (each.scope, partial(displace, each.scope, each.record_id, each.shard)) for each in entries
    ]
    return _removed(every, services)


def _disowned(failed: Iterable[Failed], services: ReadingServices) -> int:
    """How many entries of another embedder stood for records that cannot be indexed.

    A single one would keep its whole scope from being searched.
    """
    places = {(scope, each.changed.record_id) for each in failed for scope in each.changed.scopes}
    every = [(place[0], partial(services.entries.disown, *place)) for place in sorted(places)]
    return _removed(every, services)


def _removed(removals: Sequence[Removal], services: ReadingServices) -> int:
    """How many of them were made; tells the readers of their scopes."""
    with ThreadPoolExecutor(MAX_WORKERS) as pool:
        made = list(pool.map(lambda removal: removal[1](), removals))
    gone = Counter(scope for (scope, _), is_made in zip(removals, made, strict=True) if is_made)
    for scope, entries in gone.items():
        services.entries.moved(scope, -entries)
    return gone.total()


def _counted(scope: str, progress: Reindexed, services: ReadingServices) -> Reindexed:
    """After some more entries of the scope; behind the last its readers are told."""
    some, counted_to = services.entries.count(scope, progress.counted_to)
    counted = progress.counted + some
    if counted_to is not None:
        return replace(progress, scope=scope, counted=counted, counted_to=counted_to)
    services.entries.settled(scope, counted)
    return replace(
        progress,
        after=scope,
        scope=None,
        counted=0,
        counted_to=None,
        scopes=progress.scopes + 1,
    )
