"""Take the newest items off the list beside a document's value."""

from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.documents.document import Document
from membrane.domain.documents.items import Chunk, is_shown, without_newest
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import MAX_ITEMS, DeleteDocument
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.idempotency import IDENTITY_BYTES
from membrane.usecases.documents.access import require_version, visible
from membrane.usecases.documents.keyed_writes import operation_of
from membrane.usecases.documents.showing import shown_item
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services_documents import DocumentServices
from membrane.usecases.records.creating import REUSED

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DeletedDocument, DocumentItem


def take_off_items(
    request: DeleteDocument, count: int, place: Place, call: Call, services: DocumentServices
) -> ReplyBody:
    """Remove and return the newest `count` items, fewer if the list is shorter.

    Several appends may hold them: each append's items go in a write of their own, the newest first.
    A repeat under the key returns the items again, as long as no other removal came between, and
    finishes a removal that was cut off.
    Raises VersionMismatch; AlreadyExists for a reused key; PermissionDenied for an item of another
    actor without `revise`.
    """
    now_s = epoch_seconds(services.now())
    document = services.documents.load([place]).get(place)
    shown = document if visible(document, call.principal, now_s) else None
    require_version(request, shown, now_s)
    if shown is None:
        absent: DeletedDocument = {"existed": False, "items": []}
        return ReplyBody(absent)
    earlier = _emptied_before(shown, call, services)
    taken = [shown_item(item, chunk) for chunk in earlier for item in chunk.taken_off]
    below = earlier[0].start if earlier else None
    while len(taken) < count:
        take = partial(_take, shown, count - len(taken), below, call, services)
        step = until_won(take, services)
        if not step:
            break
        taken = step + taken
    body: DeletedDocument = {"existed": True, "items": taken}
    return ReplyBody(body, replayed=bool(earlier))


def _emptied_before(document: Document, call: Call, services: DocumentServices) -> list[Chunk]:
    """The chunks from which an earlier request under the key took items, oldest first.

    Raises AlreadyExists for a different earlier request.
    """
    keyed = operation_of(call)
    if keyed is None:
        return []
    chunks = reversed(services.documents.chunks(document.place, MAX_ITEMS))
    found = [chunk for chunk in chunks if chunk.taken_off_by[:IDENTITY_BYTES] == keyed.identity]
    if any(chunk.taken_off_by != b"".join(keyed) for chunk in found):
        raise AlreadyExists(REUSED)
    return found


def _take(
    document: Document, count: int, below: int | None, call: Call, services: DocumentServices
) -> "list[DocumentItem]":
    """Take up to `count` items off the newest chunk with items, before the position `below`.

    Empty for a list without further items. A repeat of a request that was cut off goes on below the
    chunks that the request had reached.
    """
    newest = _newest_with_items(document, below, services)
    if newest is None:
        return []
    if newest.principal != call.principal.actor_id:
        call.principal.require(Permission.REVISE)
    after = without_newest(newest, count, b"".join(operation_of(call) or ()))
    services.documents.put_chunk(newest, after)
    return [shown_item(item, newest) for item in newest.items[len(after.items) :]]


def _newest_with_items(
    document: Document, below: int | None, services: DocumentServices
) -> Chunk | None:
    now_s = epoch_seconds(services.now())
    chunks = services.documents.chunks(document.place, 1 if below is None else MAX_ITEMS)
    shown = (
        each
        for each in chunks
        if each.items
        and is_shown(each, document.created_at, now_s)
        and (below is None or each.start < below)
    )
    return next(shown, None)
