"""What the search index holds of a record: packed terms and vector, and its place in a thread.

An entry has hashes of the record's words and none of the words, so it tells less than the record.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, sqrt

from membrane.domain.language.vocabulary import MemoryType, Sensitivity

TERM = struct.Struct("<IB")
"""A term's hash and how often it occurs, up to MAX_COUNT; little-endian, 5 bytes."""

MAX_COUNT = 255

LARGEST_BYTE = 127
"""The largest component of a packed vector: one signed byte each."""

HOUR_S = 3_600

NEIGHBOURS = 3
"""How far a turn looks around itself in its thread, to either side."""

NO_POSITION = 0
"""Of what has no number of its own."""

_MAX_POSITION = 10**9 - 2
_HOURS_BEFORE_1970 = 20_000_000  # the year 1 is 17,259,888 hours earlier


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as the search index knows it."""

    record_id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    terms: bytes
    dense: bytes
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
    return dict(TERM.iter_unpack(packed))


def pack_dense(vector: Sequence[float]) -> bytes:
    """A dense vector as signed bytes, scaled so that its largest component is LARGEST_BYTE."""
    largest = max(map(abs, vector), default=0.0)
    scale = LARGEST_BYTE / largest if largest > 0.0 else 0.0
    return struct.pack(f"{len(vector)}b", *(round(each * scale) for each in vector))


def unpack_dense(packed: bytes) -> tuple[float, ...]:
    """The vector at a length of 1, or of zeros; its direction is off by less than one degree."""
    components = struct.unpack(f"{len(packed)}b", packed)
    length = sqrt(sum(each * each for each in components))
    return tuple(each / length if length else 0.0 for each in components)


def order_of(happened_s: float, created_s: float, position: int | None) -> str:
    """The place in the thread as a text that sorts; `position` counts from 0.

    The hour comes first because numbers of turns often begin anew with each session; the position
    comes before the time because many turns carry the time of their session.
    """
    hour = floor(happened_s / HOUR_S)
    number = NO_POSITION if position is None else min(position, _MAX_POSITION) + 1
    within_s = abs(happened_s - hour * HOUR_S)  # where it is 0, it has no sign
    return f"{hour + _HOURS_BEFORE_1970:08d}.{number:09d}.{within_s:011.6f}.{created_s:019.6f}"


def position_in(order: str) -> int:
    """The position in an order text, from 1 on; or NO_POSITION."""
    return int(order[9:18])
