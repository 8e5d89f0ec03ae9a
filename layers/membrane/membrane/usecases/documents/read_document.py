"""Read a document with its list and history."""

from collections.abc import Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from membrane.domain.documents.document import (
    Document,
    DocumentAction,
    Version,
    first_broken,
    without_content,
)
from membrane.domain.documents.items import is_shown, newest_items
from membrane.domain.documents.requests import GetDocument
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.documents.access import NOT_FOUND, require_visible, sees
from membrane.usecases.documents.refreshing import begin_anew
from membrane.usecases.documents.room import Room
from membrane.usecases.documents.showing import shown_document, shown_item, shown_version
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_documents import DocumentServices

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentItem,
        DocumentReply,
        DocumentVersion,
        ShownDocument,
    )


MAX_VERIFIED = 10_000
"""Versions, newest first, whose hash chain a read checks."""


def read_document(request: GetDocument, call: Call, services: DocumentServices) -> ReplyBody:
    """The document with what the request asks for; the document alone takes one GetItem.

    Raises NotFound for an absent, expired, deleted or hidden document. With `history` or `verify`
    the reply shows a deleted document, too, without a value.
    """
    place = request.place(call.principal.scope_for_writing(request.scope))
    now_s = epoch_seconds(services.now())
    found = services.documents.load(place)
    document = _readable(found, request, call, now_s)
    if request.refresh:
        document = begin_anew(document, call, now_s, services)
    shown = shown_document(document, now_s)
    if request.items:
        shown["items"] = _items(document, request.items, now_s, services)
    if request.history or request.verify:
        _add_history(shown, document, request, services)
    body: DocumentReply = {"document": shown}
    return ReplyBody(body, version=document.version)


def _readable(
    document: Document | None, request: GetDocument, call: Call, now_s: float
) -> Document:
    if not (request.history or request.verify):
        return require_visible(document, call.principal, now_s)
    is_kept = document is not None and (document.is_deleted or document.is_alive(now_s))
    if document is None or not is_kept or not sees(document, call.principal):
        raise NotFound(NOT_FOUND)
    return document


def _items(
    document: Document, count: int, now_s: float, services: DocumentServices
) -> "list[DocumentItem]":
    chunks = services.documents.chunks(
        document.place, count, generation=document.created_at, now_s=now_s
    )
    shown = [chunk for chunk in chunks if is_shown(chunk, document.created_at, now_s)]
    newest_first = reversed(newest_items(shown, count))
    items = (shown_item(item, chunk) for item, chunk in newest_first)
    return list(takewhile(Room().takes, items))[::-1]


def _add_history(
    shown: "ShownDocument", document: Document, request: GetDocument, services: DocumentServices
) -> None:
    """Add the former versions, newest first, and whether the chain holds."""
    limit = MAX_VERIFIED if request.verify else request.history
    former = _former(document, limit, services)
    if request.history:
        shown["history"] = _history(document, former, request.history)
    if request.verify:
        broken = first_broken(document.place, [*reversed(former), document.current])
        shown["verified"] = broken is None
        if broken is not None:
            shown["first_broken"] = broken


def _history(document: Document, former: Sequence[Version], count: int) -> "list[DocumentVersion]":
    """The newest former versions for which the reply has room.

    An erasure that was cut off has not reached the former versions yet: they are shown as erased.
    """
    is_erased = document.current.entry.action is DocumentAction.ERASE
    own = (each for each in former if each.entry.version >= document.shown_from)
    versions = (shown_version(without_content(each) if is_erased else each) for each in own)
    room = Room()
    return list(takewhile(room.takes, islice(versions, count)))


def _former(document: Document, limit: int, services: DocumentServices) -> Sequence[Version]:
    """Former versions, newest first; the document's own item has the newest."""
    inline = list(reversed(document.former))
    if len(inline) >= limit:
        return inline
    before = inline[-1].entry.version if inline else document.version
    left = services.documents.versions(document.place, before, limit - len(inline))
    return [*inline, *left]
