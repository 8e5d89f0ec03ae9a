"""The keys of the table and its indexes. In each, the one free text, the scope, comes last.

So no scope can be taken for another, whatever characters it is made of.
"""

import zlib
from typing import NamedTuple

from membrane.adapters.dynamodb.table.attributes import Item, Value, read_text, text
from membrane.domain.language.digests import digest
from membrane.domain.language.vocabulary import MemoryType

RECORD = "record"
"""Sort key of a record's own item. Audit, edges and history sort before it: read with it."""

BLOBS = "blobs/"
UPLOADS = "uploads/"
AUDIT = "audit#"
EDGE = "edge#"
AFTER_EDGES = EDGE + "~"
"""Sorts behind every edge, and before history."""

HISTORY = "history#"
API_KEYS = "keys"
"""The partition of all API keys."""

UPLOAD = "upload#"
"""What the partitions of uploads begin with."""

CLASSES = "classes"
SETTINGS = "settings"
"""The partition of what is kept of settings."""

VECTOR = "vector"
"""Sort key of the item with the vector of a record or topic, the only item of its partition."""

RANKED = "rank#"
"""What the partitions of records in the rank index begin with."""

_UNSCOPED = "-"


class SearchSpace(NamedTuple):
    """Partitions of what is searched together: no search finds anything of another space."""

    sources: str
    """What the partitions of the records, or topics, begin with, ..."""
    own: str
    """... and the sort key of a record's, or topic's, own item."""
    vectors: str
    """What the partitions of the vectors begin with."""
    searched: str
    """What the partitions of the vector index begin with."""
    scopes: str
    """The partition of the registry of scopes that have, or had, vectors."""


RECORDS = SearchSpace("record#", RECORD, "vector#", "record#", "scopes")
TOPICS = SearchSpace("topic#", "topic", "topic-vector#", "topic#", "topic-scopes")


def primary_key(partition: str, place: str) -> dict[str, Value]:
    return {"pk": text(partition), "sk": text(place)}


def record_partition(record_id: str) -> str:
    """A record with its edges, older audit entries and the edges that point at it."""
    return f"record#{record_id}"


def own_key(record_id: str) -> dict[str, Value]:
    return primary_key(record_partition(record_id), RECORD)


def record_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(record_partition(""))


def head_key(key: bytes, place: str = "head") -> dict[str, Value]:
    """The key of the item that says who holds something that must be single."""
    return primary_key(f"head#{key.hex()}", place)


def upload_key(upload_id: str) -> dict[str, Value]:
    return primary_key(f"{UPLOAD}{upload_id}", "upload")


def classes_key(scope: str) -> dict[str, Value]:
    """The key of the decay classes that a scope uses."""
    return primary_key(f"scope#{scope_place(scope)}", CLASSES)


def scope_place(scope: str) -> str:
    """The scope in a key: no free text is taken for that of a record without a scope."""
    return f"={scope}" if scope else _UNSCOPED


def scope_at(place: str) -> str:
    return "" if place == _UNSCOPED else place.removeprefix("=")


def vector_key(source_id: str, space: SearchSpace = RECORDS) -> dict[str, Value]:
    return primary_key(f"{space.vectors}{source_id}", VECTOR)


def source_of_vector(item: Item, space: SearchSpace = RECORDS) -> str:
    return read_text(item, "pk").removeprefix(space.vectors)


def searched_partition(scope: str, shard: int, space: SearchSpace = RECORDS) -> str:
    return f"{space.searched}{shard}#{scope_place(scope)}"


def scope_searched(item: Item, space: SearchSpace = RECORDS) -> str:
    place = read_text(item, "search_pk").removeprefix(space.searched)
    return scope_at(place.partition("#")[2])


def answer_key(receipt_id: str) -> dict[str, Value]:
    return primary_key(f"answer#{receipt_id}", "receipt")


def audit_entries(position: int) -> str:
    """Audit entries that no longer fit the record's item, from that position on."""
    return f"{AUDIT}{position:010d}"


def history_deltas(position: int) -> str:
    """Changes of content that no longer fit the record's item, from that position on."""
    return f"{HISTORY}{position:010d}"


def position_of(audit_item: Item) -> int:
    """From which position on the item holds entries."""
    return int(read_text(audit_item, "sk").removeprefix(AUDIT))


def edge_key(source_id: str, predicate: str, target_id: str) -> dict[str, Value]:
    """The key of an edge in its source's partition."""
    place = f"{EDGE}{digest(predicate, target_id).hex()[:32]}"
    return primary_key(record_partition(source_id), place)


def inverse_edge_key(source_id: str, predicate: str, target_id: str) -> dict[str, Value]:
    """The key of an edge in its target's partition."""
    place = f"source#{digest(predicate, source_id).hex()[:32]}"
    return primary_key(record_partition(target_id), place)


def rank_partition(scope: str, memory_type: MemoryType, decay_class: str, shard: int) -> str:
    return f"{RANKED}{memory_type}#{decay_class}#{shard}#{scope_place(scope)}"


def class_of_rank(partition: str) -> tuple[MemoryType, str]:
    memory_type, decay_class, _ = partition.removeprefix(RANKED).split("#", 2)
    return MemoryType(memory_type), decay_class


def due_partition(shard: int) -> str:
    return f"due#{shard}"


def shard_of(record_id: str, shards: int) -> int:
    """The shard of a record, from 0 to `shards` - 1, spread evenly over ids."""
    return zlib.crc32(record_id.encode()) % shards


def blob_name(record_id: str, sha256: str) -> str:
    """Where a document of a record lies in the bucket; never shared between records."""
    return f"{BLOBS}{record_id}/{sha256}"


def upload_name(upload_id: str, expires_at_s: int) -> str:
    """Where the value of an upload is put; one of the same id that was opened later has another."""
    return f"{UPLOADS}{upload_id}/{expires_at_s}"
