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
from membrane.usecases.documents.showing import (
    NOT_FOUND,
    Room,
    begin_anew,
    require_visible,
    sees,
    shown_document,
    shown_item,
    shown_version,
)
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentItem,
        DocumentReply,
        DocumentVersion,
        ShownDocument,
    )


MAX_VERIFIED = 10_000
"""Versions, newest first, whose hash chain a read checks."""


def read_document(request: GetDocument, call: Call, world: World) -> ReplyBody:
    """The document with what the request asks for; the document alone takes one GetItem.

    Raises NotFound for an absent, expired, deleted or hidden document. With `history` or `verify`
    the reply shows a deleted document, too, without a value.
    """
    place = request.place(call.principal.scope_for_writing(request.scope))
    now_s = epoch_seconds(world.now())
    found = world.documents.load(place)
    document = _readable(found, request, call, now_s)
    if request.refresh:
        document = begin_anew(document, call, now_s, world)
    shown = shown_document(document, now_s)
    room = Room()
    if request.items:
        shown["items"], before = _items(document, request, room, now_s, world)
        if before is not None:
            shown["next_items_before"] = before
    if request.history or request.verify:
        _add_history(shown, document, request, room, world)
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
    document: Document, request: GetDocument, room: Room, now_s: float, world: World
) -> "tuple[list[DocumentItem], int | None]":
    """The newest items, oldest first, and the position below which older items may be, if any.

    A deleted document shows none: a deletion that was cut off may have left items.
    """
    if document.is_deleted:
        return [], None
    count, generation = request.items, document.created_at
    chunks = world.documents.chunks(
        document.place, count, generation=generation, now_s=now_s, below=request.items_before
    )
    listed = (chunk for chunk in chunks if is_shown(chunk, generation, now_s))
    items: list[DocumentItem] = []
    before: int | None = None
    for item, position, chunk in newest_first(listed, request.items_before):
        reply = shown_item(item, chunk)
        if not room.takes(reply):
            before = position + 1
            break
        items.append(reply)
        if len(items) == count:
            before = position if position > 1 else None
            break
    return items[::-1], before


def _add_history(
    shown: "ShownDocument",
    document: Document,
    request: GetDocument,
    room: Room,
    world: World,
) -> None:
    """Add whether the chain holds, and the former versions, newest first, as asked for."""
    before, count = request.history_before or document.version, request.history
    known: Sequence[Version] = ()
    if request.verify:
        known = _former(document, document.version, MAX_VERIFIED, world)
        _add_verdict(shown, document, known)
    if not count:
        return
    page = [each for each in known if each.entry.version < before][:count]
    if not request.verify or (len(page) < count and len(known) == MAX_VERIFIED):
        page = [*_former(document, before, count, world)]
    shown["history"], left = _versions(document, page, count, room)
    if left is not None:
        shown["next_history_before"] = left


def _versions(
    document: Document, page: Sequence[Version], count: int, room: Room
) -> "tuple[list[DocumentVersion], int | None]":
    """The versions of a page, and the number below which older versions may be, if any.

    The first version is always among them, so that a caller who goes on comes to the end. An
    erasure that was cut off has not reached the former versions yet: they are shown as erased.
    """
    is_erased = document.current.entry.action is DocumentAction.ERASE
    versions: list[DocumentVersion] = []
    for each in page:
        number = each.entry.version
        if number < document.shown_from:
            return versions, None
        reply = shown_version(without_content(each) if is_erased else each)
        if not room.takes(reply) and versions:
            return versions, number + 1
        versions.append(reply)
    is_more = len(versions) == count and versions[-1]["version"] > document.shown_from
    return versions, versions[-1]["version"] if is_more else None


def _add_verdict(shown: "ShownDocument", document: Document, former: Sequence[Version]) -> None:
    """Add whether the chain holds."""
    broken = first_broken(document.place, [*reversed(former), document.current])
    shown["verified"] = broken is None
    if broken is not None:
        shown["first_broken"] = broken


def _former(document: Document, before: int, limit: int, world: World) -> Sequence[Version]:
    """Former versions below `before`, newest first; the document's own item has the newest."""
    inline = [each for each in reversed(document.former) if each.entry.version < before]
    if len(inline) >= limit:
        return inline[:limit]
    oldest = document.former[0].entry.version if document.former else document.version
    left = world.documents.versions(document.place, min(before, oldest), limit - len(inline))
    return [*inline, *left]
