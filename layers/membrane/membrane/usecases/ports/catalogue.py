"""Every item that a re-index visits, and the progress of the re-index."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a walk over all items."""

    own_keys: Sequence[tuple[str, str]]
    """The primary keys of live records and topics."""
    lacking: int
    """The number of vectors that the present embedder did not make."""
    next: str | None
    """The start of the next page; None after the last page."""
