"""The entry of a record in the search index: packed terms, packed vector, place in a thread.

An entry has hashes of the record's words instead of the words, and reveals less than the record.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, sqrt

from membrane.domain.language.vocabulary import MemoryType, Sensitivity

TERM = struct.Struct("<IB")
"""The hash of a term and the number of occurrences up to MAX_COUNT; little-endian, 5 bytes."""

_HASH = struct.Struct("<I")
"""The hash alone."""

MAX_COUNT = 255

LARGEST_BYTE = 127
"""The largest component of a packed vector; a component is a signed byte."""

HOUR_S = 3_600

NEIGHBOURS = 3
"""The turns before and after a turn in a thread that count as neighbours."""

NO_POSITION = 0
"""The position of a turn without a number."""

_MAX_POSITION = 10**9 - 2
_HOURS_BEFORE_1970 = 20_000_000  # the year 1 is 17,259,888 hours earlier


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a record in the search index."""

    record_id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    terms: bytes
    dense: bytes
    happened_s: float
    """The time of the reported event, in seconds since 1970."""
    thread: str = ""
    """A hash of scope and thread; empty for a record without neighbours."""
    order: str = ""
    """The place in the thread, as text in sort order."""


def pack_terms(terms: Mapping[int, int]) -> bytes:
    """Pack term hashes (32 bits) and their numbers of occurrences, sorted by term."""
    return b"".join(TERM.pack(term, min(terms[term], MAX_COUNT)) for term in sorted(terms))


def unpack_terms(packed: bytes) -> dict[int, int]:
    return dict(TERM.iter_unpack(packed))


def has_term(packed: bytes, term: int) -> bool:
    """Whether packed terms have the term; does not unpack them."""
    wanted = _HASH.pack(term)
    at = packed.find(wanted)
    while at % TERM.size and at >= 0:
        at = packed.find(wanted, at + 1)
    return at >= 0


def pack_dense(vector: Sequence[float]) -> bytes:
    """A dense vector as signed bytes, scaled to a largest component of LARGEST_BYTE."""
    largest = max(map(abs, vector), default=0.0)
    scale = LARGEST_BYTE / largest if largest > 0.0 else 0.0
    return struct.pack(f"{len(vector)}b", *(round(each * scale) for each in vector))


def unpack_dense(packed: bytes) -> tuple[float, ...]:
    """The vector at length 1, or zeros; packing turns the direction by less than one degree."""
    components = struct.unpack(f"{len(packed)}b", packed)
    length = sqrt(sum(each * each for each in components))
    return tuple(each / length if length else 0.0 for each in components)


def order_of(happened_s: float, created_s: float, position: int | None) -> str:
    """The place in the thread as a sortable text; `position` counts from 0.

    The hour comes first because many agents number the turns of every session from 1 again. The
    position comes before the time because many turns carry the time of the session.
    """
    hour = floor(happened_s / HOUR_S)
    number = NO_POSITION if position is None else min(position, _MAX_POSITION) + 1
    within_s = abs(happened_s - hour * HOUR_S)  # abs: a sign of -0.0 would break the sort order
    return f"{hour + _HOURS_BEFORE_1970:08d}.{number:09d}.{within_s:011.6f}.{created_s:019.6f}"


def position_in(order: str) -> int:
    """The position in an order text, counted from 1, or NO_POSITION."""
    return int(order[9:18])
