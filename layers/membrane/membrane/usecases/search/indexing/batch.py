"""Index a batch of changed records or topics: load, render, embed, put."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import pack_dense
from membrane.domain.search.searchable import Searchable, entry_of
from membrane.usecases.machinery.calls import TRANSIENT
from membrane.usecases.machinery.side_by_side import (
    IsOutOfTime,
    OutOfTime,
    load_undamaged,
    never,
    one_ahead,
    side_by_side,
)
from membrane.usecases.search.indexing.changes import ChangedSource, FailedSource, merge_changes

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
    from membrane.usecases.ports.search import Embedder

Result = TypeVar("Result")

Vectors = Sequence[Sequence[float]]
"""The vectors of a text, by embedder."""

PORTION = 10
"""Texts to embed together: few, so that their vectors are put while the next texts are embedded."""

OUTLIVES_S = 3_600
"""Seconds from the due instant of a record to the TTL of the vector; the sweep runs earlier."""


@dataclass(frozen=True, slots=True)
class Source:
    """A loaded record or topic, the source of a vector."""

    id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    version: int
    """The `index_version`."""
    render: Callable[[], Searchable] | None
    """Makes the searchable form; None for a source that no search may find."""
    due_s: int | None = None
    """The instant from which the sweep may prune the source; None = never."""
    is_outlived: bool = False
    """Whether the source was superseded, and the vector stays until the successor's is put."""
    successor_id: str | None = None
    """The newest successor of an outlived source; None without an active successor."""

    @property
    def expires_at_s(self) -> int | None:
        return None if self.due_s is None else self.due_s + OUTLIVES_S

    def is_over(self, now_s: float) -> bool:
        """Whether the TTL of a vector put now has passed already, because the sweep is late."""
        return self.expires_at_s is not None and self.expires_at_s <= now_s


@dataclass(frozen=True, slots=True)
class Collection:
    """The sources of one kind (records or topics), and the store of the vectors."""

    load: Callable[[str], Source | None]
    load_all: Callable[[Sequence[str]], Mapping[str, Source]]
    """Like `load` for many ids with few requests, with the newest successors of outlived sources.

    Missing ids are left out.
    """
    vectors: "DynamoVectors"
    embedders: "Sequence[Embedder]"
    """The present embedder and, during a change, the former embedder."""


@dataclass(slots=True)
class IndexTally:
    written: int = 0
    passed_over: int = 0
    """Sources that no search may find, and sources with a later version in the index."""
    failed: list[FailedSource] = field(default_factory=list)


class _WithoutSuccessor(Exception):
    """The batch has not put the vector of the successor, which may have ended meanwhile."""


@dataclass(frozen=True, slots=True)
class _RenderedSource:
    changed: ChangedSource
    source: Source
    searchable: Searchable


_Embedded = tuple[_RenderedSource, Vectors]


@dataclass(frozen=True, slots=True)
class Batch:
    """Indexes changed records or topics together."""

    collection: Collection
    now_s: float
    is_out_of_time: IsOutOfTime = never
    """Whether to stop rendering and embedding; called by the embedding thread too."""
    indexed: IndexTally = field(default_factory=IndexTally)
    put_ids: set[str] = field(default_factory=set)

    def index(self, changed: Iterable[ChangedSource]) -> IndexTally:
        """Put vectors while the next portion is embedded; raises TRANSIENT errors."""
        by_id = {each.record_id: each for each in merge_changes(changed)}
        sources = self._load_all(by_id)
        rendered = self._render_all(by_id, sources.values())
        size = portion_size(self.collection.embedders)
        portions = [rendered[begin : begin + size] for begin in range(0, len(rendered), size)]
        with closing(one_ahead(self._embed_portion, [*enumerate(portions)])) as several:
            for embedded in several:
                self._put(embedded)
        self._end_outlived(by_id, sources.values())
        return self.indexed

    def _load_all(self, changed: dict[str, ChangedSource]) -> Mapping[str, Source]:
        """The sources, by id, with successors, which join `changed`; damaged sources fail alone."""
        collection = self.collection
        sources, damaged = load_undamaged(list(changed), collection.load_all, collection.load)
        self.indexed.failed += [FailedSource(changed[each], damaged[each]) for each in damaged]
        for each in sources.values():
            changed.setdefault(each.id, ChangedSource(each.id, (each.scope,)))
        self.indexed.passed_over += len(changed) - len(damaged)
        return sources

    def _render_all(
        self, changed: Mapping[str, ChangedSource], sources: Iterable[Source]
    ) -> list[_RenderedSource]:
        """The rendered sources; sources out of time fail alone."""
        wanted = [
            (changed[source.id], partial(self._render, changed[source.id], source, source.render))
            for source in sources
            if source.render is not None and not source.is_over(self.now_s)
        ]
        self.indexed.passed_over -= len(wanted)
        return self._run_alone(wanted)

    def _render(
        self, changed: ChangedSource, source: Source, render: Callable[[], Searchable]
    ) -> _RenderedSource:
        if self.is_out_of_time():
            raise OutOfTime
        return _RenderedSource(changed, source, render())

    def _embed_portion(self, numbered: tuple[int, Sequence[_RenderedSource]]) -> list[_Embedded]:
        """Embed the texts of a portion together; if the embedder refuses a text, one by one.

        Out of time, every portion except the first fails: each invocation makes some progress.
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
        except Exception:  # noqa: BLE001 - the refused text raises again below
            every = [(each.changed, partial(self._embed_alone, each)) for each in portion]
            return self._run_alone(every)
        return list(zip(portion, vectors, strict=True))

    def _put(self, embedded: Sequence[_Embedded]) -> None:
        results = side_by_side(lambda each: _try_put(partial(self._put_one, *each)), embedded)
        for (each, _), result in zip(embedded, results, strict=True):
            match result:
                case bool(is_written):
                    if is_written:
                        self.put_ids.add(each.source.id)
                    self.indexed.written += is_written
                    self.indexed.passed_over += not is_written
                case error:
                    self._fail(each.changed, error)

    def _end_outlived(
        self, changed: Mapping[str, ChangedSource], sources: Iterable[Source]
    ) -> None:
        """End the vectors of outlived sources; without the successor's vector, the source fails."""
        outlived = [each for each in sources if each.is_outlived]
        over = [each for each in outlived if self._is_over(each)]
        vectors = self.collection.vectors
        side_by_side(lambda each: vectors.end_entry(each.id, each.version), over)
        for each in outlived:
            if each not in over:
                self._fail(changed[each.id], _WithoutSuccessor())

    def _is_over(self, outlived: Source) -> bool:
        return outlived.successor_id is None or outlived.successor_id in self.put_ids

    def _embed(self, texts: Sequence[str]) -> Sequence[Vectors]:
        return list(zip(*(each.embed(texts) for each in self.collection.embedders), strict=True))

    def _embed_alone(self, rendered: _RenderedSource) -> _Embedded:
        [vectors] = self._embed([rendered.searchable.text])
        return rendered, vectors

    def _put_one(self, rendered: _RenderedSource, vectors: Vectors) -> bool:
        source, (dense, *others) = rendered.source, vectors
        entry = entry_of(source, rendered.searchable, dense)
        former = pack_dense(others[0]) if others else None
        return self.collection.vectors.put_entry(entry, source.version, source.expires_at_s, former)

    def _run_alone(
        self, every: Iterable[tuple[ChangedSource, Callable[[], Result]]]
    ) -> list[Result]:
        """The results of the calls that succeed; a failure concerns one change alone."""
        results = []
        for changed, call in every:
            try:
                results.append(call())
            except Exception as error:  # noqa: BLE001 - noted, or raised again
                self._fail(changed, error)
        return results

    def _fail(self, changed: ChangedSource, error: Exception) -> None:
        """Note a permanent failure; raise a transient one."""
        if isinstance(error, TRANSIENT):
            raise error
        self.indexed.failed.append(FailedSource(changed, error))


def portion_size(embedders: "Sequence[Embedder]") -> int:
    """The texts to embed together: as many as the embedder embeds at once, else PORTION.

    During a change of the embedder, the larger of both numbers.
    """
    return max(each.concurrency or PORTION for each in embedders)


def _try_put(put: Callable[[], bool]) -> bool | Exception:
    """The result or the error of a put; raised at once, an error would hide concurrent results."""
    try:
        return put()
    except Exception as error:  # noqa: BLE001 - the caller raises or notes it
        return error
