"""Every item that a re-index visits, and the progress of the re-index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.language.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A stored document and the version to replace: the progress or the result of a job."""

    progress: JsonObject
    revision: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a walk over all items."""

    own_keys: Sequence[tuple[str, str]]
    """The primary keys of live records and topics."""
    lacking: int
    """The number of vectors that the present embedder did not make."""
    next: str | None
    """The start of the next page; None after the last page."""


class Catalogue(Protocol):
    """A walk over the table for a re-index. May raise ResourceExhausted or Unavailable."""

    def page(self, after: str | None) -> Page:
        """The page after `after`.

        A full walk visits every item that exists throughout the walk at least once.
        """

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """Flag the item so that the stream handler makes a new vector; False if the item is gone.

        `since` is unique to a re-index, because an update that changes nothing reaches no stream.
        """

    def progress(self) -> Checkpoint | None:
        """The progress of the newest re-index, read consistently; None before the first."""

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored progress has changed since."""
