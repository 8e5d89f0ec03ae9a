"""Search over a table, entries to put there, and records with their entries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.vector_index import Filtering, VectorIndex
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.domain.language.json_text import digest
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, order_of, pack_dense, pack_terms, terms_of
from membrane.domain.search.questions import question_of
from membrane.table.dynamo import commit
from membrane.table.index import ScopeRegistry, marker
from membrane.table.keys import RECORDS, SearchSpace, vector_key
from membrane.usecases.ports.search import Embedder, Search
from membrane.usecases.search.indexing import ChangedSource, IndexTally, index_records
from membrane.wiring.world import World
from tests.builders.stored_records import NOW_S
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import MORNING, HashingEmbedder, SetAsides
from tests.worlds.memory import CURSOR_KEY
from tests.worlds.stores import Item, Store

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


SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
"""Who removes an item by TTL, as a record of the stream names it."""


def indexing(store: Store, *, embedder: Embedder = EMBEDDER, shards: int = 1) -> World:
    """World that put and search vectors beside the store's records."""
    client, table = store.client, store.table
    encoding = Encoding(embedder.dimensions, embedder.name)
    registry = ScopeRegistry(client, table)
    place, filtering = (client, table, [encoding]), Filtering(Metrics())
    vectors = VectorIndex(*place, shards, registry, filtering, store.clock)
    return store.services.but(
        embedder=embedder,
        embedders=(embedder,),
        set_aside=SetAsides(),
        cursor_key=lambda: CURSOR_KEY,
        score_floor=0.0,
        vectors=vectors,
        search=vectors,
        catalogue=DynamoCatalogue(client, table, encoding, store.clock),
    )


def told(*record_ids: str) -> list[ChangedSource]:
    """What the stream tells of these records."""
    return [ChangedSource(each, ()) for each in record_ids]


def index(services: World, *record_ids: str) -> IndexTally:
    """Put the vectors of these records, as the index function does."""
    return index_records(told(*record_ids), services)


def flag(store: Store, record_id: str) -> str | None:
    """The flag `stale` of the record's last write."""
    stale = store.own_item(record_id).get("stale")
    return None if stale is None else str(stale["S"])


def has_vector(services: World, record_id: str) -> bool:
    """Whether a vector of the record exists."""
    return bool(services.search.at([record_id], services.embedder.dimensions))


def vector_of(table: Store, record_id: str) -> Item | None:
    """What stands in the place of the record's vector."""
    key = vector_key(record_id)
    found = table.inspector.get_item(TableName=table.table, Key=key, ConsistentRead=True)
    return found.get("Item")


def expired(store: Store) -> Sequence[ChangedSource]:
    """Let TTL remove the vectors and markers whose time is over: what the stream tells of it."""
    now_s = epoch_seconds(store.clock())
    items = [
        item
        for item in store.everything()
        if item["sk"]["S"] == "vector" and "expires_at" in item
        if int(item["expires_at"]["N"]) <= now_s
    ]
    for item in items:
        key = {name: item[name] for name in ("pk", "sk")}
        store.inspector.delete_item(TableName=store.table, Key=key)
    return changes_in([_removal(item) for item in items]).records


def _removal(item: Item) -> dict[str, object]:
    keys = {name: item[name] for name in ("pk", "sk")}
    return {
        "eventName": "REMOVE",
        "userIdentity": SERVICE,
        "dynamodb": {"Keys": keys, "OldImage": item},
    }
