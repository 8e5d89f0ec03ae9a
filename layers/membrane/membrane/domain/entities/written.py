"""Names that a text shows by their form: paths, addresses, tickets, handles, quotes, code."""

import re
from collections.abc import Collection, Iterator, Sequence

from membrane.domain.entities import looks
from membrane.domain.entities.names import MAX_SCANNED_CHARACTERS, Span, disjoint_spans
from membrane.domain.language.names import STOPWORDS, is_name

_HANDLE = re.compile(r"(?<![\w.@/+`:-])@(?P<name>[A-Za-z][\w-]{0,38}+(?:\.\w{1,38}+)?+)(?![\w@/-])")

_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"\u201c\u201d\u201e\u00ab\u00bb`|=]++")
_AROUND = "'\u2018\u2019*!?:"
"""Punctuation before and after a word."""
_ENDS = ".\u2026"
"""Further punctuation after a word; a path may begin with a dot."""

_TO_REPOSITORY = frozenset(("at", "for", "from", "in", "of", "on", "the", "to"))
"""Words between the number of a ticket and the repository, beside OF_REPOSITORIES."""
_MAX_WORDS_TO_REPOSITORY = 3


_CODE = re.compile(r"`(?P<code>[^`\n]{1,256}+)`")
_CALL = re.compile(r"(?P<tool>[A-Za-z_]\w{1,99}+)\(\)")
_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*+(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*+)*+(?:\(\))?")
_DASHED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++)+")
"""A package or service, such as `image-mill`."""

_LEAST_SYMBOL_CHARACTERS = 3

_SCRIPT_ENDS = (".js", ".mjs", ".lock", ".env")
"""Extensions that only in code quotes make a word a file."""

_QUOTED = re.compile(
    r'(?<![\w=])(?<!":)(?<!": )(?<!= )"(?P<straight>[^"\n]{1,80}+)"(?!\w)'
    r"|[\u201c\u201e](?P<curved>[^\u201c\u201d\u201e\n]{1,80}+)[\u201d\u201c]"
)
"""A quoted text. The values of JSON and of assignments in code are no names."""

_NAME_WORD = re.compile(r"[^\W_][\w&.+'\u2019-]*+")
_MAX_WORDS = 5


def written_names(text: str) -> tuple[Span, ...]:
    """The names in the first MAX_SCANNED_CHARACTERS of the text, in order; the longest counts."""
    scanned = text[:MAX_SCANNED_CHARACTERS]
    found = (
        *_words(scanned),
        *(Span(*place, looks.URL) for place in looks.addresses_in(scanned)),
        *code_spans(scanned),
        *(Span(*place, looks.TICKET) for place in looks.tickets_in(scanned)),
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
            name = _numbered_name(words, place) if looks.is_bare_number(word) else ""
            end = start + len(look.surface)
            yield Span(start, end, look.kind, aliases=look.aliases, name=name)


def _numbered_name(words: Sequence[str], place: int) -> str:
    """`acme/mill#12` for `PR #12 of acme/mill` or `acme/mill PR #12`; else empty."""
    behind = words[place + 1 : place + 2 + _MAX_WORDS_TO_REPOSITORY]
    before = words[max(place - 1 - _MAX_WORDS_TO_REPOSITORY, 0) : place][::-1]
    following = _first_word_beyond(_TO_REPOSITORY | looks.OF_REPOSITORIES, behind)
    repository = looks.repository_in(following) or looks.repository_in(
        _first_word_beyond(looks.OF_TICKETS, before)
    )
    return f"{repository}{words[place]}" if repository else ""


def _first_word_beyond(passed: Collection[str], words: Sequence[str]) -> str:
    return next((each for each in words if each.lower() not in passed), "")


def _bare_word(token: re.Match[str]) -> tuple[int, str]:
    """The word without punctuation around and without the `'s` of an owner, and its place."""
    word = token.group().lstrip(_AROUND)
    start = token.end() - len(word)
    bare = word.rstrip(_AROUND + _ENDS)
    return start, bare.removesuffix("'s").removesuffix("\u2019s")


def _look_between(before: str, word: str, after: str) -> looks.Look | None:
    """What a word names, with the help of the words before and after."""
    if not any(mark in word for mark in "/.#"):
        return None
    if looks.OF_REPOSITORIES & {before, after} and (repository := looks.repository_look(word)):
        return repository
    if before in looks.OF_TICKETS and looks.is_bare_number(word):
        return looks.Look(looks.TICKET, word)
    return looks.look_of(word)


def _handles(text: str) -> Iterator[Span]:
    """`@ann`, with the alias `ann`; no part of an e-mail address, and no `@scope/package`."""
    for each in _HANDLE.finditer(text):
        name = each["name"]
        is_host = "." in name and name.rpartition(".")[2] in looks.DOMAIN_ENDS
        if not is_host and name.lower() not in looks.NO_PEOPLE:
            yield Span(each.start(), each.end(), looks.PERSON, aliases=(name,))


def code_spans(text: str) -> Iterator[Span]:
    """Names that fill code quotes: `Router.dispatch` is a symbol, `deploy()` calls a tool."""
    for each in _CODE.finditer(text):
        look = _look_of_code(each["code"])
        if look:
            start = each.start("code")
            yield Span(start, start + len(look.surface), look.kind, aliases=look.aliases)


def _look_of_code(code: str) -> looks.Look | None:
    look = looks.look_alone(code)
    if look:
        return look
    call = _CALL.fullmatch(code)
    if call:
        return looks.Look(looks.TOOL, call["tool"])
    if code.endswith(_SCRIPT_ENDS) and "(" not in code and _SYMBOL.fullmatch(code):
        return looks.Look(looks.FILE, code)
    is_symbol = len(code) >= _LEAST_SYMBOL_CHARACTERS and code.lower() not in looks.NO_SYMBOLS
    is_symbol = is_symbol and bool(_SYMBOL.fullmatch(code) or _DASHED.fullmatch(code))
    return looks.Look(looks.SYMBOL, code.removesuffix("()")) if is_symbol else None


def quoted_spans(text: str) -> Iterator[Span]:
    for each in _QUOTED.finditer(text):
        group = each.lastgroup or 0
        if _is_name(each[group]):
            yield Span(*each.span(group), looks.CONCEPT)


def _is_name(quoted: str) -> bool:
    """Whether the quotes hold a name: one to five words, written unlike a sentence.

    `Project Orion`, `billing API` and `Orion` are names; `Ship it now`, `Not found` and `No` may be
    what somebody said.
    """
    words = quoted.split(" ")
    if len(words) > _MAX_WORDS or not all(map(_NAME_WORD.fullmatch, words)):
        return False
    if quoted.endswith((".", "'", "\u2019")) or not any(map(str.isupper, quoted)):
        return False
    telling = [word.lower() for word in words if word.lower() not in looks.PARTICLES]
    if not telling or STOPWORDS.intersection(telling):
        return False
    if len(words) == 1:
        return telling[0] not in looks.SAID_ALONE
    return any(map(str.isupper, quoted[1:]))
