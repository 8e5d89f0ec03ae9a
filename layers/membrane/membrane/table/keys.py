"""The keys of the table and the indexes. A scope, the only free text, always comes last.

Thus no scope can be mistaken for a different scope, whatever characters both have.
"""

import zlib
from typing import NamedTuple

from membrane.domain.language.json_text import digest
from membrane.domain.language.vocabulary import MemoryType
from membrane.table.items import Item, Value, read_text, text

RECORD = "record"
"""Sort key of a record's own item. Audit and history sort before RECORD, for one Query."""

BLOBS = "blobs/"
UPLOADS = "uploads/"
INCOMING = "source#"
"""Edges that point at a record sort after RECORD: a Query of the record does not read them."""

AFTER_INCOMING = INCOMING + "~"
"""Sorts after every edge that points at a record."""

# --- what the partitions are called, by what is in them: a prefix ends in # ----------------------

API_KEYS = "keys"
ANSWER = "answer#"  # the receipt of a retrieval
TOOL_WRITES = "tools#"  # the recent tool writes of a principal
EXPORT = "export#"  # the exports of a principal
WALKS = "walks#"  # the counts of jobs that a key began
UPLOAD = "upload#"
STUDY = "study#"  # the study of a document
DOCUMENTS = "documents#"  # the keyed documents of a scope
DOCUMENT = "document#"  # what lies beside a keyed document
DOCUMENT_OPERATION = "document-operation#"  # the receipts of a caller's writes of documents
CLASSES = "classes"
CHANGE = "change#"  # a change of more than one transaction
CHANGES_DUE = "changes-due"  # such changes in the due index
FENCES = "fences"  # of scopes that an erasure works on
SETTINGS = "settings"
NAMES = "names#"  # the names of the entities of a scope
RANKED = "rank#"  # records in the rank index
REMOVED = "removed#"  # deleted and pruned records in the rank index

MAX_PLACE_BYTES = 512
"""Bytes of a word as sort key; a longer word is cut and completed by a digest."""

VECTOR = "vector"
"""Sort key of the vector of a record or topic, the only item of the partition."""

_UNSCOPED = "-"

_LATE_US = 10**18
"""Microseconds since 1970 of an instant after the last year of the calendar, 9999."""


class SearchSpace(NamedTuple):
    """The partitions of one kind of source; a search finds only sources of one space."""

    sources: str
    """The prefix of the partitions of the records or topics."""
    own: str
    """The sort key of the own item of a record or topic."""
    vectors: str
    """The prefix of the partitions of the vectors."""
    searched: str
    """The prefix of the partitions of the vector index."""
    scopes: str
    """The partition of the registry of scopes that have, or had, vectors."""


RECORDS = SearchSpace("record#", RECORD, "vector#", "record#", "scopes")
TOPICS = SearchSpace("topic#", "topic", "topic-vector#", "topic#", "topic-scopes")


def primary_key(partition: str, place: str) -> dict[str, Value]:
    return {"pk": text(partition), "sk": text(place)}


def record_partition(record_id: str) -> str:
    """The partition of a record, the edges that point at the record, and the older logs."""
    return f"record#{record_id}"


def own_key(record_id: str) -> dict[str, Value]:
    return primary_key(record_partition(record_id), RECORD)


def removed_partition(scope: str, removal: str) -> str:
    """The partition of the removed records of a scope in the rank index."""
    return f"{REMOVED}{removal}#{scope_place(scope)}"


def record_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(record_partition(""))


def head_key(key: bytes, place: str = "head") -> dict[str, Value]:
    """The key of a head: the item that names the holders of something that must be single."""
    return primary_key(f"head#{key.hex()}", place)


def names_partition(scope: str) -> str:
    """The partition of the names of the entities of a scope."""
    return f"{NAMES}{scope_place(scope)}"


def name_place(word: str) -> str:
    """The sort key of the names with a first word, or of the words with a prefix."""
    encoded = word.encode()
    if len(encoded) <= MAX_PLACE_BYTES:
        return word
    return f"{encoded[:MAX_PLACE_BYTES].decode(errors='ignore')}#{digest(word).hex()[:32]}"


def upload_key(upload_id: str) -> dict[str, Value]:
    return primary_key(f"{UPLOAD}{upload_id}", "upload")


def study_key(job_id: str) -> dict[str, Value]:
    return primary_key(f"{STUDY}{job_id}", "study")


def export_key(owner: str, export_id: str) -> dict[str, Value]:
    return primary_key(f"{EXPORT}{owner}", export_id)


def walk_key(about: str, which: str) -> dict[str, Value]:
    """Of the jobs that a key began on a day, or of the newest job about a matter."""
    return primary_key(f"{WALKS}{about}", which)


def classes_key(scope: str) -> dict[str, Value]:
    """The key of the decay classes that a scope uses."""
    return primary_key(f"scope#{scope_place(scope)}", CLASSES)


def scope_place(scope: str) -> str:
    """The scope as part of a key; the prefix `=` sets any free text apart from unscoped."""
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
    return primary_key(f"{ANSWER}{receipt_id}", "receipt")


def spent_key(receipt_id: str) -> dict[str, Value]:
    """The credit spent of a receipt, beside the receipt."""
    return primary_key(f"{ANSWER}{receipt_id}", "spent")


def incoming_edges(born_s: float, source_id: str) -> str:
    """The beginning of the sort keys of the edges from a source, in the partition of the target.

    The microseconds from the creation of the source to a late instant: newest sources come first.
    """
    return f"{INCOMING}{_LATE_US - round(born_s * 1e6):019d}#{source_id}#"


def incoming_edge_key(
    source_id: str, born_s: float, predicate: str, target_id: str
) -> dict[str, Value]:
    """The key of an edge in the partition of the target."""
    place = f"{incoming_edges(born_s, source_id)}{digest(predicate).hex()[:32]}"
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
    """The name of a record's document in the bucket; records never share blobs."""
    return f"{BLOBS}{record_id}/{sha256}"


def upload_name(upload_id: str, expires_at_s: int) -> str:
    """The name of an upload's value in the bucket; an id opened again later gets a new name."""
    return f"{UPLOADS}{upload_id}/{expires_at_s}"
