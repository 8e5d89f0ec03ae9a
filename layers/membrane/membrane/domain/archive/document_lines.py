"""The lines of keyed documents in an export.

A document takes several lines: first what lies beside the document, an item a line, and then the
document itself. Each line names the place, the birth and the expiry of the document, so that the
line can be judged alone. Digests are in hex, vectors in base64.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, StringConstraints

from membrane.domain.archive.lines import LineKind
from membrane.domain.archive.record_lines import Digest, Seconds, Version, hex_of, list_of
from membrane.domain.documents import model, requests
from membrane.domain.documents.items import MAX_TAKEN_BYTES
from membrane.domain.documents.model import Document, DocumentAction, Entry, first_broken
from membrane.domain.documents.places import Key, Namespace, Place, life_of, owner_of_values
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Count, Part, Scope, SensitivityWord, Text, Timestamp
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.requests import validate
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.records.stored import FINGERPRINT_BYTES, IDENTITY_BYTES

MAX_VERSIONS = 100
"""Versions of a line at most; an item of the table has fewer."""

MAX_PASSAGES = 10_000

Position = Annotated[int, Field(ge=1, lt=10**10)]
Base64 = Annotated[
    str, StringConstraints(pattern=r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/]=))?$")
]
Items = Annotated[tuple[Any, ...], list_of(requests.MAX_APPEND_BYTES)]


class At(Part):
    """The document that a line is about."""

    scope: Scope = ""
    namespace: Namespace
    key: Key
    born_s: Seconds
    """The instant of version 1: a later document at the place has another birth."""
    expires_at_s: Seconds | None = None

    @property
    def place(self) -> Place:
        return Place(self.scope, self.namespace, self.key)


class Line(Part):
    kind: str
    at: At
    until_s: Seconds | None = None
    """When the item of the line goes, if before the document."""

    def is_past(self, now_s: float) -> bool:
        ends = (self.at.expires_at_s, self.until_s)
        return any(each is not None and each <= now_s for each in ends)

    def as_json(self) -> JsonObject:
        return {"kind": self.kind, **self.model_dump(exclude_defaults=True)}


class Large(Part):
    """A value in the bucket, whose text is in a line of its own."""

    sha256: Digest
    size: Count
    life: Version = 1


class VersionState(Part):
    """The fields of `Entry`, and the JSON text of the value."""

    version: Position
    action: Annotated[DocumentAction, Field(strict=False)]
    at: Timestamp
    principal: Text
    previous_hash: Annotated[str, hex_of(32, or_empty=True)]
    hash: Digest
    text_hash: Digest
    salt: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2}){0,64}$")] = ""
    rationale: requests.Rationale = ""
    text: str | Large | None = None


Versions = Annotated[tuple[VersionState, ...], list_of(MAX_VERSIONS, least=1)]


class ValueLine(Line):
    kind: str = LineKind.KEYED_VALUE
    life: Version = 1
    text: str


class VersionsLine(Line):
    kind: str = LineKind.KEYED_VERSIONS
    versions: Versions


class ChunkState(Part):
    """The fields of `Chunk` but the place and the expiry."""

    start: Position
    taken: Position
    items: Items = ()
    principal: Text = ""
    at: Timestamp
    generation: Timestamp | Literal[""] = ""
    revision: Version = 1
    skipped: Count = 0
    is_floor: bool = False


class ItemsLine(Line):
    kind: str = LineKind.KEYED_ITEMS
    chunk: ChunkState


class WriteLine(Line):
    kind: str = LineKind.KEYED_WRITE
    identity: Annotated[str, hex_of(IDENTITY_BYTES)]
    fingerprint: Annotated[str, hex_of(FINGERPRINT_BYTES)]
    until_s: Seconds
    number: Count = 0
    existed: bool = False
    taken: Items = ()


class DocumentState(Part):
    """The fields of `Document` but place and versions."""

    sensitivity: SensitivityWord
    created_at: Timestamp
    shown_from: Version = 1
    ttl_s: requests.Period | None = None
    half_life_s: requests.Period | None = None
    refreshed_at_s: Seconds
    removed_at_s: Seconds | None = None
    index: Annotated[tuple[requests.Path, ...], list_of(requests.MAX_INDEXED_PATHS)] = ()
    passages: Annotated[tuple[Base64, ...], list_of(MAX_PASSAGES)] = ()
    embedder: Text = ""


class Oldest(Part):
    """The oldest version beside the document, and when it goes."""

    version: Position
    until_s: Seconds | None = None


class DocumentLine(Line):
    kind: str = LineKind.KEYED_DOCUMENT
    document: DocumentState
    versions: Versions
    oldest: Oldest | None = None


AnyLine = ValueLine | VersionsLine | ItemsLine | WriteLine | DocumentLine

_LINES: Mapping[str, type[AnyLine]] = {
    LineKind.KEYED_VALUE: ValueLine,
    LineKind.KEYED_VERSIONS: VersionsLine,
    LineKind.KEYED_ITEMS: ItemsLine,
    LineKind.KEYED_WRITE: WriteLine,
    LineKind.KEYED_DOCUMENT: DocumentLine,
}


class Passed(NamedTuple):
    """How far an export has come with the items beside a document."""

    born_s: float = 0.0
    writes: int = 0
    """Of the document when its head was read last."""
    former: str = ""
    """The sort key of the last item of former versions; empty = none so far."""
    listed: str = ""
    """Of the list."""
    written: str = ""
    """Of keyed writes."""
    oldest: int = 0
    """The number of the oldest version beside the document; 0 = none so far."""
    oldest_until_s: float | None = None


def read_line(shown: JsonObject) -> AnyLine:
    """The line of a document, sound in itself; raises InvalidArgument."""
    line = validate(_LINES[shown["kind"]], shown)
    match line:
        case ValueLine():
            parse_json(line.text)
        case VersionsLine():
            _require_chain(line.at.place, versions_of(line))
        case ItemsLine(chunk=chunk):
            if chunk.skipped + len(chunk.items) > chunk.taken:
                raise InvalidArgument("a chunk has more items than positions")
            _require_within(compact_json(chunk.items), requests.MAX_APPEND_BYTES)
        case WriteLine(taken=taken):  # with brackets and commas
            _require_within(compact_json(taken), MAX_TAKEN_BYTES + len(taken) + 1)
        case DocumentLine():
            _require_chain(line.at.place, versions_of(line))
            _require_document(document_of(line), line.at)
    return line


def states_of(versions: model.Versions) -> tuple[VersionState, ...]:
    """The inverse of `versions_of`."""
    return tuple(VersionState(**asdict(entry), text=_text_state(text)) for entry, text in versions)


def versions_of(line: VersionsLine | DocumentLine) -> model.Versions:
    return tuple(_version_of(each, line.at.place) for each in line.versions)


def state_of(document: Document) -> DocumentState:
    """The inverse of `document_of`, beside `states_of`."""
    state = {name: getattr(document, name) for name in DocumentState.model_fields}
    passages = tuple(b64encode(each).decode() for each in document.passages)
    return DocumentState(**{**state, "passages": passages})


def document_of(line: DocumentLine) -> Document:
    passages = tuple(map(b64decode, line.document.passages))
    state = {**dict(line.document), "passages": passages}
    return Document(line.at.place, versions_of(line), born_s=line.at.born_s, **state)


def large_values_of(versions: model.Versions) -> list[LargeValue]:
    """The values in the bucket, each once."""
    return [*dict.fromkeys(each for _, each in versions if isinstance(each, LargeValue))]


def _text_state(text: model.Text) -> str | Large | None:
    if isinstance(text, LargeValue):
        return Large(sha256=text.sha256, size=text.size, life=life_of(text.record_id))
    return text


def _version_of(state: VersionState, place: Place) -> model.Version:
    fields = dict(state)
    text = fields.pop("text")
    if isinstance(text, Large):
        text = LargeValue(owner_of_values(place.id, text.life), text.sha256, text.size)
    return model.Version(Entry(**fields), text)


def _require_chain(place: Place, versions: model.Versions) -> None:
    broken = first_broken(place, versions)
    if broken is not None:
        raise InvalidArgument(f"the history is broken at version {broken}")
    for _, text in versions:
        if isinstance(text, str):
            parse_json(text)
            _require_within(text, LARGE_VALUE_BYTES - 1)


def _require_within(text: str, most: int) -> None:
    """Raises InvalidArgument for JSON that no write of the service puts into an item."""
    if len(text.encode()) > most:
        raise InvalidArgument(f"the JSON in a line has {most} bytes at most")


def _require_document(document: Document, at: At) -> None:
    if document.expires_at_s != at.expires_at_s:
        raise InvalidArgument("expires_at_s must be the expiry of the document")
    if document.shown_from > document.version:
        raise InvalidArgument("shown_from must be a version of the document")
    if document.is_deleted is (document.removed_at_s is None):
        raise InvalidArgument("a deleted document alone has removed_at_s")
    if document.is_deleted and (document.current.text is not None or document.passages):
        raise InvalidArgument("a deleted document has no value")
