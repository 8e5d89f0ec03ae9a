"""Delete a document, erase it, or take the newest items off its list."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.documents.changes import Making, Next, delete, erase
from membrane.domain.documents.document import Document
from membrane.domain.documents.items import (
    Chunk,
    PlacedItem,
    is_shown,
    newest_first,
    without_newest,
)
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import DeleteDocument
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.usecases.documents.showing import (
    require_own_or_revise,
    require_version,
    sees,
    shown_item,
    visible,
)
from membrane.usecases.documents.writing import (
    Written,
    earlier_write,
    kept_s,
    once_of,
    place_of,
    write,
)
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.documents import MAX_CUT
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DeletedDocument, DocumentItem


MAX_TAKEN_BYTES = 384 * 1024
"""Bytes of the items of a removal as JSON in UTF-8: an item of the table holds 400 KB. In a reply
quotation marks and backslashes take twice as many."""


def take_off_items(
    request: DeleteDocument, count: int, place: Place, call: Call, world: World
) -> ReplyBody:
    """Remove and return the newest `count` items, all of them in one write or none.

    Fewer if the list is shorter, beyond MAX_TAKEN_BYTES, and beyond the items of MAX_CUT appends. A
    repeat under the key returns the items again. Raises VersionMismatch; AlreadyExists for a reused
    key; PermissionDenied without `read`, and for an item of another actor without `revise`.
    """
    call.principal.require(Permission.READ)

    def attempt() -> ReplyBody:
        now_s = epoch_seconds(world.now())
        document = world.documents.load(place)
        shown = document if visible(document, call.principal, now_s) else None
        earlier = earlier_write(place, call, world)
        if earlier is not None:
            items = [] if shown is None else [*earlier.taken]
            return ReplyBody(_body(items, existed=earlier.existed), replayed=True)
        require_version(request, shown)
        taken = [] if shown is None else _newest(shown, count, now_s, world)
        if any(each.chunk.principal != call.principal.actor_id for each in taken):
            call.principal.require(Permission.REVISE)
        items = [shown_item(each.item, each.chunk) for each in reversed(taken)]
        existed = shown is not None
        once = once_of(place, call, now_s, world, existed=existed, taken=items)
        if taken:
            world.documents.take_off(_cut(taken), once)
        elif once is not None:
            world.documents.remember(once)
        return ReplyBody(_body(items, existed=existed))

    return until_won(attempt, world)


def _newest(document: Document, count: int, now_s: float, world: World) -> list[PlacedItem]:
    """The items to take off, newest first."""
    generation = document.created_at
    chunks = world.documents.chunks(document.place, count, generation=generation, now_s=now_s)
    shown = (each for each in chunks if is_shown(each, generation, now_s))
    found: list[PlacedItem] = []
    left, starts = MAX_TAKEN_BYTES, set[int]()
    for placed in islice(newest_first(shown, None), count):
        left -= len(compact_json(shown_item(placed.item, placed.chunk)).encode())
        starts.add(placed.chunk.start)
        if (found and left < 0) or len(starts) > MAX_CUT:
            break
        found.append(placed)
    return found


def _cut(taken: Sequence[PlacedItem]) -> list[tuple[Chunk, Chunk]]:
    """The chunks of the items, each before and after the removal."""
    counts = Counter(each.chunk.start for each in taken)
    chunks = {each.chunk.start: each.chunk for each in taken}
    return [(each, without_newest(each, counts[start])) for start, each in chunks.items()]


def _body(items: "list[DocumentItem]", *, existed: bool) -> "DeletedDocument":
    return {"existed": existed, "items": items}


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
