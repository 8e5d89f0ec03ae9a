"""Going through every record, or topic, so that the search index is what it should be.

Step by step, and a step may be ended anywhere: progress is kept page by page, and whatever is done
again changes nothing. What happens to records meanwhile, the table's stream tells as ever.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.machinery.long_jobs import IsOutOfTime, go_on, unrivalled
from membrane.usecases.ports.catalogue import Catalogue, EntryPlace, Kept, Page
from membrane.usecases.ports.search import EntryStore, Layout
from membrane.usecases.ports.services import MAX_WORKERS, Clock
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed, Failed, Indexed
from membrane.usecases.search.indexing.index_records import index_or_set_aside

Removal = tuple[str, Callable[[], bool]]
"""In which scope, and what removes an entry there; whether it did."""

OTHERS = "another re-index goes on at the same time"


class Stage(StrEnum):
    """How far a re-index is."""

    RECORDS = "records"
    """It goes through records, or topics, and entries."""
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
        """After one more page."""
        stage = Stage.RECORDS if after is not None else Stage.SCOPES
        return replace(self, stage=stage, after=after)


@dataclass(frozen=True, slots=True)
class Reindexing:
    """What goes through all that there is of one kind."""

    catalogue: Catalogue
    entries: EntryStore
    index: Callable[[Iterable[Changed]], Indexed]
    """Sets aside what fails by itself."""
    now: Clock

    def reached(self) -> tuple[Reindexed | None, Kept | None]:
        """How far the newest one has come, and as what that is kept."""
        kept = self.catalogue.progress()
        return (None if kept is None else Reindexed.of_json(kept.progress)), kept

    def goes_on(self, progress: Reindexed | None) -> bool:
        """Whether something is left to do, and entries are written now as they were then."""
        return (
            progress is not None and not progress.is_done and progress.layout == self.entries.layout
        )

    def begin(self, started_at: str, before: Kept | None) -> tuple[Reindexed, Kept]:
        """When nothing is done yet; raises Aborted where another one goes on at the same time."""
        progress = Reindexed.begun(self.entries.layout, started_at)
        return progress, self._keep(progress.as_json(), before)

    def go_on(
        self, progress: Reindexed, kept: Kept | None, is_out_of_time: IsOutOfTime
    ) -> Reindexed:
        """Until all is done or time is up; raises what `begin` does."""
        return go_on(progress, kept, self._next, self._keep, is_out_of_time)

    def _keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        return unrivalled(self.catalogue.keep, OTHERS)(progress, before)

    def _next(self, progress: Reindexed) -> Reindexed:
        """After one page more, or one part more of a scope."""
        if progress.stage is Stage.RECORDS:
            return self._through(self.catalogue.page(progress.after), progress)
        if progress.scope is not None:
            return self._counted(progress.scope, progress)
        scope = self.catalogue.scope_after(progress.after)
        if scope is None:
            return replace(progress, stage=Stage.DONE, done_at=rfc3339(self.now()))
        return self._counted(scope, progress)

    def _through(self, page: Page, progress: Reindexed) -> Reindexed:
        """What stands where nobody looks for it goes first, so that it waits for no embedder."""
        displaced = self._displaced(page.entries)
        places = [*page.records, *((each.record_id, each.scope) for each in page.entries)]
        indexed = self.index([Changed(record_id, (scope,)) for record_id, scope in places])
        disowned = self._disowned(indexed.failed)
        return replace(
            progress.behind(page.next),
            indexed=progress.indexed + indexed.written,
            unchanged=progress.unchanged + indexed.unchanged,
            removed=progress.removed + indexed.removed + displaced + disowned,
            failed=progress.failed + len(indexed.failed),
        )

    def _displaced(self, entries: Iterable[EntryPlace]) -> int:
        """How many entries stood in a shard not theirs: a scope had more, or fewer, once."""
        displace = self.entries.displace
        every = [
            (each.scope, partial(displace, each.scope, each.record_id, each.shard))
            for each in entries
        ]
        return self._removed(every)

    def _disowned(self, failed: Iterable[Failed]) -> int:
        """How many entries of another embedder stood for what cannot be indexed.

        A single one would keep its whole scope from being searched.
        """
        places = {
            (scope, each.changed.record_id) for each in failed for scope in each.changed.scopes
        }
        disown = self.entries.disown
        return self._removed([(place[0], partial(disown, *place)) for place in sorted(places)])

    def _removed(self, removals: Sequence[Removal]) -> int:
        """How many of them were made; tells the readers of their scopes."""
        with ThreadPoolExecutor(MAX_WORKERS) as pool:
            made = list(pool.map(lambda removal: removal[1](), removals))
        gone = Counter(scope for (scope, _), is_made in zip(removals, made, strict=True) if is_made)
        for scope, entries in gone.items():
            self.entries.moved(scope, -entries)
        return gone.total()

    def _counted(self, scope: str, progress: Reindexed) -> Reindexed:
        """After some more entries of the scope; behind the last its readers are told."""
        some, counted_to = self.entries.count(scope, progress.counted_to)
        counted = progress.counted + some
        if counted_to is not None:
            return replace(progress, scope=scope, counted=counted, counted_to=counted_to)
        self.entries.settled(scope, counted)
        return replace(
            progress,
            after=scope,
            scope=None,
            counted=0,
            counted_to=None,
            scopes=progress.scopes + 1,
        )


def reindex(
    services: ReadingServices, is_out_of_time: IsOutOfTime, *, again: bool = False
) -> Reindexed:
    """Go on through the records until all is done or time is up, from where a step was ended.

    Begins anew where an earlier one has come to its end, where entries are written otherwise now,
    and where it is to be done `again`.
    Raises Aborted where another re-index goes on at the same time; ResourceExhausted, Unavailable.
    """
    job = through_records(services)
    progress, kept = job.reached()
    if progress is None or again or not job.goes_on(progress):
        progress, kept = job.begin(rfc3339(services.now()), kept)
    return job.go_on(progress, kept, is_out_of_time)


def through_records(services: ReadingServices) -> Reindexing:
    """All records."""
    index = partial(index_or_set_aside, services=services)
    return Reindexing(services.catalogue, services.entries, index, services.now)
