"""The codec between keyed documents and lines of an export.

A line has the document, the versions that the history shows, the list with its positions, and the
values that are stored in the bucket. The vectors come along, so that a search finds a restored
document by meaning at once. Bytes are hexadecimal text.
"""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from membrane.domain.archive.lines import LineKind
from membrane.domain.archive.record_lines import Digest, Seconds
from membrane.domain.documents.document import (
    MAX_MARKS,
    Document,
    DocumentAction,
    Entry,
    Mark,
    Passage,
    Text,
    Version,
    first_broken,
)
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.places import Key, Namespace, Place, owner_of_values
from membrane.domain.documents.requests import MAX_APPEND_BYTES, MAX_INDEXED_PATHS, Path, Period
from membrane.domain.documents.texts import MAX_TEXTS
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part, Scope, SensitivityWord, Timestamp
from membrane.domain.language.json_text import (
    MAX_RECORD_DEPTH,
    JsonObject,
    compact_json,
    parse_json,
)
from membrane.domain.language.values import LARGE_VALUE_BYTES, MAX_VALUE_BYTES, LargeValue
from membrane.domain.language.violations import validate

MAX_VERSIONS = 1_000_000
MAX_CHUNKS = 1_000_000
MAX_DIMENSIONS = 4_096

MAX_NUMBER = 10**9
"""Of a version or position: a sort key has ten digits."""

Number = Annotated[int, Field(ge=1, le=MAX_NUMBER)]
Skipped = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
Hex = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2}){0,128}$")]
Packed = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{1,8192}={0,2}$")]
Words = Annotated[str, Field(max_length=10_000)]
Items = Annotated[tuple[Any, ...], Field(strict=False)]


@dataclass(frozen=True, slots=True)
class ArchivedDocument:
    """A keyed document of an export."""

    document: Document
    """Without former versions."""
    former: tuple[Version, ...]
    """Every former version that the history shows, oldest first."""
    chunks: tuple[Chunk, ...]
    """The list, oldest first; a chunk without items keeps the positions taken."""
    values: Mapping[LargeValue, bytes]
    """The JSON texts of the values in the bucket."""

    @property
    def versions(self) -> tuple[Version, ...]:
        return (*self.former, self.document.current)


def large_values_of(versions: Iterable[Version]) -> tuple[LargeValue, ...]:
    """The values in the bucket that the versions refer to, each once."""
    texts = (each.text for each in versions)
    return tuple(dict.fromkeys(each for each in texts if isinstance(each, LargeValue)))


class LargeText(Part):
    """A value in the bucket."""

    sha256: Digest
    size: Annotated[int, Field(ge=1, le=MAX_VALUE_BYTES)]


class VersionLine(Part):
    """A version with the audit entry; `text` or `large` has the value."""

    version: Number
    action: Annotated[DocumentAction, Field(strict=False)]
    at: Timestamp
    principal: Words
    previous_hash: Hex
    hash: Digest
    text_hash: Digest
    salt: Hex = ""
    rationale: Words = ""
    text: str | None = None
    """The value as JSON text."""
    large: LargeText | None = None


class MarkLine(Part):
    """A keyed write that a repeat must recognise."""

    identity: Hex
    fingerprint: Hex
    version: Number
    existed: bool


class ChunkLine(Part):
    """The items of one append, at consecutive positions."""

    start: Number
    taken: Number
    skipped: Skipped = 0
    items: Items = ()
    principal: Words = ""
    at: Timestamp
    revision: Number
    identity: Hex = ""
    fingerprint: Hex = ""
    taken_off: Items = ()
    taken_off_by: Hex = ""
    expires_at_s: Seconds | None = None


class DocumentState(Part):
    """The state of the document beside the versions."""

    scope: Scope = ""
    namespace: Namespace
    key: Key
    sensitivity: SensitivityWord
    created_at: Timestamp
    shown_from: Number
    refreshed_at_s: Seconds
    removed_at_s: Seconds | None = None
    ttl_s: Period | None = None
    half_life_s: Period | None = None
    index: Annotated[tuple[Path, ...], Field(strict=False, max_length=MAX_INDEXED_PATHS)] = ()
    embedder: Words = ""
    passages: Annotated[tuple[Packed, ...], Field(strict=False, max_length=MAX_TEXTS)] = ()
    """The vectors in base64, a signed byte a component."""
    marks: Annotated[tuple[MarkLine, ...], Field(strict=False, max_length=MAX_MARKS)] = ()


class DocumentLine(Part):
    """A keyed document with everything that belongs to the document."""

    kind: str
    document: DocumentState
    versions: Annotated[
        tuple[VersionLine, ...], Field(strict=False, min_length=1, max_length=MAX_VERSIONS)
    ]
    """Oldest first; the last is the current version."""
    chunks: Annotated[tuple[ChunkLine, ...], Field(strict=False, max_length=MAX_CHUNKS)] = ()
    values: dict[Digest, str] = {}
    """JSON texts by SHA-256."""


def keyed_document_line(archived: ArchivedDocument) -> JsonObject:
    document = archived.document
    line: JsonObject = {
        "kind": LineKind.KEYED_DOCUMENT,
        "document": _state_json(document),
        "versions": [_version_json(each) for each in archived.versions],
    }
    if archived.chunks:
        line["chunks"] = [chunk_json(each) for each in archived.chunks]
    if archived.values:
        texts = sorted((large.sha256, text.decode()) for large, text in archived.values.items())
        line["values"] = dict(texts)
    return line


def keyed_document_of_line(line: JsonObject) -> ArchivedDocument:
    """The inverse of `keyed_document_line`; raises InvalidArgument for what no export holds."""
    given = validate(DocumentLine, line)
    place = Place(given.document.scope, given.document.namespace, given.document.key)
    owner = owner_of_values(place.id, given.document.shown_from)
    versions = tuple(_version(each, owner) for each in given.versions)
    archived = ArchivedDocument(
        _document(place, versions[-1], given.document),
        versions[:-1],
        tuple(_chunk(each, place, given.document.created_at) for each in given.chunks),
        dict(_values(large_values_of(versions), given.values)),
    )
    _require_sound(archived)
    return archived


def chunk_json(chunk: Chunk) -> JsonObject:
    """A chunk within the line of the document."""
    shown = {
        "start": chunk.start,
        "taken": chunk.taken,
        "at": chunk.at,
        "revision": chunk.revision,
    }
    optional = {
        "skipped": chunk.skipped,
        "items": [*chunk.items],
        "principal": chunk.principal,
        "identity": chunk.identity.hex(),
        "fingerprint": chunk.fingerprint.hex(),
        "taken_off": [*chunk.taken_off],
        "taken_off_by": chunk.taken_off_by.hex(),
    }
    shown |= {name: value for name, value in optional.items() if value}
    if chunk.expires_at_s is not None:
        shown["expires_at_s"] = chunk.expires_at_s
    return shown


def _state_json(document: Document) -> JsonObject:
    place = document.place
    shown: JsonObject = {"scope": place.scope} if place.scope else {}
    shown |= {
        "namespace": [*place.namespace],
        "key": place.key,
        "sensitivity": document.sensitivity,
        "created_at": document.created_at,
        "shown_from": document.shown_from,
        "refreshed_at_s": document.refreshed_at_s,
    }
    for name in ("removed_at_s", "ttl_s", "half_life_s"):
        value = getattr(document, name)
        if value is not None:
            shown[name] = value
    if document.index:
        shown["index"] = [*document.index]
    if document.passages:
        shown["embedder"] = document.embedder
        shown["passages"] = [b64encode(each.packed).decode() for each in document.passages]
    if document.marks:
        shown["marks"] = [
            {
                "identity": each.identity.hex(),
                "fingerprint": each.fingerprint.hex(),
                "version": each.version,
                "existed": each.existed,
            }
            for each in document.marks
        ]
    return shown


def _version_json(version: Version) -> JsonObject:
    entry = version.entry
    shown: JsonObject = {
        "version": entry.version,
        "action": entry.action,
        "at": entry.at,
        "principal": entry.principal,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
        "text_hash": entry.text_hash,
    }
    if entry.salt:
        shown["salt"] = entry.salt
    if entry.rationale:
        shown["rationale"] = entry.rationale
    if isinstance(version.text, LargeValue):
        shown["large"] = {"sha256": version.text.sha256, "size": version.text.size}
    elif version.text is not None:
        shown["text"] = version.text
    return shown


def _document(place: Place, current: Version, given: DocumentState) -> Document:
    return Document(
        place,
        current,
        given.sensitivity,
        given.created_at,
        shown_from=given.shown_from,
        marks=tuple(
            Mark(
                bytes.fromhex(each.identity),
                bytes.fromhex(each.fingerprint),
                each.version,
                each.existed,
            )
            for each in given.marks
        ),
        ttl_s=given.ttl_s,
        half_life_s=given.half_life_s,
        refreshed_at_s=given.refreshed_at_s,
        removed_at_s=given.removed_at_s,
        index=given.index,
        passages=tuple(_passage(each) for each in given.passages),
        embedder=given.embedder,
    )


def _passage(encoded: str) -> Passage:
    try:
        packed = b64decode(encoded, validate=True)
    except ValueError as error:
        raise InvalidArgument("passages must be base64") from error
    if len(packed) > MAX_DIMENSIONS:
        raise InvalidArgument(f"a passage must have at most {MAX_DIMENSIONS} components")
    return Passage(packed)


def _version(given: VersionLine, owner: str) -> Version:
    entry = Entry(
        given.version,
        given.action,
        given.at,
        given.principal,
        given.previous_hash,
        given.hash,
        given.text_hash,
        given.salt,
        given.rationale,
    )
    return Version(entry, _text(given, owner))


def _text(given: VersionLine, owner: str) -> Text:
    if given.large is not None:
        if given.text is not None:
            raise InvalidArgument("a version has text or large, not both")
        return LargeValue(owner, given.large.sha256, given.large.size)
    if given.text is not None:
        parse_json(given.text, MAX_RECORD_DEPTH)
        if len(given.text.encode()) > LARGE_VALUE_BYTES:
            raise InvalidArgument("text is too long: such a value is in values")
    return given.text


def _chunk(given: ChunkLine, place: Place, generation: str) -> Chunk:
    if given.skipped + len(given.items) > given.taken:
        raise InvalidArgument("a chunk has more items than positions")
    if any(
        len(compact_json(each).encode()) > MAX_APPEND_BYTES
        for each in (given.items, given.taken_off)
    ):
        raise InvalidArgument(f"the items of a chunk exceed {MAX_APPEND_BYTES} bytes as JSON")
    return Chunk(
        place,
        given.start,
        given.taken,
        given.items,
        given.principal,
        given.at,
        generation,
        given.revision,
        identity=bytes.fromhex(given.identity),
        fingerprint=bytes.fromhex(given.fingerprint),
        taken_off=given.taken_off,
        taken_off_by=bytes.fromhex(given.taken_off_by),
        expires_at_s=given.expires_at_s,
        skipped=given.skipped,
    )


def _values(
    named: Iterable[LargeValue], given: Mapping[str, str]
) -> Iterator[tuple[LargeValue, bytes]]:
    """Every value in the bucket with the JSON text; raises InvalidArgument for any other set."""
    by_digest = {each.sha256: each for each in named}
    if by_digest.keys() != given.keys():
        raise InvalidArgument("values must have exactly the values that the versions refer to")
    for sha256, large in by_digest.items():
        text = given[sha256].encode()
        if len(text) != large.size or hashlib.sha256(text).hexdigest() != sha256:
            raise InvalidArgument("a value does not match its size and digest")
        parse_json(text, MAX_RECORD_DEPTH)
        yield large, text


def _require_sound(archived: ArchivedDocument) -> None:
    """Raises InvalidArgument for a broken chain, and for chunks that overlap."""
    document, versions = archived.document, archived.versions
    broken = first_broken(document.place, versions)
    if broken is not None:
        raise InvalidArgument(f"the audit trail is broken at version {broken}")
    if versions[0].entry.version < document.shown_from:
        raise InvalidArgument("versions must begin with shown_from")
    if document.is_deleted != (document.removed_at_s is not None):
        raise InvalidArgument("removed_at_s belongs to a deleted document")
    if document.is_deleted and archived.chunks:
        raise InvalidArgument("a deleted document has no chunks")
    free = 1
    for chunk in archived.chunks:
        if chunk.start < free:
            raise InvalidArgument("chunks must be in order, and must not overlap")
        free = chunk.next_start
