"""Read a document with its list and history."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.documents.document import (
    Document,
    DocumentAction,
    Version,
    first_broken,
    without_content,
)
from membrane.domain.documents.items import is_shown, newest_first
from membrane.domain.documents.requests import GetDocument
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.sizes import reply_bytes
from membrane.usecases.documents.access import NOT_FOUND, require_visible, sees
from membrane.usecases.documents.refreshing import begin_anew
from membrane.usecases.documents.room import ROOM_BYTES, Room
from membrane.usecases.documents.showing import shown_document, shown_item, shown_version
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_documents import DocumentServices

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentReply,
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
        _add_items(shown, document, request, now_s, services)
    if request.history:
        _add_history(shown, document, request, services)
    if request.verify:
        _add_verdict(shown, document, services)
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


def _add_items(
    shown: "ShownDocument",
    document: Document,
    request: GetDocument,
    now_s: float,
    services: DocumentServices,
) -> None:
    """Add the newest items, oldest first, and where the older ones begin.

    A list whose deletion was cut off may still have items: a deleted document shows none.
    """
    count, below = request.items, request.items_before
    shown["items"] = []
    if document.is_deleted:
        return
    generation, room = document.created_at, Room()
    chunks = services.documents.chunks(
        document.place, count, generation=generation, now_s=now_s, below=below
    )
    listed = (chunk for chunk in chunks if is_shown(chunk, generation, now_s))
    for item, position, chunk in newest_first(listed, below):
        reply = shown_item(item, chunk)
        if not room.takes(reply):
            shown["next_items_before"] = position + 1
            break
        shown["items"].append(reply)
        if len(shown["items"]) == count:
            if position > 1:
                shown["next_items_before"] = position
            break
    shown["items"].reverse()


def _add_history(
    shown: "ShownDocument",
    document: Document,
    request: GetDocument,
    services: DocumentServices,
) -> None:
    """Add the former versions, newest first, and where the older ones begin.

    The items come first: the versions have the room that is left. An erasure that was cut off has
    not reached the former versions yet: they are shown as erased.
    """
    shown["history"] = []
    room = Room(ROOM_BYTES - reply_bytes(shown.get("items", [])))
    is_erased = document.current.entry.action is DocumentAction.ERASE
    before = request.history_before or document.version
    former = _former(document, before, request.history, services)
    own = [each for each in former if each.entry.version >= document.shown_from]
    for each in own:
        reply = shown_version(without_content(each) if is_erased else each)
        if not room.takes(reply):
            shown["next_history_before"] = each.entry.version + 1
            return
        shown["history"].append(reply)
    if len(own) == request.history and own[-1].entry.version > document.shown_from:
        shown["next_history_before"] = own[-1].entry.version


def _add_verdict(shown: "ShownDocument", document: Document, services: DocumentServices) -> None:
    """Add whether the chain holds."""
    former = _former(document, document.version, MAX_VERIFIED, services)
    broken = first_broken(document.place, [*reversed(former), document.current])
    shown["verified"] = broken is None
    if broken is not None:
        shown["first_broken"] = broken


def _former(
    document: Document, before: int, limit: int, services: DocumentServices
) -> Sequence[Version]:
    """Former versions below `before`, newest first; the document's own item has the newest."""
    inline = [each for each in reversed(document.former) if each.entry.version < before]
    if len(inline) >= limit:
        return inline[:limit]
    oldest = document.former[0].entry.version if document.former else document.version
    left = services.documents.versions(document.place, min(before, oldest), limit - len(inline))
    return [*inline, *left]
