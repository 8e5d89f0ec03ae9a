"""The codec between search entries and vector items, one item for a record or topic."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import SKETCH_DIMENSIONS, Entry
from membrane.table import items
from membrane.table import keys as table_keys
from membrane.table.keys import SearchSpace

_SHARED = (
    "type",
    "sensitivity",
    "happened_at",
    "terms",
    "thread",
    "thread_place",
    "expires_at",
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A vector index, and the embedder that made the vectors."""

    dimensions: int
    """Dimensions of the embedder's vectors."""
    embedder: str

    @property
    def size(self) -> int:
        """Dimensions of an indexed vector: the embedder's, plus the sketch of words."""
        return self.dimensions + SKETCH_DIMENSIONS

    @property
    def index(self) -> str:
        return f"vectors_{self.size}"

    @property
    def attributes(self) -> Sequence[str]:
        """The attributes to read: all but the vector, since `dense` and `terms` are shorter."""
        own = (self.attribute_name("dense"), self.attribute_name("embedder"))
        return ("pk", "sk", "search_pk", *_SHARED, *own)

    def attribute_name(self, attribute: str) -> str:
        """The name of an attribute that an item has for every index."""
        return f"{attribute}_{self.size}"

    def require_embedder(self, item: items.Item) -> None:
        """Raises WrongEmbedder if a different embedder made the item's vector of the size."""
        made_by = items.read_text(item, self.attribute_name("embedder"))
        if made_by != self.embedder:
            raise WrongEmbedder(
                f"the search index was made with the embedder {made_by}, and the embedder now is "
                f"{self.embedder}: run `membrane reindex`"
            )


def vector_item(
    entry: Entry, version: int, expires_at_s: int | None, shards: int, space: SearchSpace
) -> dict[str, items.Value]:
    shard = table_keys.shard_of(entry.record_id, shards)
    item = {
        **table_keys.vector_key(entry.record_id, space),
        "search_pk": items.text(table_keys.searched_partition(entry.scope, shard, space)),
        "source_version": items.number(version),
        "type": items.text(entry.type),
        "sensitivity": items.text(entry.sensitivity),
        "happened_at": items.number(entry.happened_s),
        "terms": items.binary(entry.terms),
    }
    if entry.thread:
        item |= {"thread": items.text(entry.thread), "thread_place": items.text(entry.order)}
    if expires_at_s is not None:
        item["expires_at"] = items.number(expires_at_s)
    return item


def vector_attributes(
    encoding: Encoding, dense: bytes, vector: Sequence[int]
) -> dict[str, items.Value]:
    """The attributes of an item for one index; without a vector for a text without words."""
    attributes = {
        encoding.attribute_name("dense"): items.binary(dense),
        encoding.attribute_name("embedder"): items.text(encoding.embedder),
    }
    if any(vector):
        attributes[encoding.attribute_name("vector")] = {
            "L": [items.number(each) for each in vector]
        }
    return attributes


def entry_in(item: items.Item, encoding: Encoding, space: SearchSpace) -> Entry:
    """The entry of an item; raises WrongEmbedder, and CorruptItem for a damaged item."""
    encoding.require_embedder(item)
    is_threaded = "thread" in item
    return Entry(
        record_id=table_keys.source_of_vector(item, space),
        scope=table_keys.scope_searched(item, space),
        type=items.read_word(item, "type", MemoryType),
        sensitivity=items.read_word(item, "sensitivity", Sensitivity),
        terms=items.read_binary(item, "terms"),
        dense=items.read_binary(item, encoding.attribute_name("dense")),
        happened_s=items.read_number(item, "happened_at"),
        thread=items.read_text(item, "thread") if is_threaded else "",
        order=items.read_text(item, "thread_place") if is_threaded else "",
    )
