"""The indexes of what is due, of what ranks, and of what records are called by their users."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.salience.function import Anchor


@dataclass(frozen=True, slots=True)
class Due:
    """Where something stands in the due index: the record's id, and when it is due."""

    record_id: str
    due_s: int


class DueIndex(Protocol):
    """What is due, by shard. May lag behind the records; may raise what RecordStore does."""

    @property
    def shards(self) -> int: ...

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """What is due by then, the longest waiting first; read page by page."""

    def put_off(self, due: Due, until_s: int | None) -> None:
        """Let it be due at another instant, or never; nothing where it stands otherwise by now."""


@dataclass(frozen=True, slots=True)
class RankPartition:
    """A part of the rank index: records of one scope and type that fade alike."""

    scope: str
    type: MemoryType
    decay_class: str
    shard: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """A stretch of a partition, by rank: the records that may be seen, or only their number."""

    entries: int
    """How many records the stretch has, whether they may be seen or not."""
    visible: int
    records: Sequence[Ranked] = ()
    after: object = None
    """Where the next stretch begins, for the index to know; None at the end of the partition."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One of `of` parts of all records; a hash of the record's id says in which part it is."""

    number: int
    of: int


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """Records of a segment, each with the part of the index that it stands in."""

    items: int
    records: Sequence[tuple[MemoryType, str, Ranked]]
    """With type and decay class."""
    after: object = None
    """Where the next page begins; None at the end of the segment."""


@dataclass(frozen=True, slots=True)
class RankEntry:
    """An entry of the rank index, for a reader who goes from the highest rank down."""

    record_id: str
    rank: float
    anchor: Anchor
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a partition of the rank index: everything after it ranks lower."""

    rank: float
    record_id: str = ""
    """The entry of that rank that comes before the place; empty where all of that rank do not."""


class RankIndex(Protocol):
    """Records by rank. May lag behind the records; may raise what RecordStore does."""

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """Where the records of a scope ("" = unscoped) may be, by all settings so far."""

    def keep_classes(self) -> None:
        """Keep which decay classes follow from the settings, for when these are changed."""

    def read_entries(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """The next so many entries, fewer at the end; what is above the ceiling is left out.

        So are retracted records, which do not fade, unless they are asked for.
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
        """As `read`, without the records themselves."""

    def segment(
        self, segment: Segment, ceiling: Sensitivity, items: int, after: object = None
    ) -> SegmentPage:
        """The records up to the ceiling among the next items, of any kind, of a segment."""

    def top(
        self, partition: RankPartition, entries: int, after: Position | None = None
    ) -> Sequence[RankEntry]:
        """The next so many entries of any sensitivity, the highest rank first; fewer at the end.

        `after` names a place that need not be that of an entry.
        """


class NaturalIndex(Protocol):
    """Records by their natural key. May lag behind the records; may raise what RecordStore does."""

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """Id and creation (seconds since 1970) of the newest so many, the newest first.

        With `before_s`, of those that were created no later than that.
        """
