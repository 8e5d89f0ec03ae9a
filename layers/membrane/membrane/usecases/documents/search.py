"""Find documents in and below a namespace: by fields of the value, by words and meaning."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from membrane.domain.documents.filters import matches, texts_of
from membrane.domain.documents.model import Document
from membrane.domain.documents.places import searchable_prefix
from membrane.domain.documents.requests import SearchDocuments
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue, Room
from membrane.usecases.documents import reading
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part, side_by_side
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of

if TYPE_CHECKING:
    from membrane.domain.documents.replies import FoundDocument, FoundDocuments

RPC = "SearchDocuments"
"""Cursors are bound to this name: a search within a batch continues a search outside."""

MAX_PAGES, MAX_PAGES_BY_QUERY = 5, 16
"""Requests to the store of a search without and with a query."""

GROWTH = 4
"""The growth of the page size while filters leave the reply short."""

MAX_EXAMINED = 5_000
"""Documents that a call reads, hidden documents included."""

MAX_LARGE_VALUES = 16
"""Large values that a call reads from the bucket."""

MAX_CHARACTERS = 8 * 1024 * 1024
"""Characters of JSON after which a call ends: finding all words takes 2 to 3 s of CPU."""

Found = tuple[Document, float | None]
"""A document for the reply, with its score; None without searchable texts."""


class Position(NamedTuple):
    """Where a search continues: behind a place, and behind the first results from there."""

    after: str | None = None
    skip: int = 0


def search_documents(request: SearchDocuments, call: Call, world: World) -> ReplyBody:
    """The next documents that the principal may see; none in a scope that the key does not cover.

    Raises InvalidArgument for the cursor of a different request.
    """
    scope = call.principal.scope_for_writing(request.scope)
    body: FoundDocuments = {"documents": [], "examined": 0}
    if not call.principal.trust.covers(scope):
        return ReplyBody(body)
    binding = binding_of(request, call._replace(rpc=RPC))
    start = _position(request.cursor, binding, world)
    walk = _Walk(request, scope, call, world, epoch_seconds(world.now()), start.after)
    found, following = _best(walk, start) if walk.has_query else _in_order(walk)
    cursor = following and encode(following._asdict(), binding, world.cursor_key())
    body = {"documents": _show(found, walk), "examined": walk.examined, **cursor_part(cursor)}
    return ReplyBody(body)


def _position(cursor: str | None, binding: bytes, world: World) -> Position:
    if cursor is None:
        return Position()
    match decode(cursor, binding, world.cursor_key()):
        case {"after": str() | None as after, "skip": int(skip)}:
            return Position(after, skip)
        case _:
            raise foreign_cursor()


@dataclass(slots=True)
class _Walk:
    """A walk through documents; `after` is the place behind which the walk goes on."""

    request: SearchDocuments
    scope: str
    call: Call
    world: World
    now_s: float
    after: str | None
    is_ended: bool = False
    """Whether no document is left behind `after`."""
    examined: int = 0
    """The visible documents that were compared with the filter."""
    read: int = 0
    """The stored documents that were read."""
    before: str | None = None
    """The place of the document before the last candidate."""
    large_values: int = 0
    characters: int = 0

    @property
    def has_query(self) -> bool:
        return bool(self.request.query.strip())

    def candidates(self, page_sizes: Iterable[int]) -> Iterator[tuple[Document, Any]]:
        """The visible documents that meet the filter, with one request for each page size.

        Each with the value as JSON for a filter or words, else None. Where a filter or words need a
        further large value, the walk ends early.
        """
        prefix = searchable_prefix(self.request.namespace_prefix)
        for wanted in page_sizes:
            size = min(wanted, MAX_EXAMINED - self.read)
            if size < 1:
                return
            documents, following = self.world.documents.page(self.scope, prefix, self.after, size)
            self.read += len(documents)
            for document in documents:
                if self._is_spent(document):
                    return
                self.before, self.after = self.after, document.place.sort_text
                self.is_ended = following is None and document is documents[-1]
                yield from self._matches_in(document)
            self.after = following or self.after
            self.is_ended = following is None
            if self.is_ended:
                return

    def go_back(self) -> None:
        """Stand before the last candidate again."""
        self.after, self.is_ended = self.before, False

    def _matches_in(self, document: Document) -> Iterator[tuple[Document, Any]]:
        if not self._is_eligible(document):
            return
        self.examined += 1
        if isinstance(document.current.text, str):
            self.characters += len(document.current.text)
        value = self._value(document) if self._needs_value(document) else None
        if matches(self.request.filter, value):
            yield document, value

    def _is_eligible(self, document: Document) -> bool:
        prefix = self.request.namespace_prefix
        is_below = document.place.namespace[: len(prefix)] == prefix
        return is_below and reading.visible(document, self.call.principal, self.now_s) is not None

    def _needs_value(self, document: Document) -> bool:
        return bool(self.request.filter) or (self.has_query and bool(document.index))

    def _is_spent(self, document: Document) -> bool:
        """Whether the document is beyond the limits of the call."""
        if self.characters >= MAX_CHARACTERS:
            return True
        return (
            isinstance(document.current.text, LargeValue)
            and self.large_values >= MAX_LARGE_VALUES
            and self._is_eligible(document)
            and self._needs_value(document)
        )

    def _value(self, document: Document) -> Any:
        text = document.current.text
        if isinstance(text, LargeValue):
            self.large_values += 1
            self.characters += text.size
            return json.loads(self.world.records.value(text))
        return reading.value_of(text)


def _in_order(walk: _Walk) -> tuple[Sequence[Found], Position | None]:
    """Up to `limit` documents in the order of places, and where the next page begins.

    The first page has one more than the limit, which shows whether a next page is needed.
    """
    limit = walk.request.limit
    found: list[Found] = []
    room = Room(reading.ROOM_BYTES)
    for document, _ in walk.candidates((limit + 1) * GROWTH**page for page in range(MAX_PAGES)):
        if not room.takes(reading.shown_document(document, walk.now_s)):
            walk.go_back()
            break
        found.append((document, None))
        if len(found) == limit:
            break
    return found, None if walk.is_ended else Position(walk.after)


def _best(walk: _Walk, start: Position) -> tuple[Sequence[Found], Position | None]:
    """Up to `limit` examined documents, the best first, and where the next page begins.

    While examined documents are left, the next page examines the same documents again.
    """
    every = _rank(walk)[start.skip :]
    best = every[: walk.request.limit]
    room = Room(reading.ROOM_BYTES)
    fits = (room.takes(reading.shown_document(document, walk.now_s)) for document, _ in best)
    shown = next((position for position, each in enumerate(fits) if not each), len(best))
    if shown < len(every):
        return best[:shown], start._replace(skip=start.skip + shown)
    return best, None if walk.is_ended else Position(walk.after)


def _rank(walk: _Walk) -> list[Found]:
    """The examined documents, the best first; documents without searchable texts follow in order.

    A document whose vectors were made by a different embedder is ranked by its words alone.
    """
    # Numpy comes with a query alone.
    from membrane.domain.documents.matching import (  # noqa: PLC0415
        found_stems,
        query_stems,
        score,
        word_shares,
    )

    stems = query_stems(walk.request.query)
    documents: list[Document] = []
    stems_found: list[frozenset[str]] = []
    others: list[Found] = []
    for document, value in walk.candidates(repeat(MAX_EXAMINED, MAX_PAGES_BY_QUERY)):
        texts = texts_of(value, document.index)
        if texts:
            documents.append(document)
            stems_found.append(found_stems(stems, texts))
        else:
            others.append((document, None))
    words = word_shares(stems, stems_found)
    meanings = _meanings(walk.request.query, documents, walk.world)
    scores = map(score, meanings, words)
    ranked = sorted(zip(documents, scores, strict=True), key=lambda each: -each[1])
    return [*ranked, *others]


def _meanings(query: str, documents: Sequence[Document], world: World) -> Sequence[float | None]:
    """The best cosine of each document; the query is embedded if a document has vectors."""
    from membrane.domain.documents.matching import best_cosines  # noqa: PLC0415 - as above

    if any(document.passages for document in documents):
        embedder = world.embedders[0]
        usable = [each.passages if each.embedder == embedder.name else () for each in documents]
        if any(usable):
            return best_cosines(embedder.embed([query])[0], usable)
    return [None] * len(documents)


def _show(found: Sequence[Found], walk: _Walk) -> "list[FoundDocument]":
    documents = [document for document, _ in found]
    if walk.request.refresh:
        documents = side_by_side(
            lambda each: reading.begin_anew(each, walk.call, walk.now_s, walk.world), documents
        )
    shown = [cast("FoundDocument", reading.shown_document(each, walk.now_s)) for each in documents]
    if walk.has_query:
        for document, (_, score) in zip(shown, found, strict=True):
            document["score"] = score
    return shown
