"""The implementations that the contract of search is run against, and entries to put into them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from membrane.adapters.dynamodb.search.entry_store import DynamoEntries
from membrane.adapters.dynamodb.search.exact_search import ExactSearch
from membrane.adapters.dynamodb.search.scope_states import ScopeStates
from membrane.adapters.dynamodb.search.vector_search import VectorSearch
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.adapters.embedders.lexical import LexicalEmbedder
from membrane.domain.language.digests import digest
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, pack_dense, pack_terms
from membrane.domain.search.fusion import Weights
from membrane.domain.search.questions import question_of
from membrane.domain.search.relevance import relevance, seeds
from membrane.domain.search.terms import terms_of
from membrane.domain.search.threads import order_of
from membrane.usecases.ports.search import EntryStore, Search, SearchIndex, Standing
from tests.builders.stored_records import NOW_S
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.entries import FakeEntries
from tests.fakes.search import FakeSearch
from tests.worlds.stores import EMULATORS, TableStore

EMBEDDER = LexicalEmbedder(256)
"""Of the dimension that the template's table has a vector index for."""

ALL_TYPES = frozenset(MemoryType)


@dataclass(frozen=True, slots=True)
class Library:
    """One implementation of search, and the store of entries that it reads."""

    index: SearchIndex
    entries: EntryStore
    versions: "count[int]"

    def hold(self, *entries: Entry) -> None:
        """Write entries, as the index function does: one move for each of their scopes."""
        for each in entries:
            assert self.entries.put(each, Standing(next(self.versions), b"digest"))
        for scope in {each.scope for each in entries}:
            self.entries.moved(scope, sum(each.scope == scope for each in entries))

    def drop(self, entry: Entry) -> None:
        """Take an entry away."""
        assert self.entries.remove(entry.scope, entry.record_id, next(self.versions))
        self.entries.moved(entry.scope, -1)

    def search(
        self,
        text: str,
        scopes: Sequence[str] = ("team",),
        ceiling: Sensitivity = Sensitivity.HYPER,
        types: Iterable[MemoryType] = ALL_TYPES,
    ) -> Search:
        """The search for what a text asks."""
        (dense,) = EMBEDDER.embed([text])
        frequencies = self.index.frequencies(scopes, ceiling)
        question = question_of(text, MORNING)
        return Search(question, dense, scopes, ceiling, frozenset(types), frequencies)

    def found(
        self,
        text: str,
        scopes: Sequence[str] = ("team",),
        ceiling: Sensitivity = Sensitivity.HYPER,
        types: Iterable[MemoryType] = ALL_TYPES,
    ) -> list[str]:
        """The ids of what is found, the likeliest first."""
        found = self.index.search(self.search(text, scopes, ceiling, types))
        return [each.record_id for each in found.entries]

    def beside(self, *entries: Entry) -> set[str]:
        """The ids of what stands next to these entries."""
        found = [each.record_id for each in self.index.beside(entries)]
        assert len(set(found)) == len(found)
        return set(found)


def fake_library() -> Library:
    """The fakes."""
    entries = FakeEntries(now=FakeClock(), embedder_name=EMBEDDER.name)
    return Library(FakeSearch(entries), entries, count(1))


def exact_library(
    store: TableStore,
    embedder: str = EMBEDDER.name,
    shards: int = 1,
    space: SearchSpace = RECORDS,
) -> Library:
    """Search without a vector index, over a table."""
    index = ExactSearch(store.client, store.table, states(store, embedder, space), shards)
    return Library(index, _entries(store, embedder, shards, space, vector=False), count(1))


def vector_library(
    store: TableStore,
    embedder: str = EMBEDDER.name,
    shards: int = 1,
    space: SearchSpace = RECORDS,
) -> Library:
    """Search by the table's vector index."""
    of_embedder = states(store, embedder, space)
    index = VectorSearch(store.client, store.table, of_embedder, shards, EMBEDDER.dimensions)
    return Library(index, _entries(store, embedder, shards, space, vector=True), count(1))


EXACT = {f"{emulator}, exact": emulator for emulator in EMULATORS}

OVER_TABLES: dict[str, tuple[str, Callable[..., Library]]] = {
    **{name: (emulator, exact_library) for name, emulator in EXACT.items()},
    **{f"{emulator}, vectors": (emulator, vector_library) for emulator in EMULATORS},
}
"""By name the store's fixture, and what makes a library over it."""


def states(
    store: TableStore, embedder: str = EMBEDDER.name, space: SearchSpace = RECORDS
) -> ScopeStates:
    """What is kept of the scopes."""
    return ScopeStates(store.client, store.table, embedder, space=space)


def _entries(
    store: TableStore, embedder: str, shards: int, space: SearchSpace, *, vector: bool
) -> DynamoEntries:
    return DynamoEntries(store.client, store.table, embedder, shards, store.clock, vector, space)


def entry(
    record_id: str,
    text: str,
    *,
    scope: str = "team",
    memory_type: MemoryType = MemoryType.EPISODIC,
    sensitivity: Sensitivity = Sensitivity.LOW,
    thread: str = "",
    position: int = 0,
) -> Entry:
    """An entry for a text, with a default for every other part."""
    (dense,) = EMBEDDER.embed([text])
    return Entry(
        record_id=record_id,
        scope=scope,
        type=memory_type,
        sensitivity=sensitivity,
        terms=pack_terms(terms_of(text)),
        dense=pack_dense(dense),
        happened_s=NOW_S,
        thread=digest(scope, thread).hex()[:32] if thread else "",
        order=order_of(NOW_S, NOW_S, position) if thread else "",
    )


def talk(*texts: str, thread: str = "talk", scope: str = "team") -> list[Entry]:
    """The turns of a conversation, named by the thread and their number."""
    return [
        entry(f"{thread}:{turn}", text, scope=scope, thread=thread, position=turn)
        for turn, text in enumerate(texts)
    ]


def ranked(library: Library, search: Search, limit: int = 10) -> list[str]:
    """The ids of the best, after what retrieval does with what a search has found."""
    found = list(library.index.search(search).entries)
    question, dense, frequencies = search.question, search.dense, search.frequencies
    leading = [found[place] for place in seeds(question, dense, found, frequencies)]
    known = {(each.scope, each.record_id) for each in found}
    beside = [
        each
        for each in library.index.beside(leading)
        if (each.scope, each.record_id) not in known
        and each.sensitivity.level <= search.ceiling.level
        and each.type in search.types
    ]
    parts = relevance(question, dense, found, beside, frequencies)
    weights = Weights()
    scored = zip([*found, *beside], map(weights.score, parts), strict=True)
    best = sorted((-score, each.record_id) for each, score in scored)
    return [record_id for _, record_id in best[:limit]]
