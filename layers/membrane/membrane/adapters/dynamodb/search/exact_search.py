"""Search that looks at every entry of the scopes, kept in memory; the reference of the other one.

Good to MAX_EXACT entries a scope, and for any store: it needs no vector index.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.search.corpora import Corpora, ScopeCorpus, best_of
from membrane.adapters.dynamodb.search.entry_items import ATTRIBUTES
from membrane.adapters.dynamodb.search.entry_reading import (
    entries_at,
    entries_in,
    registered_scopes,
    require_embedder,
)
from membrane.adapters.dynamodb.search.scope_states import ScopeState, ScopeStates
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, text
from membrane.adapters.dynamodb.table.batches import projection
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.usecases.ports.search import Found, Search
from membrane.usecases.ports.services import MAX_WORKERS

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

MAX_EXACT = 100_000
"""Entries of a scope that are searched; more take too long to load."""


@dataclass(frozen=True, slots=True)
class ExactSearch:
    """The SearchIndex over one table, whose scopes have so many shards."""

    client: "DynamoDBClient"
    table: str
    states: ScopeStates
    shards: int
    corpora: Corpora = field(default_factory=Corpora)

    def scopes(self) -> Sequence[str]:
        """One Query."""
        return registered_scopes(self.states, MAX_SCOPES + 1)

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """One BatchGetItem, and one more for snapshots not seen yet."""
        return self.states.frequencies(scopes, ceiling)

    def search(self, search: Search) -> Found:
        """One BatchGetItem; a Query a megabyte and shard for each scope that has moved."""
        states = self.states.states(search.scopes)
        require_embedder(self.states.embedder_name, states.values())
        searched = [scope for scope, state in states.items() if state.version]
        loaded = self._loaded({scope: states[scope] for scope in searched})
        return Found(best_of((each.corpus for each in loaded), search))

    def at(self, places: Sequence[tuple[str, str]]) -> Sequence[Entry]:
        """One BatchGetItem for 100 places."""
        return entries_at(places, self.states, self.shards)

    def beside(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """No request where the scopes were searched before."""
        known = {(each.scope, each.record_id) for each in entries}
        scopes = {each.scope for each in entries if each.thread}
        loaded = {scope: self._newest(scope) for scope in scopes}
        found = {
            (near.scope, near.record_id): near
            for entry in entries
            if entry.thread
            for near in loaded[entry.scope].beside(entry)
        }
        return [near for place, near in found.items() if place not in known]

    def _newest(self, scope: str) -> ScopeCorpus:
        found = self.corpora.newest(scope)
        if found is None:
            return self._corpus(scope, self.states.states([scope])[scope])
        return found

    def _loaded(self, states: Mapping[str, ScopeState]) -> Iterator[ScopeCorpus]:
        """The corpora of these scopes."""
        with ThreadPoolExecutor(min(max(1, len(states)), MAX_WORKERS)) as pool:
            yield from pool.map(self._corpus, states.keys(), states.values())

    def _corpus(self, scope: str, state: ScopeState) -> ScopeCorpus:
        _require_room(state.documents)
        return self.corpora.at(scope, state.version, partial(self._entries, scope))

    def _entries(self, scope: str) -> list[Entry]:
        with ThreadPoolExecutor(min(self.shards, MAX_WORKERS)) as pool:
            shards = pool.map(partial(self._entries_of_shard, scope), range(self.shards))
            return [entry for entries in shards for entry in entries]

    def _entries_of_shard(self, scope: str, shard: int) -> list[Entry]:
        """Strongly consistent: what a version tells of must be there, since it is kept for it."""
        partition = table_keys.entry_partition(scope, shard, self.states.space)
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :entries",
            "FilterExpression": "attribute_not_exists(removed)",
            "ExpressionAttributeValues": {":entries": text(partition)},
            **projection(ATTRIBUTES),  # type: ignore[typeddict-item]  # of two fields that it has
        }
        return entries_in(_within_room(items_of(self.client, request)), self.states.embedder_name)


def _within_room(items: Iterable[Item]) -> Iterator[Item]:
    for number, item in enumerate(items, 1):
        _require_room(number)
        yield item


def _require_room(entries: int) -> None:
    if entries > MAX_EXACT:
        raise FailedPrecondition(
            f"a scope has more than the {MAX_EXACT:,} entries that can be searched without the "
            "vector index: deploy with VectorIndex=true and run `membrane reindex`"
        )
