"""The walk over records and topics for an anchor, and the signed anchors in the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord


@dataclass(frozen=True, slots=True)
class LeafPage:
    """One page of the walk."""

    leaves: Sequence[Leaf]
    """The leaves of topics, and of records that are a single item."""
    record_ids: Sequence[str]
    """Records with items beside the own item, to load."""
    damaged: Sequence[str]
    """The keys of damaged items, which get no leaf."""
    next: str | None
    """The start of the next page; None after the last page."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of the walk of a verification."""

    record_ids: Sequence[str]
    topic_ids: Sequence[str]
    strays: Sequence[str]
    """The keys of items in the form of a record or topic, outside the partition of one."""
    next: str | None
    """The start of the next page; None after the last page."""


class StoredAnchor(NamedTuple):
    """The place of an anchor in the table."""

    instant: str
    signed: SignedAnchor | None
    """None for an item that is no anchor of this instant."""


class WrongInverse(NamedTuple):
    """A relation whose inverse, the edge in the partition of the target, is not as it should be."""

    source: StoredRecord
    relation: Relation
    is_absent: bool
    """False for an inverse with a different scope or sensitivity than the source."""
