"""The secondary indexes: due instants, ranks and natural keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.pruning import Ranked
from membrane.domain.records.learning_mark import Stage
from membrane.domain.salience.function import Anchor


@dataclass(frozen=True, slots=True)
class Due:
    """An entry of the due index: a record id and a due instant in seconds since 1970."""

    record_id: str
    due_s: int


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


LEARNING_SHARDS = 16
"""Partitions of the waiting records; may never change."""


class Waiting(NamedTuple):
    """An entry of a record that waits."""

    record_id: str
    stage: Stage
    group: bytes
    """The digest of what is worked on together: the thread of a step, the scope of a trace."""
    born_s: float
    """The creation of the record, in seconds since 1970."""


def shard_of(group: bytes) -> int:
    """The shard of the waiting records of a group."""
    return group[-1] % LEARNING_SHARDS
