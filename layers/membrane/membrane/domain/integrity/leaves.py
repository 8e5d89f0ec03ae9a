"""Leaves: a fixed-width summary of a record, topic or document, with the head of the audit trail.

A leaf covers what must not change without a new audit entry. It leaves out the flags of the search
index, due instants, idempotency operations and the edges from other records.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from membrane.domain.language.json_text import FIRST, canonical_json, digest
from membrane.domain.records.history import content_of
from membrane.domain.records.stored import AnyRecord, StoredRecord, Tombstone
from membrane.domain.records.versions import is_erased_after, record_after

NEVER_S = 0
"""The expiry of what does not end by itself."""

NO_CONTENT = bytes(32)
"""The content in the leaf of a tombstone without a document, and in every topic's leaf."""

UNKEPT = b"\x01" * 16
"""Begins the content in the leaf of a document or chunk: both may end without a tombstone. The rest
is of zeros, or for a chunk the beginning of the place of its list."""

_LAYOUT = struct.Struct(">32sQ32s32s32sQ")

WIDTH = _LAYOUT.size
"""Bytes of a leaf."""

_PLACE_BYTES = 32


class LeafKind(StrEnum):
    RECORD = "record"
    TOPIC = "topic"
    DOCUMENT = "document"
    CHUNK = "chunk"
    """The items of an append to the list of a document."""


class Leaf(NamedTuple):
    """One record, topic, document or chunk of a list at some instant."""

    place: bytes
    """The digest of kind and id; leaves are ordered by it."""
    entries: int
    """The number of audit entries; of a document the version, of a chunk the revision."""
    head: bytes
    """The digest of the hash of the last audit entry; zeros for a chunk, which has no chain."""
    content: bytes
    """The digest of a record's content, which the history can restore later."""
    state: bytes
    """The digest of everything that the audit entries alone may change, content included."""
    expires_at_s: int = NEVER_S
    """The instant after which tombstone, document or chunk may be gone, in seconds since 1970."""

    def pack(self) -> bytes:
        return _LAYOUT.pack(*self)

    def is_over(self, now_s: float) -> bool:
        """Whether nothing needs to be left."""
        return NEVER_S < self.expires_at_s <= now_s


def place_of(kind: LeafKind, *names: str) -> bytes:
    return digest(kind, *names)


def head_digest(entry_hash: str) -> bytes:
    """32 bytes for the hash of an audit entry, whatever text the entry has in its place."""
    return digest(entry_hash)


def leaf_of_record(held: AnyRecord) -> Leaf:
    """The leaf; raises ValueError for a history that does not fit the content."""
    return Leaf(
        place_of(LeafKind.RECORD, held.id),
        held.written_entries,
        head_digest(held.trail[-1].hash if held.trail else FIRST),
        content_digest(held, held.written_entries),
        _state_digest(held),
        NEVER_S if held.tombstone is None else held.tombstone.expires_at_s,
    )


def content_digest(held: AnyRecord, entries: int) -> bytes:
    """The digest of the content as of the first `entries` audit entries, undoing later changes.

    NO_CONTENT for a record without a document, and for a content that was erased. The history must
    be loaded as far back. Raises ValueError for a history that does not fit the content.
    """
    if not isinstance(held, StoredRecord):
        return NO_CONTENT
    if any(delta.entry >= held.written_entries for delta in held.history):
        raise ValueError("the history names an entry that is not in the trail")
    if is_erased_after(held, entries):
        return NO_CONTENT
    is_present = all(delta.entry < entries for delta in held.history)
    try:
        return _digest_of(content_of(held.record if is_present else record_after(held, entries)))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("the history does not fit the content") from error


def unpack_leaves(packed: bytes) -> Iterator[Leaf]:
    """The leaves in order; raises struct.error for a text that is not whole leaves."""
    return map(Leaf._make, _LAYOUT.iter_unpack(packed))


def find_leaf(packed: bytes, place: bytes) -> Leaf | None:
    """The leaf of a place in the sorted leaves of a shard."""

    def place_at(index: int) -> bytes:
        return packed[index * WIDTH : index * WIDTH + _PLACE_BYTES]

    count = len(packed) // WIDTH
    index = bisect_left(range(count), place, key=place_at)
    if index == count or place_at(index) != place:
        return None
    return Leaf._make(_LAYOUT.unpack_from(packed, index * WIDTH))


def _state_digest(held: AnyRecord) -> bytes:
    common = [held.type, held.scope, held.sensitivity, _tombstone_state(held.tombstone)]
    if not isinstance(held, StoredRecord):
        return _digest_of([*common, held.born_s])
    anchor = held.anchor
    return _digest_of(
        [*common, anchor.born_s, anchor.salience, anchor.at_s, content_of(held.record)]
    )


def _tombstone_state(tombstone: Tombstone | None) -> list[object] | None:
    """What stays of a tombstone while the sweep removes content."""
    if tombstone is None:
        return None
    return [tombstone.deleted_at_s, tombstone.reason, tombstone.expires_at_s, tombstone.erasure]


def _digest_of(value: object) -> bytes:
    return digest(canonical_json(value).decode())
