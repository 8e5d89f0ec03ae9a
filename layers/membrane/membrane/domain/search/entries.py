"""What the search index holds of a record, and how its terms and its vector are packed.

Everything that is searched and ranked by is here; nothing of the record's own words is, only
hashes of them, so that an entry tells less than the record that it leads to.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from membrane.domain.language.vocabulary import MemoryType, Sensitivity

TERM = struct.Struct("<IB")
"""A term's hash and how often it occurs, up to MAX_COUNT; little-endian, 5 bytes."""

MAX_COUNT = 255

DENSE_BYTES = 2
"""A component of the dense vector: half precision, little-endian (`<f2`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as the search index knows it."""

    record_id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    terms: bytes
    """See `pack_terms`."""
    dense: bytes
    """See `pack_dense`."""
    happened_s: float
    """When what it tells of happened, in seconds since 1970."""
    thread: str = ""
    """A hash of the scope and what it is a turn of; empty where it has no neighbours."""
    order: str = ""
    """Its place in the thread: sorts as text."""


def pack_terms(terms: Mapping[int, int]) -> bytes:
    """Terms (32 bits) and how often each occurs, sorted by term."""
    return b"".join(TERM.pack(term, min(terms[term], MAX_COUNT)) for term in sorted(terms))


def unpack_terms(packed: bytes) -> dict[int, int]:
    """The inverse of `pack_terms`."""
    return dict(TERM.iter_unpack(packed))


def pack_dense(vector: Sequence[float]) -> bytes:
    """A dense vector, which has a length of 1 or, of a text without anything in it, 0."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpack_dense(packed: bytes) -> tuple[float, ...]:
    """The inverse of `pack_dense`, to three significant digits."""
    return tuple(chain.from_iterable(struct.iter_unpack("<e", packed)))
