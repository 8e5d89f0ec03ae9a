"""Search over a table, and entries to put there."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from membrane.adapters.dynamodb.search.vector_index import Filtering, VectorIndex
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.domain.language.json_text import digest
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, order_of, pack_dense, pack_terms, terms_of
from membrane.domain.search.questions import question_of
from membrane.table.dynamo import commit
from membrane.table.index import ScopeRegistry, marker
from membrane.table.keys import RECORDS, SearchSpace
from membrane.usecases.ports.search import Search
from tests.builders.stored_records import NOW_S
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import MORNING, HashingEmbedder
from tests.worlds.stores import Store

EMBEDDER = HashingEmbedder(384)
"""Of the dimension that the template's table has a vector index for."""

ALL_TYPES = frozenset(MemoryType)


@dataclass(frozen=True, slots=True)
class Library:
    """The vectors of one space, and their endings."""

    index: VectorIndex
    end: Callable[[str, int], None]
    """Does what a write does that ends the vector of that id, in that version."""
    versions: "count[int]"

    def hold(self, *entries: Entry) -> None:
        """Write entries, as the index function does."""
        for each in entries:
            assert self.index.put_entry(each, next(self.versions), None)

    def drop(self, entry: Entry) -> None:
        """Take an entry away."""
        self.end(entry.record_id, next(self.versions))

    def at(self, *source_ids: str) -> Sequence[Entry]:
        """The entries of these ids."""
        return self.index.at(source_ids, EMBEDDER.dimensions)

    def search(
        self,
        text: str,
        scopes: Sequence[str] = ("team",),
        ceiling: Sensitivity = Sensitivity.HYPER,
        types: Iterable[MemoryType] = ALL_TYPES,
    ) -> Search:
        """The search for what a text asks."""
        return search_for(text, scopes, ceiling, types)

    def found(
        self,
        text: str,
        scopes: Sequence[str] = ("team",),
        ceiling: Sensitivity = Sensitivity.HYPER,
        types: Iterable[MemoryType] = ALL_TYPES,
    ) -> list[str]:
        """The ids of what is found, the nearest first."""
        found = self.index.search(self.search(text, scopes, ceiling, types))
        return [each.record_id for each in found.entries]


def search_for(
    text: str,
    scopes: Sequence[str],
    ceiling: Sensitivity = Sensitivity.HYPER,
    types: Iterable[MemoryType] = ALL_TYPES,
) -> Search:
    """The search for what a text asks."""
    (dense,) = EMBEDDER.embed([text])
    return Search(question_of(text, MORNING), dense, scopes, ceiling, frozenset(types))


def table_library(
    store: Store,
    embedder: str = EMBEDDER.name,
    shards: int = 1,
    space: SearchSpace = RECORDS,
    *,
    by_in: bool = False,
) -> Library:
    """Search by the table's vector index."""
    encodings = [Encoding(EMBEDDER.dimensions, embedder)]
    registry = ScopeRegistry(store.client, store.table, space)
    filtering = Filtering(Metrics(), by_in=by_in)
    index = VectorIndex(
        store.client, store.table, encodings, shards, registry, filtering, store.clock
    )

    def end(source_id: str, version: int) -> None:
        commit(store.inspector, store.table, [marker(source_id, version, store.clock(), space)])

    return Library(index, end, count(1))


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
