"""The index of evidence to learn from over the fake store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.learning_mark import Stage, waiting_group
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.learning import LEARNING_SHARDS, Waiting
from tests.fakes.records import FakeRecords


@dataclass(slots=True)
class FakeLearning:
    """The LearningIndex over a FakeRecords, without delay."""

    records: FakeRecords

    def waiting(self, shard: int) -> Iterator[Waiting]:
        """See LearningIndex."""
        yield from sorted(
            (each for each in self._waiting() if each.group[0] % LEARNING_SHARDS == shard),
            key=lambda each: (each.stage, each.group, each.born_s),
        )

    def waiting_in(self, stage: Stage, group: bytes) -> Iterator[Waiting]:
        """See LearningIndex."""
        found = (
            each for each in self._waiting() if each.stage is stage and each.group == group
        )
        yield from sorted(found, key=lambda each: each.born_s)

    def alike(self, lookup: bytes, entries: int) -> Sequence[str]:
        """See LearningIndex; a deleted record is found until the content goes."""
        found = [
            (each.type is MemoryType.COMPETENCE, each.born_s, each.id)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord) and lookup in each.learning.lookups
        ]
        return [record_id for _, _, record_id in sorted(found, reverse=True)[:entries]]

    def _waiting(self) -> Iterator[Waiting]:
        for each in [*self.records.places.values()]:
            if not isinstance(each, StoredRecord) or each.tombstone is not None:
                continue
            stage = each.learning.awaits
            if stage is not None:
                group = waiting_group(each.scope, each.record.payload, stage)
                yield Waiting(each.id, stage, group, each.born_s)
