"""The codec between search entries and items: one item for a record in a scope.

A record that is searched no more leaves a marker in the place of its entry, so that whoever is late
does not bring it back; markers have neither terms nor a vector.
"""

from collections.abc import Mapping

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    Item,
    Value,
    binary,
    number,
    read_binary,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from membrane.usecases.ports.search import Standing

ATTRIBUTES = (
    "pk",
    "sk",
    "type",
    "sensitivity",
    "embedder",
    "happened_at",
    "terms",
    "dense",
    "thread_pk",
    "thread_sk",
    "source_version",
    "removed",
    "expires_at",
)
"""What of an item is read: all but the vector, which says what `terms` and `dense` say, longer."""

STANDING = ("pk", "sk", "source_version", "digest", "removed", "expires_at")


def entry_item(
    entry: Entry, standing: Standing, embedder: str, shards: int, space: SearchSpace = RECORDS
) -> dict[str, Value]:
    """The entry's item, without a vector for the index."""
    item: dict[str, Value] = {
        **table_keys.entry_key(entry.scope, entry.record_id, shards, space),
        "source_version": number(standing.version),
        "digest": binary(standing.digest),
        "embedder": text(embedder),
        "type": text(entry.type),
        "sensitivity": text(entry.sensitivity),
        "happened_at": number(entry.happened_s),
        "terms": binary(entry.terms),
        "dense": binary(entry.dense),
    }
    if entry.thread:
        item["thread_pk"] = text(table_keys.thread_partition(entry.thread))
        item["thread_sk"] = text(table_keys.thread_place(entry.order, entry.record_id))
    return item


def marker_item(key: Mapping[str, Value], version: int, expires_at_s: int) -> dict[str, Value]:
    """What stands in the place of an entry that was removed, until TTL ends it."""
    return {**key, **withdrawn_item(expires_at_s), "source_version": number(version)}


def withdrawn_item(expires_at_s: int) -> dict[str, Value]:
    """A marker, but for its key, that keeps no version of the record away."""
    return {
        "source_version": number(0),
        "removed": {"BOOL": True},
        "expires_at": number(expires_at_s),
    }


def is_entry(item: Item) -> bool:
    """Whether it is an entry, and no marker of one that was removed."""
    return "removed" not in item


def decode_entry(item: Item) -> Entry:
    """The inverse of `entry_item`; raises CorruptItem for what is no entry."""
    record_id = read_text(item, "sk")
    thread, order = "", ""
    if "thread_pk" in item:
        thread = read_text(item, "thread_pk").removeprefix(table_keys.THREAD)
        order = read_text(item, "thread_sk").removesuffix(table_keys.thread_place("", record_id))
    return Entry(
        record_id=record_id,
        scope=table_keys.scope_of_entry(item),
        type=read_word(item, "type", MemoryType),
        sensitivity=read_word(item, "sensitivity", Sensitivity),
        terms=read_binary(item, "terms"),
        dense=read_binary(item, "dense"),
        happened_s=read_number(item, "happened_at"),
        thread=thread,
        order=order,
    )


def embedder_of(item: Item) -> str:
    """The name of the embedder that made the entry's vector."""
    return read_text(item, "embedder")


def standing_of(item: Item) -> Standing:
    """What stands there, an entry or a marker."""
    digest = read_binary(item, "digest") if is_entry(item) else b""
    return Standing(read_integer(item, "source_version"), digest)
