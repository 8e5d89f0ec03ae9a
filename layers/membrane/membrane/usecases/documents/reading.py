"""Read documents, lists, histories and receipts: who sees what, and in which form."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.access.principals import Principal
from membrane.domain.documents import model
from membrane.domain.documents.items import Chunk, Once, Receipt, is_shown, newest_first
from membrane.domain.documents.requests import GetDocument, ReadOperation
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import Room
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import operation
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentItem,
        DocumentReply,
        DocumentVersion,
        OperationReceipt,
        ShownDocument,
        StoredDocument,
    )

RPC = "documents"
"""One name for the writes of documents: at a place, a key stands for one write."""

MAX_VERIFIED = 10_000
"""Versions, newest first, whose hash chain a read checks."""

REFRESHED_FROM = 0.05
"""The part of its period after which a read begins the period of a document anew: earlier reads
would pay for a write that hardly moves the expiry."""

ROOM_BYTES = 5 * 1024 * 1024
"""For a page; `MAX_BODY_BYTES` then has room for large values that fit, and for the cursor."""


def read_document(request: GetDocument, call: Call, world: World) -> ReplyBody:
    """The document with what the request asks for; the document alone takes one GetItem.

    Raises NotFound for an absent, expired, deleted or hidden document. With `history` or `verify`
    the reply shows a deleted document, too, without a value.
    """
    now_s = epoch_seconds(world.now())
    found = world.documents.load(request.place(call.principal.scope_for_writing(request.scope)))
    document = visible(found, call.principal, now_s)
    if found is not None and found.is_deleted and (request.history or request.verify):
        document = found if sees(found, call.principal) else None
    if document is None:
        raise NotFound("document not found")
    if request.refresh:
        document = begin_anew(document, call, now_s, world)
    shown = shown_document(document, now_s)
    room = Room(ROOM_BYTES)
    if request.items:
        shown["items"], before = _items(document, request, room, now_s, world)
        if before is not None:
            shown["next_items_before"] = before
    if request.history or request.verify:
        _add_history(shown, document, request, room, world)
    body: DocumentReply = {"document": shown}
    return ReplyBody(body, version=document.version)


def _items(
    document: model.Document, request: GetDocument, room: Room, now_s: float, world: World
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
    shown: "ShownDocument", document: model.Document, request: GetDocument, room: Room, world: World
) -> None:
    """Add whether the chain holds, and the former versions, newest first, as asked for."""
    before, count = request.history_before or document.version, request.history
    known: Sequence[model.Version] = ()
    if request.verify:
        known = world.documents.versions(document, document.version, MAX_VERIFIED)
        broken = model.first_broken(document.place, [*reversed(known), document.current])
        shown["verified"] = broken is None
        if broken is not None:
            shown["first_broken"] = broken
    if not count:
        return
    page = [each for each in known if each.entry.version < before][:count]
    if not request.verify or (len(page) < count and len(known) == MAX_VERIFIED):
        page = [*world.documents.versions(document, before, count)]
    shown["history"], left = _versions(document, page, count, room)
    if left is not None:
        shown["next_history_before"] = left


def _versions(
    document: model.Document, page: Sequence[model.Version], count: int, room: Room
) -> "tuple[list[DocumentVersion], int | None]":
    """The versions of a page, and the number below which older versions may be, if any.

    A page has at least one version, so that a caller who goes on comes to the end. Where an
    erasure was cut off before the former versions, the former versions are shown as erased.
    """
    versions: list[DocumentVersion] = []
    for each in page:
        number = each.entry.version
        if number < document.shown_from:
            return versions, None
        reply = _shown_version(model.without_content(each) if document.is_erased else each)
        if not room.takes(reply) and versions:
            return versions, number + 1
        versions.append(reply)
    is_more = len(versions) == count and versions[-1]["version"] > document.shown_from
    return versions, versions[-1]["version"] if is_more else None


def read_operation(request: ReadOperation, call: Call, world: World) -> ReplyBody:
    """The receipt of the caller's write; raises NotFound for a write that did not take place.

    The note says where the write went, and comes before the write.
    """
    identity, operation_id = call.principal.identity, request.operation_id
    noted = world.documents.find_receipt(identity, operation_id)
    write = None if noted is None else noted_write(noted, identity, operation_id, world)
    if noted is None or write is None:
        raise NotFound("operation not found")
    receipt: OperationReceipt = {
        "namespace": [*noted.place.namespace],
        "key": noted.place.key,
        "scope": noted.place.scope,
        "version": write.number,
        "existed": write.existed,
    }
    return ReplyBody(receipt)


def noted_write(noted: Receipt, identity: str, operation_id: str, world: World) -> Once | None:
    """What the noted write did; None if nothing was written."""
    own = operation(identity, RPC, operation_id, noted.fingerprint)
    found = world.documents.find_once(noted.place, own.identity)
    if found is None or found.fingerprint != own.fingerprint or not found.number:
        return None
    return found


def sees(document: model.Document, principal: Principal) -> bool:
    """Whether scope and sensitivity are within the principal's, whatever state the document has."""
    return principal.trust.allows(document.place.scope, document.sensitivity)


def visible(
    document: model.Document | None, principal: Principal, now_s: float
) -> model.Document | None:
    """The document if it is there for the principal: alive, in scope, and up to the ceiling."""
    is_there = document is not None and document.is_alive(now_s) and sees(document, principal)
    return document if is_there else None


def begin_anew(document: model.Document, call: Call, now_s: float, world: World) -> model.Document:
    """The document as a read or an append leaves it, with its period begun anew.

    Unchanged for a principal that may not write the document, early in the period, and if a write
    came between.
    """
    period_s, principal = document.period_s, call.principal
    if document.is_deleted or period_s is None:
        return document
    is_early = now_s - document.refreshed_at_s < REFRESHED_FROM * period_s
    may_write = Permission.INGEST in principal.permissions and principal.may_write(
        document.place.scope, document.sensitivity
    )
    if is_early or not may_write:
        return document
    after = model.with_fresh_period(document, now_s)
    return after if world.documents.refresh(after) else document


def stored_document(document: model.Document, now_s: float) -> "StoredDocument":
    """The document without its value."""
    entry, place, expiry = document.current.entry, document.place, document.expires_at_s
    shown: StoredDocument = {
        "namespace": [*place.namespace],
        "key": place.key,
        "scope": place.scope,
        "sensitivity": document.sensitivity,
        "version": document.version,
        "created_at": document.created_at,
        "updated_at": entry.at,
        "principal": entry.principal,
    }
    if entry.rationale:
        shown["rationale"] = entry.rationale
    if expiry is not None and not document.is_deleted:
        shown["expires_at"] = rfc3339(from_epoch_seconds(expiry))
    if document.half_life_s is not None:
        shown["salience"] = document.salience(now_s)
    if document.index:
        shown["index"] = [*document.index]
    return shown


def shown_document(document: model.Document, now_s: float) -> "ShownDocument":
    shown = cast("ShownDocument", stored_document(document, now_s))
    if document.current.text is not None:
        shown["value"] = value_of(document.current.text)
    if document.is_deleted:
        shown["deleted"] = True
    return shown


def value_of(text: model.Text) -> Any:
    """The JSON value; a LargeValue stays, and the edge puts the value or a link in place."""
    return json.loads(text) if isinstance(text, str) else text


def _shown_version(version: model.Version) -> "DocumentVersion":
    entry = version.entry
    shown: DocumentVersion = {
        "version": entry.version,
        "action": entry.action,
        "at": entry.at,
        "principal": entry.principal,
        "rationale": entry.rationale,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    }
    if version.text is not None:
        shown["value"] = value_of(version.text)
    return shown


def shown_item(item: Any, chunk: Chunk) -> "DocumentItem":
    return {"value": item, "at": chunk.at, "principal": chunk.principal}
