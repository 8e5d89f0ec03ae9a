"""Keyed documents, by place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membrane.domain.archive.document_lines import Former
    from membrane.domain.documents.items import Chunk
    from membrane.domain.documents.model import Document
    from membrane.domain.documents.places import Place
    from membrane.domain.documents.replies import DocumentItem


MAX_CUT = 99
"""Chunks of one removal: a transaction has 100 actions, and one of them remembers the key."""


class DocumentPage(NamedTuple):
    documents: "Sequence[Document]"
    """In the order of `Place.sort_text`, with deleted and expired documents that are stored."""
    last: str | None
    """Where the next page begins: an ordered place; None = there is no next page."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a keyed write went: noted before the write, so that it proves nothing by itself."""

    place: "Place"
    fingerprint: bytes


class Once(NamedTuple):
    """What a keyed write did: stored in one transaction with the effect, so a repeat does nothing.

    Known for a place and a caller's key, whatever becomes of document and list.
    """

    place: "Place"
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


Part: TypeAlias = "Former | Chunk | Once"
"""What an item beside a document holds."""


class Passed(NamedTuple):
    """How far an export has come with the items beside a document."""

    born: str = ""
    head: str = ""
    """The count of the head's writes."""
    last: "Sequence[str]" = ()
    """The sort keys of the last item of former versions, of the list, and of keyed writes."""
    oldest: int = 0
    """The number of the oldest version beside the document; 0 = none so far."""
    oldest_until_s: float | None = None
