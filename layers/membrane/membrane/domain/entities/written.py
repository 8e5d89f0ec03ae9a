"""Names that a text shows by their form: paths, addresses, tickets, handles, quotes, code."""

import re
from collections.abc import Collection, Iterator, Sequence

from membrane.domain.entities.code_names import code_spans
from membrane.domain.entities.kinds import PERSON, TICKET, URL
from membrane.domain.entities.looks import (
    Look,
    addresses_in,
    is_bare_number,
    look_of,
    repository_in,
    repository_look,
    tickets_in,
)
from membrane.domain.entities.quoted_names import quoted_spans
from membrane.domain.entities.spans import Span, disjoint_spans
from membrane.domain.entities.surfaces import is_name
from membrane.domain.entities.texts import MAX_SCANNED_CHARACTERS
from membrane.domain.entities.word_lists import DOMAIN_ENDS, NO_PEOPLE, OF_REPOSITORIES, OF_TICKETS

_HANDLE = re.compile(r"(?<![\w.@/+`:-])@(?P<name>[A-Za-z][\w-]{0,38}+(?:\.\w{1,38}+)?+)(?![\w@/-])")

_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"\u201c\u201d\u201e\u00ab\u00bb`|=]++")
_AROUND = "'\u2018\u2019*!?:"
"""Punctuation before and after a word."""
_ENDS = ".\u2026"
"""Further punctuation after a word; a path may begin with a dot."""

_TO_REPOSITORY = frozenset(("at", "for", "from", "in", "of", "on", "the", "to"))
"""Words between the number of a ticket and the repository, beside OF_REPOSITORIES."""
_MAX_WORDS_TO_REPOSITORY = 3


def written_names(text: str) -> tuple[Span, ...]:
    """The names in the first MAX_SCANNED_CHARACTERS of the text, in order; the longest counts."""
    scanned = text[:MAX_SCANNED_CHARACTERS]
    found = (
        *_words(scanned),
        *(Span(*place, URL) for place in addresses_in(scanned)),
        *code_spans(scanned),
        *(Span(*place, TICKET) for place in tickets_in(scanned)),
        *_handles(scanned),
        *quoted_spans(scanned),
    )
    return disjoint_spans(span for span in found if is_name(scanned[span.start : span.end]))


def _words(text: str) -> Iterator[Span]:
    """Files, addresses without a scheme, repositories, and numbers of tickets."""
    tokens = [*_TOKEN.finditer(text)]
    plain = ["", *(each.group().strip(_AROUND).lower() for each in tokens), ""]
    bare = [_bare_word(each) for each in tokens]
    words = [word for _, word in bare]
    for place, (start, word) in enumerate(bare):
        look = _look_between(plain[place], word, plain[place + 2])
        if look:
            name = _numbered_name(words, place) if is_bare_number(word) else ""
            end = start + len(look.surface)
            yield Span(start, end, look.kind, aliases=look.aliases, name=name)


def _numbered_name(words: Sequence[str], place: int) -> str:
    """`acme/mill#12` for the number `#12` in `PR #12 of acme/mill`, or in `acme/mill PR #12`.

    Empty without a repository beside the number.
    """
    behind = words[place + 1 : place + 2 + _MAX_WORDS_TO_REPOSITORY]
    before = words[max(place - 1 - _MAX_WORDS_TO_REPOSITORY, 0) : place][::-1]
    following = _first_word_beyond(_TO_REPOSITORY | OF_REPOSITORIES, behind)
    repository = repository_in(following) or repository_in(_first_word_beyond(OF_TICKETS, before))
    return f"{repository}{words[place]}" if repository else ""


def _first_word_beyond(passed: Collection[str], words: Sequence[str]) -> str:
    return next((each for each in words if each.lower() not in passed), "")


def _bare_word(token: re.Match[str]) -> tuple[int, str]:
    """The word without punctuation around and without the `'s` of an owner, and its place."""
    word = token.group().lstrip(_AROUND)
    start = token.end() - len(word)
    bare = word.rstrip(_AROUND + _ENDS)
    return start, bare.removesuffix("'s").removesuffix("\u2019s")


def _look_between(before: str, word: str, after: str) -> Look | None:
    """What a word names, with the help of the words before and after."""
    if not any(mark in word for mark in "/.#"):
        return None
    if OF_REPOSITORIES & {before, after} and (repository := repository_look(word)):
        return repository
    if before in OF_TICKETS and is_bare_number(word):
        return Look(TICKET, word)
    return look_of(word)


def _handles(text: str) -> Iterator[Span]:
    """`@ann`, with the alias `ann`; no part of an e-mail address, and no `@scope/package`."""
    for each in _HANDLE.finditer(text):
        name = each["name"]
        is_host = "." in name and name.rpartition(".")[2] in DOMAIN_ENDS
        if not is_host and name.lower() not in NO_PEOPLE:
            yield Span(each.start(), each.end(), PERSON, aliases=(name,))
