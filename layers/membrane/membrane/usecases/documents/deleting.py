"""Delete a document, erase it, or take the newest items off its list."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.documents.items import (
    MAX_CUT,
    MAX_TAKEN_BYTES,
    Chunk,
    PlacedItem,
    is_shown,
    newest_first,
    without_newest,
)
from membrane.domain.documents.model import Document, Making, delete, erase
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import DeleteDocument
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.usecases.documents import writing
from membrane.usecases.documents.reading import sees, shown_item, visible
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DeletedDocument


def delete_document(request: DeleteDocument, call: Call, world: World) -> ReplyBody:
    """Hide the document, or remove all content with `erase`, or take off `items`.

    Raises PermissionDenied for a scope that the key may not write, for a value of another actor
    without `revise`, and for `erase` without `admin`; VersionMismatch; AlreadyExists for a reused
    key. An erasure reaches a deleted document, too, and removes what an earlier try left.
    """
    place, principal = writing.place_of(request, call), call.principal
    principal.require_write(place.scope, LOWEST)
    if request.items is not None:
        return _take_off(request, request.items, place, call, world)
    if request.erase:
        principal.require(Permission.ADMIN)
    kept_s = world.retention.tombstone.total_seconds()

    def decide(before: Document | None, making: Making) -> Document | None:
        shown = visible(before, principal, making.now_s)
        writing.require_version(request, shown)
        if before is None or not sees(before, principal):
            return None
        if request.erase:
            return erase(before, making, kept_s)
        if shown is None:
            return None
        writing.require_own_or_revise(before, principal)
        _require_own_items(before, making.now_s, call, world)
        return delete(before, making, kept_s)

    written = writing.write(place, decide, request, call, world)
    document = written.document
    if document is not None and document.is_deleted and sees(document, principal):
        world.documents.remove_list(place, document.created_at)
        if request.erase:
            world.documents.erase_history(document)
    body: DeletedDocument = {"existed": written.existed}
    if written.version:
        body["version"] = written.version
    return ReplyBody(body, replayed=written.replayed)


def _require_own_items(document: Document, now_s: float, call: Call, world: World) -> None:
    """Raises PermissionDenied for an item of another actor; not for `revise`."""
    if Permission.REVISE in call.principal.permissions:
        return
    for chunk in _shown_chunks(document, None, now_s, world):
        if chunk.items and chunk.principal != call.principal.actor_id:
            call.principal.require(Permission.REVISE)


def _take_off(
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
        shown = visible(world.documents.load(place), call.principal, now_s)
        earlier = writing.earlier_write(place, call, world)
        if earlier is not None:
            known = [] if shown is None else [*earlier.taken]
            again: DeletedDocument = {"existed": earlier.existed, "items": known}
            return ReplyBody(again, replayed=True)
        writing.require_version(request, shown)
        taken = [] if shown is None else _newest(shown, count, now_s, world)
        if any(each.chunk.principal != call.principal.actor_id for each in taken):
            call.principal.require(Permission.REVISE)
        items = [shown_item(each.item, each.chunk) for each in reversed(taken)]
        existed = shown is not None
        once = writing.once_of(place, call, world, existed=existed, taken=items)
        if taken:
            counts = Counter(each.chunk.start for each in taken)
            chunks = {each.chunk.start: each.chunk for each in taken}
            cut = [(each, without_newest(each, counts[start])) for start, each in chunks.items()]
            world.documents.put_chunks(cut, once)
        elif once is not None:
            world.documents.remember(once)
        body: DeletedDocument = {"existed": existed, "items": items}
        return ReplyBody(body)

    return until_won(attempt, world)


def _newest(document: Document, count: int, now_s: float, world: World) -> list[PlacedItem]:
    found: list[PlacedItem] = []
    left, starts = MAX_TAKEN_BYTES, set[int]()
    chunks = _shown_chunks(document, count, now_s, world)
    for placed in islice(newest_first(chunks, None), count):
        left -= len(compact_json(shown_item(placed.item, placed.chunk)).encode())
        starts.add(placed.chunk.start)
        if (found and left < 0) or len(starts) > MAX_CUT:
            break
        found.append(placed)
    return found


def _shown_chunks(
    document: Document, count: int | None, now_s: float, world: World
) -> Iterator[Chunk]:
    generation = document.created_at
    chunks = world.documents.chunks(document.place, count, generation=generation, now_s=now_s)
    return (each for each in chunks if is_shown(each, generation, now_s))
