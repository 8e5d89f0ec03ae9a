"""Records and their vectors over each implementation of the store: flags, markers, and TTL."""

from collections.abc import Sequence

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.vector_index import Filtering, VectorIndex
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.index import ScopeRegistry
from membrane.table.keys import vector_key
from membrane.usecases.ports.search import Embedder
from membrane.usecases.search.indexing import ChangedSource, IndexTally, index_records
from membrane.wiring.world import World
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import SetAsides
from tests.worlds.memory import CURSOR_KEY
from tests.worlds.search_indexes import EMBEDDER
from tests.worlds.stores import Item, Store

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
