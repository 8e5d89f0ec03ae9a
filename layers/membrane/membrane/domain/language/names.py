"""The normal forms by which topics, entities and facts are found; words that name nothing."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby

MAX_MARKS = 30
"""Combining marks in a row, as UAX 15 allows; no language writes as many."""

_JOINER = "\u034f"
"""COMBINING GRAPHEME JOINER: shows nothing, and marks are not sorted across a joiner."""


def compatibility_form(text: str) -> str:
    """NFKC of the text; a run of more than MAX_MARKS combining marks is parted by joiners.

    A library's NFKC sorts every run of combining marks by insertion, so its time grows with the
    square of the run's length. Unicode's Stream-Safe Text Format (UAX 15, section 13) bounds the
    runs.
    """
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


MAX_NAME_CHARACTERS = 256
"""A longer name is no name: names are keys of the table."""


def normalise_text(text: str) -> str:
    """The text without differences of spelling: case, width, form of accents, white space."""
    return " ".join(compatibility_form(text).casefold().split())


def term_of(name: str) -> str:
    """The name in NFKC, case folded, with single spaces, without a handle's `@`."""
    form = compatibility_form(compatibility_form(name).casefold())
    return " ".join(form.split()).lstrip("@ ")


def is_name(surface: str) -> bool:
    """Whether an entity can bear the name: neither blank nor too long, also in normal form."""
    return len(surface) <= MAX_NAME_CHARACTERS and 0 < len(term_of(surface)) <= MAX_NAME_CHARACTERS


def folded_name(text: str) -> str:
    """The term with `_` as a blank: `Lives_In` is `lives in`; a text of `_` stays."""
    return term_of(compatibility_form(text).replace("_", " ")) or text


def fact_words(subject: str, predicate: str) -> tuple[str, str]:
    """What the facts about one subject and predicate share, however people spell the words.

    A predicate folds. A subject that may be an id, as `user_1`, `a/b`, `ns:x`, `bob@x.org` or
    `v2`, is compared as written.
    """
    form = compatibility_form(subject).strip().lstrip("@ ")
    is_id = any(each.isdigit() or each in "/:_@" for each in form)
    return subject if is_id else folded_name(subject), folded_name(predicate)


def first_word_of(term: str) -> str:
    """The term up to the first space; names are stored by first word."""
    return term.partition(" ")[0]


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


_BLANK = re.compile(
    r"[\s\0-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""A text in which nothing can be seen: blanks, controls, and the characters that programs may leave
out (Unicode's property Default_Ignorable_Code_Point)."""


def is_blank(value: object) -> bool:
    """Whether the value is a text without a character that can be seen."""
    return isinstance(value, str) and _BLANK.fullmatch(value) is not None
