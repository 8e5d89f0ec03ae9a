"""The indexes of due, ranked and named records over the fake store."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.ranking import (
    RANK_OF_RETRACTED,
    Ranked,
    performance_of,
    rank_in_class,
)
from membrane.domain.records.natural_key import natural_key as natural_key_of
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, Removal, StoredRecord, removal_by
from membrane.domain.salience.decay_defaults import implied_classes
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.profiles import Profiles
from membrane.usecases.ports.indexes import (
    Due,
    Position,
    RankEntry,
    RankPartition,
    Ranks,
    Segment,
    SegmentPage,
)
from tests.fakes.records import FakeRecords, KeptReceipt
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeDue(StandIn):
    """A fake of DynamoDue over a FakeRecords, without delay, in one shard."""

    records: FakeRecords
    shards: int = 1

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        assert shard == 0
        held = [each for each in self.records.places.values() if isinstance(each, AnyRecord)]
        found = [(self.records.due_s(each), each.id) for each in held]
        yield from sorted(
            (
                Due(record_id, due_s)
                for due_s, record_id in found
                if due_s is not None and due_s <= by_s
            ),
            key=lambda due: (due.due_s, due.record_id),
        )

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        held = self.records.places.get(due.record_id)
        if isinstance(held, AnyRecord) and self.records.due_s(held) == due.due_s:
            self.records.put_off[due.record_id] = until_s
            self.records.stale.pop(due.record_id, None)


@dataclass(slots=True)
class FakeRanks(StandIn):
    """A fake of DynamoRanks over a FakeRecords, without delay, in one shard."""

    records: FakeRecords
    entries_read: int = 0
    """Not those that were only counted."""
    classes_kept: int = 0
    """How often they were; a fake's settings never change."""
    tops: list[int] = field(default_factory=list)
    """How many entries each call of `top` gave."""

    def keep_classes(self) -> None:
        """See DynamoRanks."""
        self.classes_kept += 1

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """See DynamoRanks."""
        return [
            RankPartition(scope, memory_type, named, 0)
            for memory_type in MemoryType
            for named in sorted(
                implied_classes(memory_type, self.records.policy)
                | self.records.classes.get((scope, memory_type), Profiles()).every
            )
        ]

    def read_entries(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """See DynamoRanks."""
        found, last = self._next(partition, entries, after, retracted=retracted)
        self.entries_read += len(found)
        visible = [each for each in found if each.sensitivity.level <= ceiling.level]
        return Ranks(len(found), len(visible), [_ranked(each) for each in visible], last)

    def count(
        self,
        partition: RankPartition,
        ceiling: Sensitivity,
        entries: int,
        after: object = None,
        *,
        retracted: bool = False,
    ) -> Ranks:
        """See DynamoRanks."""
        found, last = self._next(partition, entries, after, retracted=retracted)
        visible = [each for each in found if each.sensitivity.level <= ceiling.level]
        return Ranks(len(found), len(visible), after=last)

    def segment(
        self, segment: Segment, ceiling: Sensitivity, items: int, after: object = None
    ) -> SegmentPage:
        """See DynamoRanks; a record is one item."""
        held = [
            each
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and zlib.crc32(each.id.encode()) % segment.of == segment.number
        ]
        start = after if isinstance(after, int) else 0
        found = held[start : start + items]
        visible = [each for each in found if each.sensitivity.level <= ceiling.level]
        return SegmentPage(
            len(found),
            [(each.type, decay_class(each.record.lifecycle), _ranked(each)) for each in visible],
            start + items if start + items <= len(held) else None,
        )

    def top(
        self, partition: RankPartition, entries: int, after: Position | None = None
    ) -> Sequence[RankEntry]:
        """See DynamoRanks; of one rank, the ids from the last to the first."""
        behind = [
            RankEntry(each.id, _rank(each), each.anchor, each.sensitivity)
            for each in reversed(self._held(partition))
            if after is None or _is_behind(each, after)
        ]
        self.tops.append(len(behind[:entries]))
        return behind[:entries]

    def removed_records(
        self, scope: str, removal: Removal, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See DynamoRanks."""
        found = [
            (each.tombstone.deleted_at_s, each.id)
            for each in self.records.places.values()
            if not isinstance(each, KeptReceipt)
            and each.tombstone is not None
            and each.scope == scope
            and removal_by(each.tombstone) is removal
            and (before_s is None or each.tombstone.deleted_at_s <= before_s)
        ]
        return [(record_id, at_s) for at_s, record_id in sorted(found, reverse=True)[:entries]]

    def _next(
        self, partition: RankPartition, entries: int, after: object, *, retracted: bool
    ) -> tuple[list[StoredRecord], object]:
        """The next records, and the place of the last where more may follow, as DynamoDB has it."""
        every = self._held(partition)
        held = [each for each in every if retracted or _rank(each) > RANK_OF_RETRACTED]
        start = after if isinstance(after, int) else 0
        end = start + entries
        return held[start:end], end if end <= len(held) else None

    def _held(self, partition: RankPartition) -> list[StoredRecord]:
        """The records of the partition, by rank."""
        held = [
            each
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and (each.scope, each.record.type) == (partition.scope, partition.type)
            and decay_class(each.record.lifecycle) == partition.decay_class
        ]
        return sorted(held, key=lambda each: (_rank(each), each.id))


def _rank(stored: StoredRecord) -> float:
    return rank_in_class(stored)


def _ranked(stored: StoredRecord) -> Ranked:
    record = stored.record
    return Ranked(
        stored.id,
        stored.anchor,
        record.lifecycle.deletion_policy,
        record.confidence,
        performance_of(record.payload),
    )


def _is_behind(stored: StoredRecord, place: Position) -> bool:
    rank = _rank(stored)
    is_level = rank == place.rank
    return rank < place.rank or (is_level and (not place.record_id or stored.id < place.record_id))


@dataclass(slots=True)
class FakeNatural(StandIn):
    """A fake of DynamoNatural over a FakeRecords, without records younger than the delay."""

    records: FakeRecords
    delay: timedelta = timedelta(0)
    _keys: dict[str, tuple[MemoryRecord, bytes | None]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By id, a record and its key: to hash every record in every search takes long."""

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See DynamoNatural."""
        found = [
            (each.anchor.born_s, each.id)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and self._key_of(each) == natural_key
            and (before_s is None or each.anchor.born_s <= before_s)
            and not self._is_late(each)
        ]
        return [(record_id, born_s) for born_s, record_id in sorted(found, reverse=True)[:entries]]

    def _key_of(self, stored: StoredRecord) -> bytes | None:
        record, key = self._keys.get(stored.id, (None, None))
        if record is not stored.record:
            key = natural_key_of(stored.scope, stored.record.payload)
            self._keys[stored.id] = (stored.record, key)
        return key

    def _is_late(self, stored: StoredRecord) -> bool:
        shown_to_s = epoch_seconds(self.records.now() - self.delay)
        return bool(self.delay) and stored.anchor.born_s > shown_to_s
