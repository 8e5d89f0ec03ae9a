"""Names in text: things that a form of writing marks, and names that known entities bear."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from membrane.domain.language.names import MAX_NAME_CHARACTERS, first_word_of, term_of
from membrane.domain.search.terms import STOPWORDS

MAX_READ_CHARACTERS = 20_000
"""Characters of a text that are read for names."""

MAX_WORDS = 100
"""Distinct words of a text by which names of known entities are looked up."""

MIN_NAME_CHARACTERS = 2
"""A name of one character is no name in running text."""


class Span(NamedTuple):
    """A name at its place in a text."""

    start: int
    end: int
    surface: str
    kind: str
    """Empty for the name of a known entity."""

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The sort key of overlapping names: the longest first, known names before others."""
        return (self.start - self.end, bool(self.kind), self.start)


_EXTENSIONS = (
    "c|cc|cfg|conf|cpp|cs|css|csv|env|go|h|html|ini|ipynb|java|js|json|jsx|kt|lock|log|md|parquet"
    "|pdf|php|proto|py|rb|rs|scss|sh|sql|svg|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml"
)
_PATH_PART = r"[\w.@+-]+"

_NO_FILES = frozenset(
    {"d3.js", "express.js", "next.js", "node.js", "nuxt.js", "three.js", "vue.js"}
)
"""Names of software that look like names of files."""

_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]{1,400}")
_FILE = re.compile(
    rf"(?<![\w/.@:-])(?:~?/|\.{{1,2}}/)?(?:{_PATH_PART}/){{0,20}}{_PATH_PART}\.(?:{_EXTENSIONS})(?![\w/-])"
)
_ABSOLUTE = re.compile(rf"(?<![\w/.@:-])(?:~|\.{{1,2}})?/(?:{_PATH_PART}/){{1,20}}{_PATH_PART}")
_CODE = re.compile(r"`([^`\s]{2,120})`")
_REPOSITORY = re.compile(
    r"(?:\brepo(?:sitory)?:?\s+|github\.com/)(?P<after>[\w.-]{1,64}/[\w.-]{1,64})"
    r"|(?<![\w/.@-])(?P<before>[\w.-]{1,64}/[\w.-]{1,64})(?=\s+repo(?:sitory)?\b)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?<![\w/.@:-])[A-Za-z][\w.-]{0,63}/[A-Za-z][\w.-]{0,63}(?![\w/-])")
_NO_OWNERS = frozenset(
    {"deploy", "deployment", "svc", "service", "pod", "job", "secret", "configmap", "node"}
    | {"bugfix", "chore", "docs", "feat", "feature", "fix", "hotfix", "origin", "refs", "release"}
)
"""Words before a slash that begin the name of a branch or of a cluster's resource."""

_TICKET = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])")
_NUMBERED = re.compile(r"\b(?:issue|ticket|bug|pr|pull request)\s+(#\d{1,7})\b", re.IGNORECASE)
_NO_TICKETS = frozenset(
    {"AES", "COVID", "GPT", "HTTP", "IPV", "ISO", "MD", "PEP", "RFC", "SHA", "SSL", "TLS", "UTC"}
    | {"UTF", "UUID", "GMT", "RSA", "TCP", "CVE", "RC", "H", "V"}
)
_HANDLE = re.compile(r"(?<![\w@./`-])@[A-Za-z][\w-]{1,38}(?![\w@/-])")
_QUOTED = re.compile(r"[\"\u201c\u201e]([^\"\u201c\u201d\u201e\n]{2,60})[\"\u201d\u201c]")
_MOST_QUOTED_WORDS = 5

_MARKS = (
    (_FILE, "file"),
    (_ABSOLUTE, "file"),
    (_HANDLE, "person"),
    (_URL, "url"),
    (_REPOSITORY, "repository"),
    (_OWNED, "owned"),
    (_TICKET, "ticket"),
    (_NUMBERED, "ticket"),
    (_QUOTED, "concept"),
)
"""Forms of writing that mark names, and the kind of the named things."""

_THINGS = {"owned": "repository"}
"""The kind of the thing, where a form has a name of its own."""

_TRAILING = {kind: ".,;:!?)" if kind == "url" else "." for _, kind in _MARKS}
"""Characters at the end of a name that belong to the sentence."""

_OWNER_AND_NAME = re.compile(r"[\w.-]{1,64}/[\w.-]{1,64}")
_CALL = "()"


def spans_in(text: str) -> list[Span]:
    """The names that a form of writing marks, in order, without overlaps: the longest win."""
    return without_overlaps(_marks_in(text[:MAX_READ_CHARACTERS]))


def without_overlaps(spans: Iterable[Span]) -> list[Span]:
    chosen: list[Span] = []
    taken: set[int] = set()
    for each in sorted(spans, key=lambda span: span.rank):
        places = range(each.start, each.end)
        if taken.isdisjoint(places):
            taken.update(places)
            chosen.append(each)
    return sorted(chosen)


def kind_by_look(name: str) -> str | None:
    """The kind of a name that is a URL, path, ticket or repository by its form; else None."""
    for pattern, kind in ((_URL, "url"), (_FILE, "file"), (_ABSOLUTE, "file"), (_TICKET, "ticket")):
        if pattern.fullmatch(name):
            return kind
    return "repository" if _OWNED.fullmatch(name) and _is_repository(name) else None


def _marks_in(text: str) -> Iterator[Span]:
    for pattern, kind in _MARKS:
        for found in pattern.finditer(text):
            group = found.lastindex or 0
            surface = found[group].rstrip(_TRAILING[kind])
            if surface and _counts(surface, kind):
                start, kind_of_thing = found.start(group), _THINGS.get(kind, kind)
                yield Span(start, start + len(surface), surface, kind_of_thing)
    yield from map(_code, _CODE.finditer(text))


def _counts(surface: str, kind: str) -> bool:
    """Whether a text of the form names a thing of the kind."""
    match kind:
        case "file":
            return surface.casefold() not in _NO_FILES
        case "owned":
            return _is_repository(surface)
        case "ticket":
            return surface.partition("-")[0] not in _NO_TICKETS
        case "concept":
            return _is_name(surface)
        case _:
            return True


def _is_repository(written: str) -> bool:
    """Whether `owner/name` is no pair of plain words, such as and/or, and no branch."""
    owner, _, _ = written.partition("/")
    return owner.casefold() not in _NO_OWNERS and not written.replace("/", "").isalpha()


def _code(found: re.Match[str]) -> Span:
    """A piece of code in backticks: a path, a repository, a tool that is called, or a symbol."""
    code = found[1]
    look = kind_by_look(code)
    if look is None and _OWNER_AND_NAME.fullmatch(code):
        look = "repository"
    if look is None and code.endswith(_CALL):
        return Span(found.start(1), found.end(1), code.removesuffix(_CALL), "tool")
    return Span(found.start(1), found.end(1), code, look or "symbol")


def _is_name(quoted: str) -> bool:
    """Whether quoted words are a name: few words, the first with a capital, no sentence."""
    words = quoted.split()
    return (
        0 < len(words) <= _MOST_QUOTED_WORDS
        and words[0][0].isupper()
        and quoted == quoted.strip()
        and quoted[-1] not in ",!?;:"
    )


# --- references ----------------------------------------------------------------------------------

_REF = re.compile(r"(?<![\w/.@:#-])[A-Za-z][\w.-]{0,63}[-:]\d{1,9}(?![\w/:-])")
MAX_REFS = 4
"""Words of a text that are looked up as refs: each takes a Query."""


def refs_in(text: str) -> list[str]:
    """Words that may be the ref of an event, such as `note-27` or `thread-a9:2`; at most MAX_REFS.

    Tickets are no refs.
    """
    words = (each[0] for each in _REF.finditer(text[:MAX_READ_CHARACTERS]))
    distinct = dict.fromkeys(each for each in words if not _TICKET.fullmatch(each))
    return [*distinct][:MAX_REFS]


# --- names of known entities ---------------------------------------------------------------------

_WORD = re.compile(r"\S+")
_AROUND = "\"'`.,;:!?()[]{}<>*_\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_POSSESSIVE = ("'s", "\u2019s")


class _Word(NamedTuple):
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def words_to_look_up(text: str) -> tuple[str, ...]:
    """The distinct first words of names that the text may have, at most MAX_WORDS, in order."""
    words = (
        first_word_of(term_of(form.text))
        for word in _words_of(text)
        for form in _forms(word)
        if _may_begin(form.text)
    )
    return tuple(islice(dict.fromkeys(filter(None, words)), MAX_WORDS))


def known_names_in(text: str, terms: Collection[str]) -> list[Span]:
    """The places at which the text has one of the terms, between white space or punctuation."""
    by_word: dict[str, list[list[str]]] = {}
    for term in terms:
        by_word.setdefault(first_word_of(term), []).append(term.split(" "))
    words = _words_of(text)
    spans = (_longest_at(words, place, by_word) for place in range(len(words)))
    return without_overlaps(
        Span(start, end, text[start:end], "") for start, end in spans if end > start
    )


def _longest_at(
    words: list[_Word], place: int, by_word: Mapping[str, list[list[str]]]
) -> tuple[int, int]:
    """The begin and end of the longest name that begins at a word; equal if there is none."""
    best = (0, 0)
    for form in _forms(words[place]):
        named = by_word.get(term_of(form.text), ()) if _may_begin(form.text) else ()
        for parts in named:
            end = _end_of(words, place, form, parts)
            if end is not None and end - form.start > best[1] - best[0]:
                best = (form.start, end)
    return best


def _end_of(words: list[_Word], place: int, first: _Word, parts: list[str]) -> int | None:
    """The end of the name whose first word is `first`; None if the further words differ."""
    end = first.end
    for step, part in enumerate(parts[1:], 1):
        if place + step >= len(words):
            return None
        is_last = step == len(parts) - 1
        forms = _forms(words[place + step]) if is_last else [words[place + step]]
        fitting = next((form for form in forms if term_of(form.text) == part), None)
        if fitting is None:
            return None
        end = fitting.end
    return end


def _words_of(text: str) -> list[_Word]:
    found = _WORD.finditer(text[:MAX_READ_CHARACTERS])
    return [_Word(each.start(), each[0]) for each in found if len(each[0]) <= MAX_NAME_CHARACTERS]


def _forms(word: _Word) -> list[_Word]:
    """The word without punctuation around, and without a possessive ending."""
    left = len(word.text) - len(word.text.lstrip(_AROUND))
    bare = _Word(word.start + left, word.text.strip(_AROUND))
    shorter = (bare.text.removesuffix(each) for each in _POSSESSIVE if bare.text.endswith(each))
    return [bare, *(_Word(bare.start, each) for each in shorter if each)]


def _may_begin(word: str) -> bool:
    return len(word) >= MIN_NAME_CHARACTERS and word.casefold() not in STOPWORDS
