"""Terms: what a text is searched by, as hashes of its words, and marks of what it is about.

A term has 32 bits. The highest tells a word of the text, by which BM25 ranks and measures length,
from a mark: of a speaker, a tag, a name. Hashes are CRC-32, so they are the same in every process;
change nothing here without `membrane reindex`, because what is stored was hashed the old way.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from snowballstemmer.english_stemmer import EnglishStemmer

from membrane.domain.language.normal_form import compatibility_form

MARK = 1 << 31
"""The bit that marks have and words do not."""

SKETCH_DIMENSIONS = 128
"""Places of the sketch that an indexed vector has of a text's words."""

MAX_TERMS = 2_000
"""Of one text; the most frequent ones stay."""

_STOPWORDS = """
    a about above after again against all am an and any are as at be because been before being
    below between both but by can cannot could did do does doing done down during each few for from
    further get gets getting got had has have having he her here hers herself him himself his how i
    if in into is it its itself just let like me might more most much must my myself no
    nor not now of off oh ok okay on once one only or other our ours ourselves out over own really
    same shall she should so some such t than that the their theirs them themselves then there
    these they this those through to too under until up upon us very was we well were what when
    where whether which while who whom whose why will with would yeah yes you your yours yourself
    yourselves
    ain aren couldn d didn doesn don hadn hasn haven im isn ll m re s shouldn t ve wasn weren won
    wouldn dont didnt doesnt isnt wasnt ive youre thats
"""
STOPWORDS = frozenset(_STOPWORDS.split())

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(
    "([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)"  # Thai, CJK
)
_MAX_WORD_CHARACTERS = 40


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, case folded, in their order; none is left out.

    An apostrophe ends a word (`Ann's` has two); names of programs are taken apart (`fix_goError`
    has three); scripts that put no spaces between words give pairs of characters.
    """
    plain = compatibility_form(text)
    spaced = _CAMEL.sub(" ", plain).casefold()
    return [part for found in _WORD.findall(spaced) for part in _parts(found)]


def _parts(found: str) -> Iterator[str]:
    """What is unspaced in pairs of characters, all else as it is."""
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
    """The stem of an English word (Snowball); what is not English mostly stays as it is."""
    stemmed: str = EnglishStemmer().stemWord(word)
    return stemmed


def term(stemmed: str) -> int:
    return zlib.crc32(stemmed.encode()) & ~MARK


def mark(kind: str, word: str) -> int:
    """The mark of something about a text, such as its speaker: `mark("who", "caroline")`."""
    return zlib.crc32(f"{kind}:{word}".encode()) | MARK


def is_word(hashed: int) -> bool:
    return not hashed & MARK
