"""What a word names, going by its form: an address, a repository, a file or a ticket."""

import re
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NO_TICKETS = _words(
    """
    aes bs cobol covid cp din en es eu fips gmt gpt h1 h2 http https iec ieee ipv iso md mp
    pep pkcs q1 q2 q3 q4 rfc rsa sha ssl tls us usb utc utf
    """
)
"""Prefixes of standards, versions and quarters, written like tickets."""

NO_OWNERS = _words(
    """
    and application audio bugfix chore feat feature features fix font heads hotfix image
    message model multipart n or origin refs release releases tags text upstream video w
    """
)
"""First parts of media types, branches and alternatives, written like repositories."""

ROOTS = _words(
    """
    app bin boot dev etc home lib media mnt opt private proc root run sbin srv sys tmp users
    usr var volumes workspace workspaces
    """
)
"""The first folders of absolute paths."""

FOLDERS = _words("src pkg cmd internal node_modules site-packages vendor .github")
"""First folders of a path. No prose offers the folders as alternatives."""

FOLDERS_OF_FOLDERS = _words(
    """
    app apps bin clients config docs examples functions infra layers lib libs migrations
    packages public scripts services static templates test tests tools
    """
)
"""First folders of a path of three parts or more; `docs/tests` may be an alternative."""

DOMAIN_ENDS = _words("ai app cloud co com de dev edu gov io net org uk")
"""Ends of host names, in front of a path or behind an `@`."""

FILE_EXTENSIONS = _words(
    """
    bash cfg conf cpp css csv docx go gz hpp html ini ipynb java jpg json jsonl jsx kt md
    pdf php png pptx proto py pyi rb rs rst scss sh sql svg tf tfvars toml ts tsv tsx txt
    xlsx xml yaml yml zip
    """
)
"""Extensions of files without a folder. `Node.js` and `console.log` are no files."""

PARTICLES = _words("a am an and da de del der for im in la le of on the to und van von zum zur")
"""Words in lower case inside a name."""

SAID_ALONE = _words(
    """
    done error failed false fixed hello hi none null success thanks todo true warning
    """
)
"""Quoted answers and states."""

NO_SYMBOLS = _words(
    """
    bool char class const def double else false float for function if import int let long
    nan nil none null number return self static str string this true type undefined var void
    while yes
    """
)
"""Keywords and values of programming languages."""

NO_PEOPLE = _words(
    """
    all app channel classmethod dataclass deprecated everyone here import media override
    param property pytest return returns staticmethod team test throws
    """
)
"""Decorators and groups, written like handles."""

OF_REPOSITORIES = _words("clone fork github gitlab repo repos repositories repository")
"""Words beside which `owner/name` is a repository."""

OF_TICKETS = _words(
    """
    bug bugs incident issue issues mr pr prs pull repo repository request requests task
    ticket tickets
    """
)
"""Words before the number of a ticket, such as `#12`."""


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
