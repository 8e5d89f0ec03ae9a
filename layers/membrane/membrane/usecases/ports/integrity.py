"""The walk over records and topics for an anchor, and the signed anchors in the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import Head


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


class IntegrityStore(Protocol):
    """Anchors in the table. Any method may raise ResourceExhausted or Unavailable."""

    def leaves(self, after: str | None) -> LeafPage:
        """The page after `after`, eventually consistent.

        A walk visits every record and topic that exists throughout the walk; each leaf is of one
        instant.
        """

    def sources(self, after: str | None) -> SourcePage:
        """The page after `after`, read consistently, deleted records and topics included."""

    def wrong_inverses(self, records: Sequence[StoredRecord]) -> Sequence[WrongInverse]:
        """The relations of the records without an inverse, or with an outdated inverse."""

    def put_inverse(self, wrong: WrongInverse) -> None:
        """Put the inverse of a relation as the source demands.

        Raises LostRace if the source has changed since, or if the inverse has come or gone.
        """

    def put_names(self, stored: StoredRecord, names: Sequence[NameChange]) -> None:
        """Write names that lead to the record.

        Raises LostRace if the record or the names have changed since.
        """

    def lacking_vectors(self, record_ids: Sequence[str]) -> Sequence[str]:
        """The ids without a vector; a marker of a removed vector is no vector."""

    def make_stale(self, record_id: str, since: str) -> None:
        """Flag the record so that the stream handler makes a new vector.

        Raises LostRace if the record is no longer live.
        """

    def put_head(self, head: Head) -> None:
        """Put a head; raises LostRace if `version` is no longer the stored version."""

    def anchors(self) -> Sequence[StoredAnchor]:
        """Every anchor, the oldest first, read consistently."""

    def newest_anchors(self, count: int) -> Sequence[StoredAnchor]:
        """The newest anchors, the newest first, read consistently."""

    def keep_anchor(self, signed: SignedAnchor) -> None:
        """Put an anchor; raises LostRace if an anchor of the same instant says something else."""

    def progress(self) -> Checkpoint | None:
        """The progress of the newest walk; None before the first."""

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored progress has changed since."""
