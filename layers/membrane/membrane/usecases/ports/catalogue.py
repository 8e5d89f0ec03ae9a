"""All that a re-index goes through, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.language.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The progress of a re-index as it was read; nothing but a later read tells a later one."""

    progress: JsonObject
    revision: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some of all items."""

    own_keys: Sequence[tuple[str, str]]
    """The keys of items of records and topics that are not deleted."""
    lacking: int
    """Vectors that the present embedder did not make."""
    next: str | None
    """Where the next page begins; None behind the last one."""


class Catalogue(Protocol):
    """May raise what RecordStore does."""

    def page(self, after: str | None) -> Page:
        """What comes next; all that is there from the beginning to the end comes once at least."""

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """Let the item's vector be made anew; False where the item is gone.

        `since` tells this re-index from an earlier one: a flag that does not change tells nobody.
        """

    def progress(self) -> Checkpoint | None:
        """How far the newest re-index has come; None where there was none yet."""

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """Keep how far it is now; raises LostRace where another one has kept something since."""
