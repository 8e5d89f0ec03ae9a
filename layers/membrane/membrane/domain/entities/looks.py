"""What a word names, going by its form: an address, a repository, a file or a ticket."""

import re
from typing import NamedTuple

from membrane.domain.entities.word_lists import (
    DOMAIN_ENDS,
    FILE_EXTENSIONS,
    FOLDERS,
    FOLDERS_OF_FOLDERS,
    NO_OWNERS,
    NO_TICKETS,
    ROOTS,
)

PERSON = "person"
TOOL = "tool"
PROJECT = "project"
FILE = "file"
CONCEPT = "concept"
URL = "url"
REPOSITORY = "repository"
TICKET = "ticket"
SYMBOL = "symbol"
SERVICE = "service"


_ADDRESS = re.compile(r"(?:https?|ftp|ssh|git|s3)://[^\s/@<>\"`]++(?!@)(?:/[^\s<>\"`]*+)?")
"""Addresses with a user before `@` may hold a password, and are no names."""

_OWNER_AND_NAME = r"(?P<owner>[A-Za-z0-9][\w-]{0,38})/(?P<name>[\w.-]{1,100})"
_REPOSITORY = re.compile(_OWNER_AND_NAME)
_HOSTED = re.compile(
    rf"(?:https?://)?(?:github\.com|gitlab\.com|bitbucket\.org)/{_OWNER_AND_NAME}/?"
)
_TICKET = re.compile(
    r"(?<![\w-])(?:CVE-\d{4}-\d{4,7}|(?P<prefix>[A-Z][A-Z0-9]{1,9})-[1-9]\d{0,6})(?![\w-]|\.\d)"
)
_NUMBERED = re.compile(rf"{_OWNER_AND_NAME}#\d{{1,7}}")
_BARE_NUMBER = re.compile(r"#\d{1,7}")
_PATH = re.compile(r"[\w./@+~-]++")
_PLACE_IN_FILE = re.compile(r"(?:(?::\d{1,6}){1,2}|#L\d{1,6}(?:-L\d{1,6})?)\Z")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_ENDS = ".,;:!?'*\u2026\u2019\u201d\u00bb"
"""Punctuation behind an address."""
_EXTENSION = re.compile(r"[a-z][a-z0-9]{1,7}|[chr]")


class Look(NamedTuple):
    """What a word names."""

    kind: str
    surface: str
    """The name: the word, without the line of a file."""
    aliases: tuple[str, ...] = ()


def look_of(word: str) -> Look | None:
    """What the word names, if its form alone says so. A repository without a host does not."""
    return (
        _repository_at_host(word)
        or _address(word)
        or _ticket(word)
        or _path(word)
        or _bare_file(word)
    )


def look_alone(word: str) -> Look | None:
    """What a word that stands alone names, as in a field or in code quotes."""
    return look_of(word) or repository_look(word)


def repository_look(word: str) -> Look | None:
    """`owner/name` as a repository, where the words around speak of repositories or of code."""
    match = _REPOSITORY.fullmatch(word)
    if match is None or match["owner"].lower() in NO_OWNERS or word.isupper():
        return None
    are_words = all(any(map(str.isalpha, part)) for part in match.groups())
    return Look(REPOSITORY, word) if are_words else None


def repository_in(word: str) -> str:
    """The `owner/name` of the repository that the word names; empty for any other word."""
    look = look_alone(word)
    if look is None or look.kind != REPOSITORY:
        return ""
    return look.aliases[0] if look.aliases else look.surface


def is_bare_number(name: str) -> bool:
    """Whether the name is a ticket's number alone, such as `#12`, which many repositories have."""
    return _BARE_NUMBER.fullmatch(name) is not None


def addresses_in(text: str) -> list[tuple[int, int]]:
    """Start and end of the addresses, without the punctuation of the sentence around."""
    found = ((each.start(), each.group()) for each in _ADDRESS.finditer(text))
    return [(start, start + len(_without_punctuation(address))) for start, address in found]


def tickets_in(text: str) -> list[tuple[int, int]]:
    """Start and end of the tickets of the form `ABC-123`."""
    return [each.span() for each in _TICKET.finditer(text) if _is_ticket(each)]


def _without_punctuation(address: str) -> str:
    """The address without the end of the sentence; `(b)` at the end belongs to the address."""
    unopened = {close: address.count(close) - address.count(begin) for begin, close in _BRACKETS}
    end = len(address)
    while address[end - 1] in _ENDS or unopened.get(address[end - 1], 0) > 0:
        end -= 1
        if address[end] in unopened:
            unopened[address[end]] -= 1
    return address[:end]


def _address(word: str) -> Look | None:
    return Look(URL, word) if _ADDRESS.fullmatch(word) else None


def _repository_at_host(word: str) -> Look | None:
    match = _HOSTED.fullmatch(word)
    if match is None:
        return None
    return Look(REPOSITORY, word, (f"{match['owner']}/{match['name'].removesuffix('.git')}",))


def _ticket(word: str) -> Look | None:
    match = _TICKET.fullmatch(word)
    is_ticket = (match is not None and _is_ticket(match)) or _NUMBERED.fullmatch(word)
    return Look(TICKET, word) if is_ticket else None


def _is_ticket(match: re.Match[str]) -> bool:
    prefix: str | None = match["prefix"]
    return prefix is None or prefix.lower() not in NO_TICKETS


def _path(word: str) -> Look | None:
    surface = _PLACE_IN_FILE.sub("", word).rstrip("/")
    if "/" not in surface or "//" in surface or not _PATH.fullmatch(surface):
        return None
    if not any(map(str.isalpha, surface)):
        return None
    first, *others = surface.split("/")
    host, _, end = first.rpartition(".")
    if host and end in DOMAIN_ENDS:
        return None if "@" in host else Look(URL, surface)
    return Look(FILE, surface) if _is_path(first, others) else None


def _bare_file(word: str) -> Look | None:
    """A file without a folder, such as `README.md`."""
    surface = _PLACE_IN_FILE.sub("", word)
    name, _, extension = surface.rpartition(".")
    if extension not in FILE_EXTENSIONS or "/" in name or "@" in name:
        return None
    is_file = _PATH.fullmatch(name) and any(map(str.isalnum, name))
    return Look(FILE, surface) if is_file else None


def _is_path(first: str, others: list[str]) -> bool:
    """Whether the parts of a text with a slash make a path."""
    name, _, extension = others[-1].rpartition(".")
    if name and _EXTENSION.fullmatch(extension):
        return True
    if not first:
        return others[0].lower() in ROOTS and len(others) > 1
    is_deep = len(others) > 1 and first in FOLDERS_OF_FOLDERS
    return first in {"~", ".", ".."} or first in FOLDERS or is_deep
