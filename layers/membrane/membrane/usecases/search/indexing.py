"""Put the vectors of changed records and topics: load, render, embed, put.

A change is only a hint: the source is loaded again, so changes may arrive in any order, late and
more than once. Every put is conditional on the version of the loaded source. The write that ends a
source deletes the vector; a vector left behind ends by TTL. The vector of a superseded record ends
here, behind the put of the newest successor's vector.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.pruning import vector_due_of
from membrane.domain.records.standing import index_version, is_found, may_have_outlived_vector
from membrane.domain.records.stored import AnyRecord
from membrane.domain.search.entries import pack_dense
from membrane.domain.search.searchable import Searchable, entry_of, searchable
from membrane.usecases.machinery import calls
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.search.vector_index import VectorIndex
    from membrane.usecases.ports.search import Embedder

Result = TypeVar("Result")

INDEX = "Index"

PORTION = 10
"""Texts to embed together: few, so that their vectors are put while the next texts are embedded."""

OUTLIVES_S = 3_600
"""Seconds from the due instant of a record to the TTL of the vector; the sweep runs earlier."""


@dataclass(frozen=True, slots=True)
class ChangedSource:
    """A changed record or topic."""

    record_id: str
    scopes: tuple[str, ...]
    """The known scopes, present and former."""


@dataclass(frozen=True, slots=True)
class StreamChanges:
    """The changes in a batch of the table's stream, or in messages of the retry queue."""

    records: Sequence[ChangedSource] = ()
    """Records that need a new vector."""
    topics: Sequence[ChangedSource] = ()
    created: Sequence[ChangedSource] = ()
    """New records; a record from an archive is not new."""
    ended: Sequence[ChangedSource] = ()
    """Changed steps of threads; the thread has ended if the step has an outcome."""


class FailedSource(NamedTuple):
    """A change that cannot be indexed, and the reason."""

    changed: ChangedSource
    error: Exception


def merge_changes(changed: Iterable[ChangedSource]) -> list[ChangedSource]:
    """One change a record, with the scopes of all changes of the record."""
    scopes: dict[str, dict[str, None]] = {}
    for each in changed:
        scopes.setdefault(each.record_id, {}).update(dict.fromkeys(each.scopes))
    return [ChangedSource(record_id, tuple(found)) for record_id, found in scopes.items()]


@dataclass(slots=True)
class IndexTally:
    written: int = 0
    passed_over: int = 0
    """Sources that no search may find, and sources with a later version in the index."""
    failed: list[FailedSource] = field(default_factory=list)


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


LoadSources = Callable[[Sequence[str]], Mapping[str, Source]]
"""Loads the sources of the ids, with the newest successors of outlived sources; no missing ids."""


def index_records(
    changed: Iterable[ChangedSource], world: World, is_out_of_time: calls.IsOutOfTime = calls.never
) -> IndexTally:
    """Put the vectors of changed records; see `index_all`."""

    def load(record_ids: Sequence[str]) -> Mapping[str, Source]:
        return _sources(world.records.load_own(record_ids), world)

    return index_all(changed, load, world.vectors, world, is_out_of_time)


def index_all(
    changed: Iterable[ChangedSource],
    load: LoadSources,
    vectors: "VectorIndex",
    world: World,
    is_out_of_time: calls.IsOutOfTime,
) -> IndexTally:
    """Put the vectors of changed records or topics; report every change that fails alone.

    Raises ResourceExhausted and Unavailable; the caller repeats the batch.
    """
    by_id = {each.record_id: each for each in merge_changes(changed)}
    now_s = epoch_seconds(world.now())
    batch = _Batch(vectors, world.embedders, now_s, is_out_of_time, by_id)
    batch.index(load)
    for failed in batch.tally.failed:
        world.report(INDEX, FAULT, failed.error)
    return batch.tally


def _sources(several: Mapping[str, AnyRecord], world: World) -> dict[str, Source]:
    now_s = epoch_seconds(world.now())
    sources = {each: _source(held, world) for each, held in several.items()}
    outlived = [each for each, held in several.items() if may_have_outlived_vector(held, now_s)]
    known = with_successors(outlived, world.records.load_own, several)
    for each in outlived:
        newest = newest_known(several[each], known)
        successor = None if newest is None else _source(newest, world)
        if successor is None or successor.is_over(now_s):
            sources[each] = replace(sources[each], is_outlived=True)
        else:
            sources |= {
                each: replace(sources[each], is_outlived=True, successor_id=successor.id),
                successor.id: successor,
            }
    return sources


def _source(held: AnyRecord, world: World) -> Source:
    policy = world.policy
    render, due_s = None, None
    if is_found(held):
        render = partial(searchable, held.record)
        due_s = vector_due_of(held, policy.custom_curves, policy.prune_threshold)
    version = index_version(held.born_s, held.version)
    return Source(held.id, held.scope, held.type, held.sensitivity, version, render, due_s)


class _WithoutSuccessor(Exception):
    """The batch has not put the vector of the successor, which may have ended meanwhile."""


_Rendered = tuple[Source, Searchable]
_Embedded = tuple[Source, Searchable, Sequence[Sequence[float]]]
"""A rendered source, and the vectors of the text by embedder."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Indexes changed records or topics together."""

    vectors: "VectorIndex"
    embedders: "Sequence[Embedder]"
    """The present embedder and, during a change, the former embedder."""
    now_s: float
    is_out_of_time: calls.IsOutOfTime
    """Whether to stop rendering and embedding; called by the embedding thread too."""
    changed: dict[str, ChangedSource]
    tally: IndexTally = field(default_factory=IndexTally)
    put_ids: set[str] = field(default_factory=set)

    def index(self, load: LoadSources) -> None:
        """Put vectors while the next portion is embedded; raises TRANSIENT errors."""
        sources = self._load(load)
        rendered = self._render_all(sources)
        size = portion_size(self.embedders)
        portions = [rendered[begin : begin + size] for begin in range(0, len(rendered), size)]
        with closing(calls.one_ahead(self._embed_portion, [*enumerate(portions)])) as several:
            for embedded in several:
                self._put_all(embedded)
        self._end_outlived([each for each in sources if each.is_outlived])

    def _load(self, load: LoadSources) -> Sequence[Source]:
        """The sources with successors, which join `changed`; damaged sources fail alone."""
        ids = list(self.changed)
        sources, damaged = calls.load_undamaged(ids, load)
        for each in damaged:
            self._fail(each, damaged[each])
        for source in sources.values():
            self.changed.setdefault(source.id, ChangedSource(source.id, (source.scope,)))
        self.tally.passed_over += len(self.changed) - len(damaged)
        return [*sources.values()]

    def _render_all(self, sources: Iterable[Source]) -> list[_Rendered]:

        def render(source: Source, searchable_form: Callable[[], Searchable]) -> _Rendered:
            if self.is_out_of_time():
                raise calls.OutOfTime
            return source, searchable_form()

        wanted = [
            (source.id, partial(render, source, source.render))
            for source in sources
            if source.render is not None and not source.is_over(self.now_s)
        ]
        self.tally.passed_over -= len(wanted)
        return self._run_alone(wanted)

    def _embed_portion(self, numbered: tuple[int, Sequence[_Rendered]]) -> list[_Embedded]:
        """Embed the texts of a portion together; if the embedder refuses a text, one by one.

        Out of time, every portion except the first fails: each invocation makes some progress.
        """
        number, portion = numbered
        if number and self.is_out_of_time():
            for source, _ in portion:
                self._fail(source.id, calls.OutOfTime())
            return []
        try:
            return self._embed(portion)
        except calls.TRANSIENT:
            raise
        except Exception:  # noqa: BLE001 - the refused text raises again below
            alone = self._run_alone((each[0].id, partial(self._embed, [each])) for each in portion)
            return [each for embedded in alone for each in embedded]

    def _embed(self, portion: Sequence[_Rendered]) -> list[_Embedded]:
        texts = [found.text for _, found in portion]
        vectors = zip(*(each.embed(texts) for each in self.embedders), strict=True)
        return [(*each, of_text) for each, of_text in zip(portion, vectors, strict=True)]

    def _put_all(self, embedded: Sequence[_Embedded]) -> None:
        """Put vectors side by side; a raised error comes after the results of all puts."""
        results = calls.side_by_side(self._try_put, embedded)
        for (source, *_), result in zip(embedded, results, strict=True):
            if isinstance(result, Exception):
                self._fail(source.id, result)
            elif result:
                self.put_ids.add(source.id)
                self.tally.written += 1
            else:
                self.tally.passed_over += 1

    def _try_put(self, embedded: _Embedded) -> bool | Exception:
        """The result or the error of a put; raised at once, an error would hide other results."""
        source, found, (dense, *others) = embedded
        former = pack_dense(others[0]) if others else None
        try:
            entry = entry_of(source, found, dense)
            return self.vectors.put_entry(entry, source.version, source.expires_at_s, former)
        except Exception as error:  # noqa: BLE001 - the caller raises or notes it
            return error

    def _end_outlived(self, outlived: Sequence[Source]) -> None:
        """End the vectors of outlived sources; without the successor's vector, the source fails."""
        over = [
            each
            for each in outlived
            if each.successor_id is None or each.successor_id in self.put_ids
        ]
        calls.side_by_side(lambda each: self.vectors.end_entry(each.id, each.version), over)
        for each in outlived:
            if each not in over:
                self._fail(each.id, _WithoutSuccessor())

    def _run_alone(self, every: Iterable[tuple[str, Callable[[], Result]]]) -> list[Result]:
        """The results of the calls that succeed; a failure concerns one source alone."""
        results = []
        for source_id, call in every:
            try:
                results.append(call())
            except Exception as error:  # noqa: BLE001 - noted, or raised again
                self._fail(source_id, error)
        return results

    def _fail(self, source_id: str, error: Exception) -> None:
        """Note a permanent failure; raise a transient one."""
        if isinstance(error, calls.TRANSIENT):
            raise error
        self.tally.failed.append(FailedSource(self.changed[source_id], error))


def portion_size(embedders: "Sequence[Embedder]") -> int:
    """The texts to embed together: the most that an embedder takes at once, or PORTION."""
    return max(each.concurrency or PORTION for each in embedders)
