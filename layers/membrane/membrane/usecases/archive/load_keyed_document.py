"""Load a keyed document whole, as one line of an export holds the document."""

from collections.abc import Iterator
from dataclasses import replace

from membrane.domain.archive.keyed_document_lines import ArchivedDocument, large_values_of
from membrane.domain.archive.lines import MAX_LINE_BYTES
from membrane.domain.documents.document import (
    Document,
    DocumentAction,
    Version,
    without_content,
)
from membrane.domain.documents.items import Chunk, is_shown
from membrane.domain.documents.places import Place
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.archive.large_values import TOO_LONG, load_values
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_archive import ArchiveServices

VERSIONS_ON_PAGE = 1_000


def load_keyed_document(place: Place, services: ArchiveServices) -> ArchivedDocument | None:
    """The document at one version; None for an absent or expired document.

    Raises Aborted if other writers change the document during every try, and TooLarge.
    """

    def attempt() -> ArchivedDocument | None:
        document = services.documents.load(place)
        now_s = epoch_seconds(services.now())
        if document is None or _is_past(document, now_s):
            return None
        archived = _load_rest(document, now_s, services)
        newest = services.documents.load(place)
        if newest is None or newest.current != document.current:
            raise LostRace
        return archived

    return until_won(attempt, services)


def _is_past(document: Document, now_s: float) -> bool:
    expiry = document.expires_at_s
    return expiry is not None and expiry <= now_s


def _load_rest(document: Document, now_s: float, services: ArchiveServices) -> ArchivedDocument:
    """An erasure that was cut off has left values: they are in no export."""
    former = tuple(_former(document, services))[::-1]
    if document.current.entry.action is DocumentAction.ERASE:
        former = tuple(map(without_content, former))
    chunks = () if document.is_deleted else tuple(_chunks(document, now_s, services))[::-1]
    values = load_values(large_values_of((*former, document.current)), services.records)
    return ArchivedDocument(replace(document, former=()), former, chunks, values)


def _former(document: Document, services: ArchiveServices) -> Iterator[Version]:
    """The former versions that the history shows, newest first."""
    oldest = document.version
    for version in reversed(document.former):
        oldest = version.entry.version
        if oldest >= document.shown_from:
            yield version
    while oldest > document.shown_from:
        page = services.documents.versions(document.place, oldest, VERSIONS_ON_PAGE)
        for version in page:
            oldest = version.entry.version
            if oldest >= document.shown_from:
                yield version
        if len(page) < VERSIONS_ON_PAGE:
            return


def _chunks(document: Document, now_s: float, services: ArchiveServices) -> Iterator[Chunk]:
    """The chunks with items, newest first; the newest also without items, for the positions.

    Raises TooLarge for a list that no line holds.
    """
    found = services.documents.chunks(
        document.place, None, generation=document.created_at, now_s=now_s
    )
    room = MAX_LINE_BYTES
    for position, chunk in enumerate(found):
        shown = chunk if is_shown(chunk, document.created_at, now_s) else _without_items(chunk)
        shown = replace(shown, generation=document.created_at)
        room -= len(compact_json(shown.items)) + len(compact_json(shown.taken_off))
        if room < 0:
            raise TooLarge(TOO_LONG)
        if position == 0 or shown.items:
            yield shown


def _without_items(chunk: Chunk) -> Chunk:
    return replace(chunk, items=(), taken_off=(), taken_off_by=b"", identity=b"", fingerprint=b"")
