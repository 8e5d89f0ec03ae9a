"""Terms: 32-bit hashes of the words of a text, and of marks.

A mark stands for a speaker, a tag, a name or a property of the text. The highest bit of a term
distinguishes a mark from a word; BM25 ranks by words alone. A hash is CRC-32, equal in every
process. The stored entries hold hashes: a change here needs `membrane reindex`.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from snowballstemmer.english_stemmer import EnglishStemmer

from membrane.domain.language.names import STOPWORDS, compatibility_form

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
