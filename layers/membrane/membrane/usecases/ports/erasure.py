"""The store of erasures, and the walk over every item of the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.domain.documents.model import Document
from membrane.domain.documents.places import Place
from membrane.domain.erasure.targets import Kind


class Trace(NamedTuple):
    """An item of the table that may be of a person: what it is, and whom it names."""

    kind: Kind
    id: str
    """The id of a record, topic or document; else the item's key, for `remove`."""
    scope: str | None = None
    """The item's own scope; None for an item without one."""
    names: tuple[str, ...] = ()
    """The ids of records and topics that the item names."""
    scopes: tuple[str, ...] = ()
    """The only scopes that a question was asked in; empty for every scope."""
    text: Any = None
    """The question of an answer receipt, as JSON."""
    document: Document | None = None
    place: Place | None = None
    """Where a keyed document is or was: of the receipt of a write, and of the note of the place."""


@dataclass(frozen=True, slots=True)
class WalkPage:
    traces: Sequence[Trace]
    unsettled: Sequence[tuple[str, float]]
    """Tokens of unfinished changes of topics, with their beginnings in seconds since 1970."""
    unreadable: int
    """Damaged items of the page, whose scope is not known."""
    next: str | None
    """The start of the next page; None after the last page."""
