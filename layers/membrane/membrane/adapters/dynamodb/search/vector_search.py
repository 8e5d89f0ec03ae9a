"""Search by the table's own vector index: what it examines does not pass through this service.

It filters by equality alone, so each scope, shard, level of sensitivity and, where not all are
asked for, type is a search of its own (design 8). What it finds is then looked at as the exact
search looks at everything, so that both agree.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.search.corpora import best_of
from membrane.adapters.dynamodb.search.entry_reading import (
    entries_at,
    entries_in,
    registered_scopes,
    require_embedder,
)
from membrane.adapters.dynamodb.search.scope_states import ScopeStates
from membrane.adapters.dynamodb.search.thread_index import ThreadIndex
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, Value, read_text, text
from membrane.adapters.dynamodb.table.failures import translated, waiting_for_index
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.vectors import SKETCH_DIMENSIONS, hybrid_question
from membrane.usecases.ports.search import MAX_FOUND, Found, Search
from membrane.usecases.ports.services import MAX_WORKERS

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

MAX_NEAREST = 100
"""What one search gives at most (AWS, `SearchVectors`)."""

_ALL = frozenset(MemoryType)

Condition = dict[str, Value]
"""The attributes that a search asks for, and their values."""


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """The SearchIndex over one table, whose scopes have so many shards."""

    client: "DynamoDBClient"
    table: str
    states: ScopeStates
    shards: int
    dimensions: int
    """Of the embedder's vectors."""

    def scopes(self) -> Sequence[str]:
        """One Query."""
        return registered_scopes(self.states, MAX_SCOPES + 1)

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """One BatchGetItem, and one more for snapshots not seen yet."""
        return self.states.frequencies(scopes, ceiling)

    def search(self, search: Search) -> Found:
        """One BatchGetItem, and a SearchVectors for each part of the scopes that have entries."""
        states = self.states.states(search.scopes)
        require_embedder(self.states.embedder_name, states.values())
        searched = [scope for scope, state in states.items() if state.version]
        vector = hybrid_question(search.question, search.dense, search.frequencies)
        if not any(vector):
            return Found((), 0)
        parts = self._parts(searched, search.ceiling, search.types)
        with ThreadPoolExecutor(MAX_WORKERS) as pool:
            replies = list(pool.map(partial(self._nearest, _written(vector)), parts))
        examined = sum(reply["ConsumedCapacity"]["VectorSearchRequestBytes"] for reply in replies)
        found = chain.from_iterable(reply["SearchResults"] for reply in replies)
        return Found(self._likeliest(found, search), int(examined))

    def at(self, places: Sequence[tuple[str, str]]) -> Sequence[Entry]:
        """One BatchGetItem for 100 places."""
        return entries_at(places, self.states, self.shards)

    def beside(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Two Queries for an entry that has a thread, and a BatchGetItem."""
        found = ThreadIndex(self.client, self.table).beside(entries)
        return entries_in(found, self.states.embedder_name)

    def _parts(
        self, scopes: Sequence[str], ceiling: Sensitivity, asked: frozenset[MemoryType]
    ) -> Iterator[Condition]:
        """What is searched one by one."""
        levels = [level for level in Sensitivity if level.level <= ceiling.level]
        types = [{}] if asked >= _ALL else [{"type": text(each)} for each in sorted(asked)]
        for scope, shard, level, kind in product(scopes, range(self.shards), levels, types):
            partition = text(table_keys.entry_partition(scope, shard, self.states.space))
            yield {"pk": partition, "sensitivity": text(level), **kind}

    def _likeliest(self, found: Iterable[Any], search: Search) -> list[Entry]:
        """Those of them that the exact search would find, in its order.

        The index may lag behind: an entry that has moved meanwhile can be found in two places.
        """
        nearest = sorted(found, key=lambda each: (each["Score"], each["Item"]["sk"]["S"]))
        items = {_key(each["Item"]): each["Item"] for each in reversed(nearest[:MAX_FOUND])}
        entries = entries_in(items.values(), self.states.embedder_name)
        corpus = Corpus.of([entry for entry in entries if entry.scope in search.scopes])
        return best_of([corpus], search)

    def _nearest(self, vector: Sequence[Value], condition: Condition) -> Any:
        size = self.dimensions + SKETCH_DIMENSIONS
        with translated(), waiting_for_index():
            return self.client.search_vectors(
                TableName=self.table,
                IndexName=f"vectors_{size}",
                SearchVector=vector,
                TopK=MAX_NEAREST,
                SearchConditionExpression=" AND ".join(f"#{name} = :{name}" for name in condition),
                ExpressionAttributeNames={f"#{name}": name for name in condition},
                ExpressionAttributeValues={f":{name}": condition[name] for name in condition},
                ReturnConsumedCapacity="INDEXES",
            )


def _written(vector: Sequence[float]) -> Sequence[Value]:
    return [{"N": f"{component:.6f}"} for component in vector]


def _key(item: Item) -> tuple[str, str]:
    return read_text(item, "pk"), read_text(item, "sk")
