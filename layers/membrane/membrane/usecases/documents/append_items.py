"""Append items to the list beside a document's value."""

from typing import TYPE_CHECKING

from membrane.domain.documents.changes import Content, Making, put, with_fresh_period
from membrane.domain.documents.document import Document
from membrane.domain.documents.items import Chunk, append_behind
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import MAX_APPEND_BYTES, AppendItems
from membrane.domain.language.errors import FailedPrecondition, TooLarge
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import LOWEST
from membrane.usecases.documents.showing import (
    may_refresh,
    require_not_hidden,
    stored_document,
    visible,
)
from membrane.usecases.documents.writing import (
    earlier_write,
    kept_s,
    making_of,
    once_of,
    place_of,
)
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import AppendedItems


def append_items(request: AppendItems, call: Call, world: World) -> ReplyBody:
    """Append the items behind the newest; makes the document without a value if it is absent.

    Raises PermissionDenied for a scope or sensitivity that the key may not write; AlreadyExists for
    a reused key and for a place that a hidden document holds; TooLarge; Aborted.
    """
    place = place_of(request, call)
    call.principal.require_write(place.scope, request.sensitivity or LOWEST)
    _require_size(request)

    def attempt() -> ReplyBody:
        making = making_of(call, "", world)
        earlier = earlier_write(place, call, world)
        # The list is read before the document: what deletes it later changes the newest chunk.
        chunks = world.documents.chunks(place, 0, generation="", now_s=making.now_s)
        newest = None if earlier is not None else next(chunks, None)
        before = world.documents.load(place)
        require_not_hidden(before, call.principal, making.now_s)
        if earlier is not None:
            shown = before if visible(before, call.principal, making.now_s) else None
            return ReplyBody(_body(shown, earlier.number, making), replayed=True)
        document = _document_at(before, place, request, making, call, world)
        replaced, chunk = append_behind(newest, _chunk(document, request, making))
        end = chunk.next_start - 1
        once = once_of(place, call, making.now_s, world, number=end)
        world.documents.put_chunk(replaced, chunk, once)
        if may_refresh(document, call.principal, making.now_s):
            world.documents.refresh(document, with_fresh_period(document, making.now_s))
        return ReplyBody(_body(document, end, making))

    return until_won(attempt, world)


def _require_size(request: AppendItems) -> None:
    """Raises TooLarge, naming the limit."""
    if len(compact_json(request.items).encode()) > MAX_APPEND_BYTES:
        message = (
            f"items exceed {MAX_APPEND_BYTES} bytes as JSON: append fewer at a time, "
            "or put a large value as a document of its own"
        )
        raise TooLarge(message).at("items")


def _document_at(  # noqa: PLR0917 - what is stored, what is asked, and by whom
    before: Document | None,
    place: Place,
    request: AppendItems,
    making: Making,
    call: Call,
    world: World,
) -> Document:
    """The document of the list, made now if it is absent; raises LostRace."""
    if before is not None and before.is_alive(making.now_s):
        _require_sensitivity(request, before)
        return before
    sensitivity = request.sensitivity or world.policy.sensitivity
    call.principal.require_write(place.scope, sensitivity)
    planned = put(before, place, Content(None, sensitivity, request.ttl_seconds), making)
    until_s = making.now_s + kept_s(world)
    world.documents.replace(
        before, planned.after, planned.leaving, history_until_s=until_s, large={}
    )
    return planned.after


def _require_sensitivity(request: AppendItems, document: Document) -> None:
    """Raises FailedPrecondition for items above the sensitivity of the document."""
    asked = request.sensitivity
    if asked is not None and asked.level > document.sensitivity.level:
        raise FailedPrecondition(
            f"sensitivity of the document is {document.sensitivity}: put the document with a "
            "higher sensitivity before the append"
        )


def _chunk(document: Document, request: AppendItems, making: Making) -> Chunk:
    expiry = document.expires_at_s
    period_s = None if expiry is None else expiry - document.refreshed_at_s
    return Chunk(
        place=document.place,
        start=0,
        taken=len(request.items),
        items=request.items,
        principal=making.principal,
        at=making.at,
        generation=document.created_at,
        expires_at_s=None if period_s is None else making.now_s + period_s,
    )


def _body(document: Document | None, end: int, making: Making) -> "AppendedItems":
    body: AppendedItems = {"end": end}
    if document is not None:
        body["document"] = stored_document(document, making.now_s)
    return body
