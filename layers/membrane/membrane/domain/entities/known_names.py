"""Names of known entities in a text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import NamedTuple

from membrane.domain.entities.names import MAX_SCANNED_CHARACTERS, Span, disjoint_spans
from membrane.domain.language.names import MAX_NAME_CHARACTERS, STOPWORDS, first_word_of, term_of

_TOKEN = re.compile(r"[^\s\u2014\u2013]++")
_OPENING = "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb([{<`*_~@#\u00bf\u00a1.\u2026,;:!?|"
_CLOSING = "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb)]}>`*_~.\u2026,;:!?|"
_POSSESSIVES = ("'s", "\u2019s", "'S", "\u2019S")
_BLANK_LINE = 2  # line ends between two words
_MAX_CLOSING = 3
"""Punctuation marks after a word that may belong to the name, as in `Acme Inc.`."""


MAX_WORDS = 100
"""Words of a text to look up: a BatchGetItem reads 100 items."""

MAX_NAME_WORDS = 12
"""A name of more words is not looked for in a text."""

MAX_KNOWN_NAMES = 40
"""Names in a capture whose entities are read; further names in the text are no mentions."""

NOTHING: Mapping[str, str] = MappingProxyType({})

KnownNames = Mapping[str, Mapping[str, str]]
"""Entity ids by first word, then by term: the stored names of the words of a text."""

_WITHOUT_APOSTROPHES = str.maketrans("", "", "'\u2019")
_LEAST_LOWERCASE_CHARACTERS = 3
"""A shorter name of one word counts only where the text writes it with a capital: `Al`, `QA`."""

_NAME_LIKE, _PLAIN, _IN_PUNCTUATION = range(3)
"""Ranks of words: where words are too many, the first ranks are looked up."""


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
    continued = {
        place for place, gap in enumerate(gaps) if gap.isspace() and gap.count("\n") < _BLANK_LINE
    }
    forms = {word: tuple(_forms(word)) for word in {each.group() for each in found}}
    return [
        Token(each.group(), each.start(), place in continued, forms[each.group()])
        for place, each in enumerate(found)
    ]


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


def words_to_look_up(text: str, limit: int = MAX_WORDS) -> tuple[str, ...]:
    """The possible first words of names, in the order of the text.

    At most `limit`: first words with a capital or a sign, then plain words, then words with the
    punctuation around. No stop words: a text is not searched for names like `The Hive`.
    """
    ranks = dict[str, tuple[int, int]]()
    for position, token in enumerate(tokens_of(text)):
        for place, form in enumerate(token.forms):
            word = first_word_of(form.term)
            rank = _IN_PUNCTUATION if place else _rank_of(token.text[form.begin : form.end])
            if not _may_begin_name(word):
                break
            ranks[word] = min((rank, position), ranks.get(word, (rank, position)))
    best = frozenset(sorted(ranks, key=ranks.__getitem__)[:limit])
    return tuple(filter(best.__contains__, ranks))


def known_spans(text: str, names: KnownNames) -> tuple[Span, ...]:
    """The names of known entities in the text, at borders of words, in order.

    The longest names count, up to MAX_NAME_WORDS words. The term of the text at each place is a
    term of `names`.
    """
    places = _names_by_place(text, names)
    return disjoint_spans(max(found.values(), key=lambda span: span.end) for found in places)


def known_terms(text: str, names: KnownNames) -> Sequence[str]:
    """The terms of known names in the text, in order, with names inside longer names."""
    return [*dict.fromkeys(chain.from_iterable(_names_by_place(text, names)))]


def names_by_word(entity_ids: Mapping[str, str]) -> KnownNames:
    """The names by first word; `entity_ids` by term."""
    names: dict[str, dict[str, str]] = {}
    for term, entity_id in entity_ids.items():
        names.setdefault(first_word_of(term), {})[term] = entity_id
    return names


def _names_by_place(text: str, names: KnownNames) -> Iterator[Mapping[str, Span]]:
    """For each place where names begin, the spans of the names by term."""
    lengths = {word: max(map(len, terms)) for word, terms in names.items() if terms}
    tokens = tokens_of(text)
    for place, token in enumerate(tokens):
        for begin in {form.begin for form in token.forms}:
            if found := dict(_names_from(place, begin, tokens, names, lengths)):
                yield found


def _names_from(
    place: int,
    begin: int,
    tokens: Sequence[Token],
    names: KnownNames,
    lengths: Mapping[str, int],
) -> Iterator[tuple[str, Span]]:
    """Every name that begins in a word behind `begin`, with the longest `lengths`."""
    start = tokens[place].start + begin
    words = ""
    for token in tokens[place : place + MAX_NAME_WORDS]:
        forms = [form for form in token.forms if form.begin == begin]
        for form in forms:
            term = f"{words} {form.term}" if words else form.term
            entity_id = names.get(first_word_of(term), NOTHING).get(term)
            if entity_id and (words or _counts_alone(term, token.text[begin : form.end])):
                yield term, Span(start, token.start + form.end, entity_id=entity_id)
        last = forms[-1] if forms else None
        if last is None or last.end != len(token.text) or not token.continues:
            return
        words = f"{words} {last.term}" if words else last.term
        if len(words) >= lengths.get(first_word_of(words), 0):
            return
        begin = 0


def _may_begin_name(word: str) -> bool:
    return (
        len(word) <= MAX_NAME_CHARACTERS
        and any(map(str.isalnum, word))
        and word.translate(_WITHOUT_APOSTROPHES) not in STOPWORDS
    )


def _rank_of(surface: str) -> int:
    is_plain = surface.isdecimal() or (surface.isalpha() and surface.islower())
    return _PLAIN if is_plain else _NAME_LIKE


def _counts_alone(term: str, surface: str) -> bool:
    """Whether a name of one word counts in a text: neither a stop word nor very short."""
    if " " in term:
        return True
    if term in STOPWORDS or len(term) == 1:
        return False
    return len(term) >= _LEAST_LOWERCASE_CHARACTERS or not term.isascii() or surface[:1].isupper()
