"""What lies beside a document: former versions, chunks of the list, and what keyed writes did.

Each chunk of the list was written by one append.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from membrane.domain.documents.model import Document, Versions
from membrane.domain.documents.places import Place
from membrane.domain.language.timestamps import is_before

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DocumentItem

MAX_CUT = 99
"""Chunks of one removal: a transaction has 100 actions, and one of them remembers the key."""

MAX_TAKEN_BYTES = 384 * 1024
"""Bytes of the items of a removal as JSON in UTF-8: an item of the table holds 400 KB. In a reply
quotation marks and backslashes take twice as many."""


class Former(NamedTuple):
    """Former versions beside a document, and when they go."""

    versions: Versions
    until_s: float | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """The items of one append, at consecutive positions.

    A chunk whose items were all taken off stays, so that no position is ever given out again.
    """

    place: Place
    start: int
    """The position of the first item, from 1."""
    taken: int
    """How many positions the chunk holds; at least 1."""
    items: tuple[Any, ...]
    """The items that are left, oldest first, at consecutive positions from `first`."""
    principal: str
    at: str
    """RFC 3339, UTC."""
    generation: str
    """`Document.created_at` of the document that the items belong to: a document that is made anew
    at the same place does not show the items of the document before."""
    revision: int = 1
    expires_at_s: float | None = None
    """When the items of a document with a period go, in seconds since 1970; None = never."""
    skipped: int = 0
    """How many positions at the start of the chunk had items that were taken off before the items
    that are left were appended."""
    is_floor: bool = False
    """Whether the removal of a list ended here: the items of the chunks before were removed."""

    @property
    def first(self) -> int:
        """The position of the oldest item that is left."""
        return self.start + self.skipped

    @property
    def next_start(self) -> int:
        return self.start + self.taken


class Once(NamedTuple):
    """What a keyed write did: stored in one transaction with the effect, so a repeat does nothing.

    Known for a place and a caller's key, whatever becomes of document and list.
    """

    place: Place
    identity: bytes
    """The digest of caller and key."""
    fingerprint: bytes
    """The digest of the request."""
    until_s: float
    """When the key is forgotten, in seconds since 1970."""
    number: int = 0
    """The version that a put or deletion made, or the position of the newest appended item; 0 = the
    write had nothing to change."""
    existed: bool = False
    """Whether there was a document before."""
    taken: "Sequence[DocumentItem]" = ()
    """The items that a removal took off, oldest first."""


class Receipt(NamedTuple):
    """Where a keyed write went: noted before the write, so that it proves nothing by itself."""

    place: Place
    fingerprint: bytes


Beside: TypeAlias = Former | Chunk | Once
"""What an item beside a document holds."""


def append_behind(newest: Chunk | None, new: Chunk) -> list[tuple[Chunk | None, Chunk]]:
    """Each chunk to write with the chunk to replace, None = a new chunk; the new items come last.

    A newest chunk without items is used again, unless the new items end earlier: appending and
    taking off by turns leaves no trail of empty chunks, and the end of no chunk moves forward. The
    chunk that is not used gets a new revision, so that the append loses against a removal.
    """
    if newest is None:
        return [(None, replace(new, start=1))]
    behind = replace(new, start=newest.next_start)
    if newest.items:
        return [(None, behind)]
    if (new.expires_at_s or inf) < (newest.expires_at_s or inf):
        return [(newest, replace(newest, revision=newest.revision + 1)), (None, behind)]
    joined = replace(
        new,
        start=newest.start,
        taken=newest.taken + len(new.items),
        skipped=newest.taken,
        revision=newest.revision + 1,
        is_floor=newest.is_floor,
    )
    return [(newest, joined)]


def without_newest(chunk: Chunk, count: int) -> Chunk:
    """The chunk without the newest `count` items."""
    left = chunk.items[: max(0, len(chunk.items) - count)]
    return replace(chunk, items=left, revision=chunk.revision + 1)


def without_all(chunk: Chunk, until_s: float) -> Chunk:
    """The chunk without items; its positions stay taken until `until_s`, in s since 1970."""
    return replace(chunk, items=(), revision=chunk.revision + 1, expires_at_s=until_s)


def is_shown(chunk: Chunk, generation: str, now_s: float) -> bool:
    """Whether the items belong to the document and have not expired."""
    is_expired = chunk.expires_at_s is not None and chunk.expires_at_s <= now_s
    return chunk.generation == generation and not is_expired


def has_lost(document: Document, part: Beside) -> bool:
    """Whether the part is of another state of the document than the one that is restored.

    The items of a list that went when the document was deleted, or versions that the document has
    itself, or has not come to.
    """
    match part:
        case Former(versions):
            return versions[0].entry.version >= document.versions[0].entry.version
        case Chunk():
            is_other = document.is_deleted or part.generation != document.created_at
            return bool(part.items) and is_other
        case _:
            return False


def is_earlier(chunk: Chunk, generation: str) -> bool:
    """Whether the chunk is of a document before; a floor belongs to no document."""
    return bool(chunk.generation) and is_before(chunk.generation, generation)


def is_later(chunk: Chunk, generation: str) -> bool:
    """Whether the chunk is of a document that was made after the document of the generation."""
    return is_before(generation, chunk.generation)


def items_below(chunk: Chunk, below: int | None) -> int:
    """How many of the items that are left have positions below `below`; None = all of them."""
    if below is None:
        return len(chunk.items)
    return max(0, min(len(chunk.items), below - chunk.first))


class PlacedItem(NamedTuple):
    item: Any
    position: int
    chunk: Chunk


def newest_first(chunks: Iterable[Chunk], below: int | None) -> Iterator[PlacedItem]:
    """The items at positions below `below`, of chunks that are newest first; None = all items."""
    for chunk in chunks:
        for index in reversed(range(items_below(chunk, below))):
            yield PlacedItem(chunk.items[index], chunk.first + index, chunk)
