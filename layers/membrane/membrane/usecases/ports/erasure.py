"""The store of erasures, and the walk over every item of the table."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from membrane.domain.erasure.jobs import Finding, Kind
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.catalogue import Checkpoint


class Trace(NamedTuple):
    """An item of the table that may be of a person: what it is, and whom it names."""

    kind: Kind
    id: str
    """The id of a record or topic; else the item's key, for `remove`."""
    scope: str | None = None
    """The item's own scope; None for an item without one."""
    names: tuple[str, ...] = ()
    """The ids of records and topics that the item names."""
    scopes: tuple[str, ...] = ()
    """The only scopes that a question was asked in; empty for every scope."""
    text: Any = None
    """The question of an answer receipt, as JSON."""


@dataclass(frozen=True, slots=True)
class WalkPage:
    traces: Sequence[Trace]
    unsettled: Sequence[tuple[str, float]]
    """Tokens of unfinished changes of topics, with their beginnings in seconds since 1970."""
    unreadable: int
    """Damaged items of the page, whose scope is not known."""
    next: str | None
    """The start of the next page; None after the last page."""


class ErasureStore(Protocol):
    """Erasures in the table. Any method may raise ResourceExhausted or Unavailable."""

    def walk(self, after: str | None) -> WalkPage:
        """The page after `after`, strongly consistent.

        A walk visits every item that exists throughout the walk.
        """

    def remove(self, traces: Sequence[Trace]) -> None:
        """Delete the items of traces that are neither records nor topics, with their blobs."""

    def named_at(self, place: str) -> Sequence[str]:
        """The entities that names lead to, by the id of the names' trace; none for a gone item."""

    def drop_names(self, place: str, entity_ids: Collection[str]) -> None:
        """Remove the names that lead to the entities; raises LostRace."""

    def thread_head(self, scope: str, thread_id: str) -> str:
        """The id of the trace for the next turn of a thread."""

    def find(self, erasure_id: str) -> Checkpoint | None:
        """The job of an erasure, as JSON."""

    def keep(self, job: JsonObject, before: Checkpoint | None, *, is_open: bool) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored job has changed since."""

    def open_erasures(self, kept_by_s: float) -> Sequence[str]:
        """The ids of erasures under way whose job was kept last at the instant or before.

        Eventually consistent.
        """

    def keep_findings(self, erasure_id: str, part: int, findings: Sequence[Finding]) -> None:
        """Put a list of findings; repeatable."""

    def findings(self, erasure_id: str, part: int) -> Sequence[Finding]:
        """The findings of a list; empty for a list that was never kept."""

    def keep_certificate(self, erasure_id: str, certificate: JsonObject) -> None:
        """Put the signed certificate; a certificate that is there stays."""

    def certificate(self, erasure_id: str) -> JsonObject | None: ...
