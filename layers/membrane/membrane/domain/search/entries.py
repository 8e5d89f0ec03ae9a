"""The entry of a record in the search index: packed terms, packed vector, place in a thread.

An entry has hashes of the record's words instead of the words, and reveals less than the record.
"""

import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import floor, sqrt

from snowballstemmer.english_stemmer import EnglishStemmer

from membrane.domain.language.names import STOPWORDS, compatibility_form
from membrane.domain.language.vocabulary import MemoryType, Sensitivity

MARK = 1 << 31
"""The bit that is set in a mark and not in a word."""

SKETCH_DIMENSIONS = 128
"""The dimensions of the sketch of a text's words in an indexed vector."""

MAX_TERMS = 2_000
"""The terms of a text; the most frequent terms are kept."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(
    "([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)"  # Thai, CJK
)
_MAX_WORD_CHARACTERS = 40


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, case folded, in order, stop words included.

    An apostrophe ends a word (`Ann's` has two). Identifiers are split (`fix_goError` has three).
    Scripts without spaces between words give pairs of characters.
    """
    plain = compatibility_form(text)
    spaced = _CAMEL.sub(" ", plain).casefold()
    return [part for found in _WORD.findall(spaced) for part in _parts(found)]


def _parts(found: str) -> Iterator[str]:
    """Pairs of characters of unspaced scripts; every further piece unchanged."""
    for piece in _UNSPACED.split(found):
        if _UNSPACED.fullmatch(piece) and len(piece) > 1:
            yield from (first + second for first, second in pairwise(piece))
        elif piece:
            yield piece[:_MAX_WORD_CHARACTERS]


def stems_of(text: str) -> list[str]:
    return [stem(word) for word in words_of(text) if word not in STOPWORDS]


def terms_of(text: str) -> Counter[int]:
    return Counter(dict(Counter(map(term, stems_of(text))).most_common(MAX_TERMS)))


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of an English word (Snowball); most words of other languages stay unchanged."""
    stemmed: str = EnglishStemmer().stemWord(word)
    return stemmed


def term(stemmed: str) -> int:
    return zlib.crc32(stemmed.encode()) & ~MARK


def mark(kind: str, word: str) -> int:
    """The mark of a property of a text, such as the speaker: `mark("who", "caroline")`."""
    return zlib.crc32(f"{kind}:{word}".encode()) | MARK


def is_word(hashed: int) -> bool:
    return not hashed & MARK


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
