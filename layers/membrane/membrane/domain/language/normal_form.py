"""The compatibility form of a text (Unicode's NFKC), made in linear time.

A library's NFKC sorts every run of combining marks by insertion, so its time grows with the square
of the run's length. Unicode's Stream-Safe Text Format (UAX 15, section 13) bounds the runs.
"""

import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby

MAX_MARKS = 30
"""Combining marks in a row, as UAX 15 allows; no language writes as many."""

_JOINER = "\u034f"
"""COMBINING GRAPHEME JOINER: shows nothing, and marks are not sorted across a joiner."""


def compatibility_form(text: str) -> str:
    """NFKC of the text; a run of more than MAX_MARKS combining marks is parted by joiners."""
    if text.isascii():
        return text
    marks = _marks_among(set(text))
    return unicodedata.normalize("NFKC", "".join(_pieces(text, marks)) if marks else text)


def _marks_among(characters: Collection[str]) -> frozenset[str]:
    """The characters that begin, once taken apart, with a combining mark."""
    apart = ((each, unicodedata.normalize("NFKD", each)) for each in characters)
    return frozenset(each for each, parts in apart if unicodedata.combining(parts[0]))


def _pieces(text: str, marks: Collection[str]) -> Iterator[str]:
    for is_run, characters in groupby(text, marks.__contains__):
        run = "".join(characters)
        if is_run and len(run) > MAX_MARKS:
            starts = range(0, len(run), MAX_MARKS)
            run = _JOINER.join(run[start : start + MAX_MARKS] for start in starts)
        yield run
