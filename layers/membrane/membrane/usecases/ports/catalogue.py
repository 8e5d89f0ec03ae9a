"""All that a re-index goes through, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.language.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Kept:
    """The progress of a re-index as it was read; nothing but a later read tells a later one."""

    progress: JsonObject
    revision: int


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """Where a search entry stands."""

    record_id: str
    """Whether or not there is such a record."""
    scope: str
    shard: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some of what there is."""

    records: Sequence[tuple[str, str]]
    """Id and scope of records, deleted ones too."""
    entries: Sequence[EntryPlace]
    next: str | None
    """Where the next page begins; None behind the last one."""


class Catalogue(Protocol):
    """May raise what RecordStore does."""

    def page(self, after: str | None) -> Page:
        """What comes next; all that is there from the beginning to the end comes once at least."""

    def scope_after(self, scope: str | None) -> str | None:
        """The next of all scopes that have, or had, entries; None behind the last one."""

    def progress(self) -> Kept | None:
        """How far the newest re-index has come; None where there was none yet."""

    def keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        """Keep how far it is now; raises LostRace where another one has kept something since."""
