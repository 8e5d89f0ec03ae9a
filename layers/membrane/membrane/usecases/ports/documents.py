"""Keyed documents, by place. Any method may raise ResourceExhausted or Unavailable."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from membrane.domain.documents.document import Document, Version
    from membrane.domain.documents.items import Chunk
    from membrane.domain.documents.places import Place
    from membrane.domain.documents.replies import DocumentItem
    from membrane.domain.language.values import LargeValue


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


class DocumentStore(Protocol):
    def load(self, place: "Place") -> "Document | None":
        """The document at the place, also a deleted or expired one, read consistently."""

    def replace(
        self,
        before: "Document | None",
        after: "Document",
        leaving: "Sequence[Version]" = (),
        *,
        history_until_s: float,
        large: "Mapping[LargeValue, bytes]",
        once: Once | None = None,
    ) -> None:
        """Write the document, after the versions that leave its item.

        Raises LostRace if the stored document is no longer `before`, or if the key of `once` is
        known. Repeatable: a version that an earlier attempt moved is left as it is. `large` has
        the JSON texts of new large values. `history_until_s`: until when the versions that leave
        are kept, in seconds since 1970.
        """

    def refresh(self, before: "Document", after: "Document") -> bool:
        """Write the new expiry; False without a write if the document has changed since."""

    def page(self, scope: str, prefix: str, after: str | None, limit: int) -> DocumentPage:
        """One request for the documents whose ordered places begin with `prefix`.

        `after`: an ordered place, or a text between two of them, to begin behind. At most `limit`
        documents, and at most 1 MB.
        """

    def versions(self, place: "Place", before: int, limit: int) -> "Sequence[Version]":
        """Versions that left the document's item, with numbers below `before`, newest first."""

    def erase_history(self, after: "Document", *, until_s: float) -> None:
        """Remove every value and text of the versions that left the item, and the large values.

        Repeatable. The audit entries stay until `until_s`, and no late write brings a value back.
        Versions that were made after the erasure keep their values, also if they were under way.
        """

    def chunks(
        self,
        place: "Place",
        limit: int | None,
        *,
        generation: str,
        now_s: float,
        below: int | None = None,
    ) -> "Iterator[Chunk]":
        """The newest chunks of the list, newest first.

        The chunks are read as the caller takes them, because a list may be larger than the memory
        of a function. Taking a chunk may raise the errors of the store.

        `below`: only chunks that begin below this position; None = all. `limit`: the chunks end
        with the chunk that completes this number of shown items below `below`; None = no end. At
        least the newest chunk comes, whatever the limit. The chunks also end with the first chunk
        of an earlier document at the place. A chunk may be empty, because its items were taken
        off, and may be hidden by `items.is_shown`.
        """

    def put_chunk(self, before: "Chunk | None", after: "Chunk", once: Once | None = None) -> None:
        """Write a chunk; raises LostRace if the stored chunk is no longer `before`, or as above."""

    def take_off(self, cut: "Sequence[tuple[Chunk, Chunk]]", once: Once | None) -> None:
        """Write all chunks or none, each as `put_chunk` does; at most MAX_CUT."""

    def remove_list(self, place: "Place", *, until_s: float, generation: str) -> None:
        """Remove every item, and refuse every append that was under way before; repeatable.

        The items that keyed removals took off go, too.

        The place behind the newest item stays taken until `until_s`. Chunks of a later generation
        stay: the document may be made anew during the removal.
        """

    def remember(self, once: Once) -> None:
        """Store what a write did that had nothing to change; raises LostRace for a known key."""

    def find_once(self, place: "Place", identity: bytes) -> Once | None:
        """What the write under the key did, read consistently; None for an unknown key."""

    def note(self, identity: str, operation_id: str, receipt: Receipt, until_s: float) -> None:
        """Keep where a keyed write goes; a later note of the same operation replaces it."""

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """Read consistently; None for an absent or expired note."""

    def blob_names(self, place_id: str) -> frozenset[str]:
        """The names of the objects in the bucket that the versions of a document need."""

    def forget_values(self, place_id: str, before_s: float) -> None:
        """Forget where the document with large values is, unless a put has such a value since.

        `before_s`: in seconds since 1970. For a document whose versions name no object.
        """

    def is_erased(self, place_id: str) -> bool:
        """Whether versions of the document were erased, as long as the audit entries are kept."""
