"""Delete a document, erase it, or take the newest items off its list."""

from typing import TYPE_CHECKING

from membrane.domain.documents.changes import Making, Next, delete, erase
from membrane.domain.documents.document import Document
from membrane.domain.documents.items import is_shown
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import DeleteDocument
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.usecases.documents.showing import (
    require_own_or_revise,
    require_version,
    sees,
    visible,
)
from membrane.usecases.documents.take_off_items import take_off_items
from membrane.usecases.documents.writing import Written, kept_s, place_of, write
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DeletedDocument


def delete_document(request: DeleteDocument, call: Call, world: World) -> ReplyBody:
    """Hide the document, or remove all content with `erase`, or take off `items`.

    Raises PermissionDenied for a scope that the key may not write, for a value of another actor
    without `revise`, and for `erase` without `admin`; VersionMismatch; AlreadyExists for a reused
    key.
    """
    place = place_of(request, call)
    call.principal.require_write(place.scope, LOWEST)
    if request.items is not None:
        return take_off_items(request, request.items, place, call, world)
    if request.erase:
        call.principal.require(Permission.ADMIN)

    def decide(before: Document | None, making: Making) -> Next | None:
        return _next(before, request, making, call, world)

    written = write(place, decide, request, call, world)
    _remove_rest(request, place, written, call, world)
    body: DeletedDocument = {"existed": written.existed}
    if written.version:
        body["version"] = written.version
    return ReplyBody(body, replayed=written.replayed)


def _next(
    before: Document | None,
    request: DeleteDocument,
    making: Making,
    call: Call,
    world: World,
) -> Next | None:
    """None for an absent, deleted or hidden document; `erase` reaches a deleted document, too."""
    shown = before if visible(before, call.principal, making.now_s) else None
    require_version(request, shown)
    if before is None or not sees(before, call.principal):
        return None
    if request.erase:
        return erase(before, making, kept_s(world))
    if shown is None:
        return None
    require_own_or_revise(before, call.principal)
    _require_own_items(before, making.now_s, call, world)
    return delete(before, making, kept_s(world))


def _require_own_items(document: Document, now_s: float, call: Call, world: World) -> None:
    """Raises PermissionDenied for a list with an item of another actor, without `revise`.

    Reads the whole list for a key without `revise`.
    """
    if Permission.REVISE in call.principal.permissions:
        return
    chunks = world.documents.chunks(
        document.place, None, generation=document.created_at, now_s=now_s
    )
    for chunk in chunks:
        is_others = chunk.principal != call.principal.actor_id
        if chunk.items and is_others and is_shown(chunk, document.created_at, now_s):
            call.principal.require(Permission.REVISE)


def _remove_rest(
    request: DeleteDocument,
    place: Place,
    written: Written,
    call: Call,
    world: World,
) -> None:
    """Remove the list, and with `erase` former values, also where an earlier try was cut off."""
    document = written.document
    if document is None or not document.is_deleted or not sees(document, call.principal):
        return
    until_s = epoch_seconds(world.now()) + kept_s(world)
    world.documents.remove_list(place, until_s=until_s, generation=document.created_at)
    if request.erase:
        world.documents.erase_history(document, until_s=until_s)
