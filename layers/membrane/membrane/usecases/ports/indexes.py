"""The secondary indexes: due instants, ranks and natural keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.records.removals import Removal
from membrane.domain.salience.function import Anchor


@dataclass(frozen=True, slots=True)
class Due:
    """An entry of the due index: a record id and a due instant in seconds since 1970."""

    record_id: str
    due_s: int


class DueIndex(Protocol):
    """Due instants by shard; eventually consistent. May raise ResourceExhausted or Unavailable."""

    @property
    def shards(self) -> int: ...

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """Entries due at `by_s` or earlier, the earliest first; pages are read on demand."""

    def put_off(self, due: Due, until_s: int | None) -> None:
        """Move the entry to `until_s`, or remove the entry; do nothing if the entry has changed."""


@dataclass(frozen=True, slots=True)
class RankPartition:
    """A partition of the rank index: one shard of a scope, type and decay class."""

    scope: str
    type: MemoryType
    decay_class: str
    shard: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """Consecutive entries of a partition: the visible records, or the number of visible records."""

    entries: int
    """The number of entries, visible or not."""
    visible: int
    records: Sequence[Ranked] = ()
    after: object = None
    """An opaque position behind the last entry; None at the end of the partition."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Part `number` of `of` parts of all records, divided by a hash of the record id."""

    number: int
    of: int


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """Records of a segment, with memory type and decay class."""

    items: int
    records: Sequence[tuple[MemoryType, str, Ranked]]
    after: object = None
    """An opaque position behind the page; None at the end of the segment."""


@dataclass(frozen=True, slots=True)
class RankEntry:
    """An entry of the rank index, as read from the highest rank down."""

    record_id: str
    rank: float
    anchor: Anchor
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a partition of the rank index; later entries rank lower."""

    rank: float
    record_id: str = ""
    """The last entry before the position; empty for a position before all entries of the rank."""


class RankIndex(Protocol):
    """Records by rank; eventually consistent. May raise ResourceExhausted or Unavailable."""

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """The partitions that may hold records of a scope under any past setting; "" = unscoped."""

    def keep_classes(self) -> None:
        """Store the decay classes of the present settings, for `partitions` after a change."""

    def read_entries(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """The next `entries` entries, fewer at the end, with the records up to the ceiling.

        Retracted records, which do not fade, are included with `retracted` only.
        """

    def count(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """The numbers of `read_entries`, without the records."""

    def segment(
        self, segment: Segment, ceiling: Sensitivity, items: int, after: object = None
    ) -> SegmentPage:
        """The records up to the ceiling among the next `items` table items of a segment."""

    def top(
        self, partition: RankPartition, entries: int, after: Position | None = None
    ) -> Sequence[RankEntry]:
        """The next `entries` entries of any sensitivity, the highest rank first; fewer at the end.

        The position `after` need not match an entry.
        """

    def removed_records(
        self, scope: str, removal: Removal, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids of removed records of a scope with the removal instants in seconds since 1970.

        The last removed first; `before_s` is the latest removal instant to include.
        """


class NaturalIndex(Protocol):
    """Records by natural key; eventually consistent. May raise ResourceExhausted or Unavailable.

    A natural key is a digest of a scope, a memory type and e.g. a subject and a predicate.
    """

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Ids and creation instants (seconds since 1970) of the newest records, the newest first.

        `before_s` is the latest creation instant to include. A deleted or pruned record is among
        the records as long as the record can be restored.
        """
