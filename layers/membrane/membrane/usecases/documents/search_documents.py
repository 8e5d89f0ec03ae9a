"""Find documents in and below a namespace."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from membrane.domain.documents.requests import SearchDocuments
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.tokens import decode, encode, foreign_cursor
from membrane.usecases.documents.examining import Examination, Found
from membrane.usecases.documents.showing import Room, begin_anew, shown_document
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of

if TYPE_CHECKING:
    from membrane.domain.documents.replies import FoundDocument, FoundDocuments

RPC = "SearchDocuments"
"""Cursors are bound to this name, so that a search within a batch continues one outside."""

MAX_PAGES = 5
"""Requests to the store of a search without a query."""

GROWTH = 4
"""The growth of the page size while filters leave the reply short."""


class Position(NamedTuple):
    """Where a search continues: behind a place, and behind the first results from there."""

    after: str | None = None
    skip: int = 0


def search_documents(request: SearchDocuments, call: Call, world: World) -> ReplyBody:
    """The next documents that the principal may see; none in a scope that the key does not cover.

    Raises InvalidArgument for the cursor of a different request.
    """
    scope = call.principal.scope_for_writing(request.scope)
    if not call.principal.trust.covers(scope):
        empty: FoundDocuments = {"documents": [], "examined": 0}
        return ReplyBody(empty)
    binding = binding_of(request, call._replace(rpc=RPC))
    start = _position(request.cursor, binding, world)
    now_s = epoch_seconds(world.now())
    walk = Examination(request, scope, call, world, now_s, start.after)
    if walk.has_query:
        found, following = _best(walk, start)
    else:
        found, following = _in_order(walk)
    cursor = following and encode(following._asdict(), binding, world.cursor_key())
    body: FoundDocuments = {
        "documents": _show(found, walk),
        "examined": walk.examined,
        **cursor_part(cursor),
    }
    return ReplyBody(body)


def _position(cursor: str | None, binding: bytes, world: World) -> Position:
    if cursor is None:
        return Position()
    match decode(cursor, binding, world.cursor_key()):
        case {"after": str() | None as after, "skip": int(skip)}:
            return Position(after, skip)
        case _:
            raise foreign_cursor()


def _in_order(walk: Examination) -> tuple[Sequence[Found], Position | None]:
    """Up to `limit` documents in the order of places, and where the next page begins."""
    found: list[Found] = []
    room = Room()
    for candidate in walk.candidates(_page_sizes(walk.request.limit)):
        if not room.takes(shown_document(candidate.document, walk.now_s)):
            walk.go_back()
            break
        found.append(Found(candidate.document))
        if len(found) == walk.request.limit:
            break
    return found, None if walk.is_ended else Position(walk.after)


def _page_sizes(limit: int) -> Iterator[int]:
    """One more than the limit at first, which shows whether a next page is needed."""
    return ((limit + 1) * GROWTH**number for number in range(MAX_PAGES))


def _best(walk: Examination, start: Position) -> tuple[Sequence[Found], Position | None]:
    """Up to `limit` examined documents, the best first, and where the next page begins.

    While examined documents are left, the next page examines the same documents again.
    """
    # Numpy comes with a query alone.
    from membrane.usecases.documents.ranking import rank  # noqa: PLC0415

    every = rank(walk)[start.skip :]
    best = every[: walk.request.limit]
    room = Room()
    shown = next(
        (
            position
            for position, (document, _) in enumerate(best)
            if not room.takes(shown_document(document, walk.now_s))
        ),
        len(best),
    )
    if shown < len(every):
        return best[:shown], start._replace(skip=start.skip + shown)
    return best, None if walk.is_ended else Position(walk.after)


def _show(found: Sequence[Found], walk: Examination) -> "list[FoundDocument]":
    documents = [document for document, _ in found]
    if walk.request.refresh:
        documents = side_by_side(
            lambda each: begin_anew(each, walk.call, walk.now_s, walk.world), documents
        )
    shown = [cast("FoundDocument", shown_document(each, walk.now_s)) for each in documents]
    if walk.has_query:
        for document, (_, score) in zip(shown, found, strict=True):
            document["score"] = score
    return shown
