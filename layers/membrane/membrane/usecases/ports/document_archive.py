"""The write of a restore about a keyed document: into an empty place."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from membrane.domain.archive.keyed_document_lines import ArchivedDocument


class DocumentRestores(Protocol):
    """May raise ResourceExhausted or Unavailable."""

    def restore_document(self, archived: "ArchivedDocument", *, history_until_s: float) -> None:
        """Write a document as it was, with history, list and values.

        The document is absent until the last write, so that a restore that was cut off is repeated.
        `history_until_s`: until when former versions are kept, in seconds since 1970. Raises
        DifferentItem if the place holds a document, or different history or items.
        """
