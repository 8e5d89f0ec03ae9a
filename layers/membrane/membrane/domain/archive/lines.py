"""The frame of an export: the selection, the first line, the last line, and the digest between.

    digest of no line = 32 zero bytes
    digest of n lines = SHA-256(digest of n - 1 lines || line n without the line end)

A run that continues an export needs only the 32 bytes of the digest so far.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.vocabulary import Sensitivity


@dataclass(frozen=True, slots=True)
class Selection:
    """The scopes of an export: exact scopes and prefixes, or with `scopes` None every scope."""

    ceiling: Sensitivity
    scopes: tuple[str, ...] | None
    prefixes: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return self.scopes is None and self.ceiling is Sensitivity.HYPER

    def selects(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether the export holds a record; unscoped records belong to the export of all."""
        if sensitivity.level > self.ceiling.level:
            return False
        if self.scopes is None or scope in self.scopes:
            return True
        return bool(scope) and scope.startswith(self.prefixes)

    def covers(self, scope: str) -> bool:
        """Whether the export may hold records of a scope, of any sensitivity."""
        return self.selects(scope, min(Sensitivity, key=lambda each: each.level))

    def selects_all_of(self, scope: str) -> bool:
        """Whether the export holds all of a scope, whatever the sensitivity."""
        return self.selects(scope, Sensitivity.HYPER)

    def as_json(self) -> JsonObject:
        """The selection; the field `scopes` has the spelling of a key, and is absent for all."""
        shown: JsonObject = {"max_sensitivity": self.ceiling}
        if self.scopes is not None:
            shown["scopes"] = [*self.scopes, *(f"{prefix}*" for prefix in self.prefixes)]
        return shown

    @classmethod
    def of_json(cls, shown: JsonObject) -> "Selection":
        """The inverse of `as_json`."""
        entries = shown.get("scopes")
        if entries is None:
            return cls(Sensitivity(shown["max_sensitivity"]), None)
        prefixes = tuple(entry[:-1] for entry in entries if entry.endswith(":*"))
        exact = tuple(entry for entry in entries if not entry.endswith(":*"))
        return cls(Sensitivity(shown["max_sensitivity"]), exact, prefixes)


def selection_for(principal: Principal, scope: str | None) -> Selection:
    """The requested scope, else all of the principal. Raises PermissionDenied."""
    trust = principal.trust
    if scope is not None:
        if not trust.covers(scope):
            raise PermissionDenied("the key does not cover this scope")
        return Selection(principal.ceiling, (scope,))
    if trust.scopes is None:
        return Selection(principal.ceiling, None)
    return Selection(principal.ceiling, tuple(sorted(trust.scopes)), trust.prefixes)


FORMAT = "membrane-export"
VERSION, WITH_DOCUMENTS = 1, 2
"""The versions of the format: a file with keyed documents has kinds that version 1 lacks."""

MAX_LINE_BYTES = 128 * 1024 * 1024
"""The longest line of an export; a record with its values in the bucket is one line."""

LEVELS = 96
"""Levels of nesting in a line: a record with its history lies some levels deeper than alone."""

MAX_FRAME_BYTES = 64 * 1024
"""The longest first or last line."""

END = "end"
"""The word in the field `format` of the last line."""

CUT = "the file is cut: the last line of an export is missing"

_NO_LINE = bytes(32)
_BEGINNING = 128
"""The bytes of a line that show the kind, which stands first."""

_FRAME = re.compile(r'\s{0,8}\{\s{0,8}"format"')
"""How the first and the last line begin; parsing every line to see the difference takes long."""

_KIND = re.compile(r'\{"kind":"(?P<kind>[a-z_]{1,32})"[,}]')


class LineKind(StrEnum):
    """What a line between the first and the last holds."""

    RECORD = "record"
    TOMBSTONE = "tombstone"
    """A deleted record without content."""
    RECEIPT = "receipt"
    """The use of an idempotency key by a record with an id of its own."""
    THREAD = "thread"
    """The next turn of a thread."""
    TOPIC = "topic"
    """A topic of any status, with the revisions of all fields."""
    STATEMENT = "statement"
    """In exports of former versions, the place of a record's revision in a topic."""
    TOPIC_RECEIPT = "topic_receipt"
    """The reply to a request about topics under an idempotency key."""
    ACTION = "action"
    """An action of the reasoning about topics."""
    SYSTEM_CONTEXT = "system_context"
    COMMUNITIES = "communities"
    """In exports of former versions, the communities of the topics of a scope."""
    KEYED_VALUE = "keyed_value"
    """A value of a keyed document that lies in the bucket."""
    KEYED_VERSIONS = "keyed_versions"
    """Former versions of a keyed document that lie beside the document."""
    KEYED_ITEMS = "keyed_items"
    """The items of one append to the list of a keyed document."""
    KEYED_WRITE = "keyed_write"
    """What a write of a keyed document under an idempotency key did."""
    KEYED_DOCUMENT = "keyed_document"
    """A keyed document; comes after all other lines of the document."""
    DAMAGED = "damaged"
    """An item that could not be read, by id."""


OF_DOCUMENTS = frozenset(kind for kind in LineKind if kind.startswith("keyed_"))
"""The kinds of lines about keyed documents."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The digest and the counts of the lines so far, the first line included."""

    digest: str = _NO_LINE.hex()
    lines: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    """Lines by kind, without the first."""

    def after(self, lines: Iterable[bytes], kinds: Iterable[str] = ()) -> "Frame":
        """The frame after further lines, which come without line ends."""
        digest, number = bytes.fromhex(self.digest), self.lines
        for line in lines:
            digest, number = hashlib.sha256(digest + line).digest(), number + 1
        counts = Counter(self.counts)
        counts.update(kinds)
        return Frame(digest.hex(), number, dict(sorted(counts.items())))


def first_line(exported_at: str, selection: Selection, version: int = VERSION) -> bytes:
    """The first line: the format, the instant of the export, and the scopes exported."""
    header = {"format": FORMAT, "version": version, "exported_at": exported_at}
    return encode_line(header | {"selection": selection.as_json()})


def last_line(frame: Frame) -> bytes:
    """The last line: the counts and the digest of all lines before."""
    end = {"format": f"{FORMAT}-{END}", "lines": frame.lines, "counts": frame.counts}
    return encode_line(end | {"sha256": frame.digest})


def encode_line(line: JsonObject) -> bytes:
    """The line in UTF-8, without a line end."""
    return compact_json(line).encode()


UNREADABLE = "unreadable"


def damaged_line(name: str, reason: str = UNREADABLE) -> JsonObject:
    """The line of an item that could not be exported."""
    return {"kind": LineKind.DAMAGED, "id": name, "reason": reason}


def selection_of(line: bytes) -> Selection | None:
    """The scopes of an export by the first line; None for any other line."""
    if not is_first_line(line):
        return None
    try:
        return Selection.of_json(parse_json(line)["selection"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def is_first_line(line: bytes) -> bool:
    """Whether a text begins an export, and not a file of requests."""
    return _format_of(line) == FORMAT


def is_last_line(line: bytes) -> bool:
    return _format_of(line) == f"{FORMAT}-{END}"


def kind_of_line(line: bytes) -> str:
    """The kind of a line, which stands first in the line; empty for a line of another form."""
    match = _KIND.match(_beginning(line))
    return "" if match is None else match["kind"]


def require_version(line: bytes) -> None:
    """Raises InvalidArgument for a first line of another version."""
    if parse_json(line).get("version") not in {VERSION, WITH_DOCUMENTS}:
        raise InvalidArgument(f"the export's version must be {VERSION} or {WITH_DOCUMENTS}")


@dataclass(slots=True)
class FrameCheck:
    """Compares the last line of a file with all lines before it."""

    frame: Frame = field(default_factory=Frame)
    """Of the lines before `last`."""
    last: bytes | None = None
    """The line added last, without a line end."""

    def add(self, line: bytes) -> None:
        if self.last is not None:
            kinds = [kind_of_line(self.last)] if self.frame.lines else []
            self.frame = self.frame.after([self.last], kinds)
        self.last = line

    def require_end(self) -> None:
        """Raises InvalidArgument unless the line added last matches the lines before."""
        if self.last is None or not is_last_line(self.last):
            raise InvalidArgument(CUT)
        if parse_json(self.last) != parse_json(last_line(self.frame)):
            message = "the lines do not match the counts and the digest of the last line"
            raise InvalidArgument(message)


def require_whole(lines: Iterable[bytes]) -> None:
    """Raises InvalidArgument unless the last line, without its end, matches all before."""
    check = FrameCheck()
    for line in lines:
        check.add(line)
    check.require_end()


def _format_of(line: bytes) -> object:
    if len(line) > MAX_FRAME_BYTES or not _FRAME.match(_beginning(line)):
        return None
    try:
        found = parse_json(line)
    except InvalidArgument:
        return None
    return found.get("format") if isinstance(found, dict) else None


def _beginning(line: bytes) -> str:
    return line[:_BEGINNING].decode("latin-1")
