"""The store of erasures, and the walk over every item of the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.domain.erasure.jobs import Kind


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
