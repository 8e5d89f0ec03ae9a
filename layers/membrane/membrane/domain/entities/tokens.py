"""Words of a text, and the forms in which a word may be part of a name."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from membrane.domain.entities.texts import MAX_SCANNED_CHARACTERS
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of

_TOKEN = re.compile(r"[^\s\u2014\u2013]++")
_OPENING = "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb([{<`*_~@#\u00bf\u00a1.\u2026,;:!?|"
_CLOSING = "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb)]}>`*_~.\u2026,;:!?|"
_POSSESSIVES = ("'s", "\u2019s", "'S", "\u2019S")
_BLANK_LINE = 2  # line ends between two words
_MAX_CLOSING = 3
"""Punctuation marks after a word that may belong to the name, as in `Acme Inc.`."""


class Form(NamedTuple):
    """A part of a word that may be a word of a name: without punctuation around, or with some."""

    begin: int
    end: int
    term: str


class Token(NamedTuple):
    """A word of a text, between white space or dashes."""

    text: str
    start: int
    continues: bool
    """Whether the next word may belong to the same name: a name crosses no blank line."""
    forms: tuple[Form, ...]


def tokens_of(text: str) -> Sequence[Token]:
    """The words of the first MAX_SCANNED_CHARACTERS of the text, in order."""
    scanned = text[:MAX_SCANNED_CHARACTERS]
    found = [*_TOKEN.finditer(scanned)]
    gaps = (scanned[this.end() : following.start()] for this, following in pairwise(found))
    continued = {place for place, gap in enumerate(gaps) if _joins(gap)}
    forms = {word: tuple(_forms(word)) for word in {each.group() for each in found}}
    return [
        Token(each.group(), each.start(), place in continued, forms[each.group()])
        for place, each in enumerate(found)
    ]


def _joins(gap: str) -> bool:
    return gap.isspace() and gap.count("\n") < _BLANK_LINE


def _forms(word: str) -> Iterator[Form]:
    """Parts of a word, the barest first, the whole word last; none longer than a name."""
    opening = len(word) - len(word.lstrip(_OPENING))
    bare = len(word.rstrip(_CLOSING))
    if opening >= bare:
        return
    possessive = next((end for end in _POSSESSIVES if word.endswith(end, opening + 1, bare)), "")
    closings = range(bare + 1, min(bare + _MAX_CLOSING, len(word)))
    ends = dict.fromkeys((bare - len(possessive), bare, *closings, len(word)))
    for begin in dict.fromkeys((opening, 0)):
        for end in ends:
            if end - begin <= MAX_NAME_CHARACTERS:
                yield Form(begin, end, term_of(word[begin:end]))
