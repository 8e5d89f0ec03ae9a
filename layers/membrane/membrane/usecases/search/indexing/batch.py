"""A batch of changed records, or topics, on its way into the search index."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import pack_dense
from membrane.domain.search.searchable import Searchable, entry_of
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.machinery.side_by_side import one_ahead, side_by_side
from membrane.usecases.search.indexing.changes import Changed, Failed, merged

if TYPE_CHECKING:
    from membrane.usecases.ports.search import Embedder, VectorStore

Result = TypeVar("Result")

Vectors = Sequence[Sequence[float]]
"""Of one text, by each embedder."""

OUTLIVES_S = 3_600
"""Seconds for which a vector outlives its record's due instant: the sweep comes by then."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a vector is made from, as it was loaded."""

    id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    version: int
    """Its `index_version`."""
    render: Callable[[], Searchable] | None
    """What of it is searched; None where it is not to be found."""
    due_s: int | None = None
    """When the sweep may take it; None = never."""

    @property
    def expires_at_s(self) -> int | None:
        return None if self.due_s is None else self.due_s + OUTLIVES_S

    def is_over(self, now_s: float) -> bool:
        """Whether the sweep is so late that TTL would remove the vector again and again."""
        return self.expires_at_s is not None and self.expires_at_s <= now_s


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of one kind, and the vectors by which they are found."""

    load: Callable[[str], Source | None]
    load_all: Callable[[Sequence[str]], Mapping[str, Source]]
    """By id what `load` gives of each that is there; far fewer requests than ids."""
    vectors: "VectorStore"
    embedders: "Sequence[Embedder]"
    """The present one and, while it is changed, the former one."""


@dataclass(slots=True)
class Indexed:
    written: int = 0
    passed_over: int = 0
    """What is not to be found, and what a later version was indexed of meanwhile."""
    failed: list[Failed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rendered:
    changed: Changed
    source: Source
    searchable: Searchable


_Embedded = tuple[_Rendered, Vectors]


@dataclass(frozen=True, slots=True)
class Batch:
    """Records, or topics, that are indexed together."""

    collection: Collection
    now_s: float
    is_out_of_time: IsOutOfTime = never
    """Whether to render and embed no more; asked in the thread that embeds, too."""
    indexed: Indexed = field(default_factory=Indexed)

    def index(self, changed: Iterable[Changed]) -> Indexed:
        """Put the vectors of sources while the next texts are embedded; raises TRANSIENT errors."""
        rendered = self._rendered(merged(changed))
        size = max(each.portion for each in self.collection.embedders)
        portions = [rendered[begin : begin + size] for begin in range(0, len(rendered), size)]
        with closing(one_ahead(self._embedded, [*enumerate(portions)])) as several:
            for embedded in several:
                self._put(embedded)
        return self.indexed

    def _rendered(self, changed: Sequence[Changed]) -> list[_Rendered]:
        """Those that there is time for; the others fail alone."""
        collection, by_id = self.collection, {each.record_id: each for each in changed}
        sources, damaged = load_undamaged(list(by_id), collection.load_all, collection.load)
        self.indexed.failed += [Failed(by_id[each], damaged[each]) for each in damaged]
        wanted = [
            (by_id[source.id], partial(self._render, by_id[source.id], source, source.render))
            for source in sources.values()
            if source.render is not None and not source.is_over(self.now_s)
        ]
        self.indexed.passed_over += len(by_id) - len(damaged) - len(wanted)
        return self._alone(wanted)

    def _render(
        self, changed: Changed, source: Source, render: Callable[[], Searchable]
    ) -> _Rendered:
        if self.is_out_of_time():
            raise OutOfTime
        return _Rendered(changed, source, render())

    def _embedded(self, numbered: tuple[int, Sequence[_Rendered]]) -> list[_Embedded]:
        """The texts of a portion, embedded together; if the embedder refuses a text, one by one.

        Every portion but the first one fails if no time is left.
        """
        number, portion = numbered
        if number and self.is_out_of_time():
            for each in portion:
                self._fail(each.changed, OutOfTime())
            return []
        try:
            vectors = self._embed([each.searchable.text for each in portion])
        except TRANSIENT:
            raise
        except Exception:  # noqa: BLE001 - raised again below, for the text that is refused
            every = [(each.changed, partial(self._embed_alone, each)) for each in portion]
            return self._alone(every)
        return list(zip(portion, vectors, strict=True))

    def _put(self, embedded: Sequence[_Embedded]) -> None:
        results = side_by_side(lambda each: _tried(partial(self._put_one, *each)), embedded)
        for (each, _), result in zip(embedded, results, strict=True):
            match result:
                case bool(is_written):
                    self.indexed.written += is_written
                    self.indexed.passed_over += not is_written
                case error:
                    self._fail(each.changed, error)

    def _embed(self, texts: Sequence[str]) -> Sequence[Vectors]:
        return list(zip(*(each.embed(texts) for each in self.collection.embedders), strict=True))

    def _embed_alone(self, rendered: _Rendered) -> _Embedded:
        [vectors] = self._embed([rendered.searchable.text])
        return rendered, vectors

    def _put_one(self, rendered: _Rendered, vectors: Vectors) -> bool:
        source, (dense, *others) = rendered.source, vectors
        entry = entry_of(source, rendered.searchable, dense)
        former = pack_dense(others[0]) if others else None
        return self.collection.vectors.put_entry(entry, source.version, source.expires_at_s, former)

    def _alone(self, every: Iterable[tuple[Changed, Callable[[], Result]]]) -> list[Result]:
        """The result of each; what fails by a fault of its own is noted."""
        found = []
        for changed, ask in every:
            try:
                found.append(ask())
            except Exception as error:  # noqa: BLE001 - noted, or raised again
                self._fail(changed, error)
        return found

    def _fail(self, changed: Changed, error: Exception) -> None:
        """Note the failure; raise it where another try may pass."""
        if isinstance(error, TRANSIENT):
            raise error
        self.indexed.failed.append(Failed(changed, error))


def _tried(put: Callable[[], bool]) -> bool | Exception:
    """Raised at once, a failure would hide what the other puts did."""
    try:
        return put()
    except Exception as error:  # noqa: BLE001 - the caller raises or notes it
        return error
