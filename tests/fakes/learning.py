"""The index of evidence to learn from over the fake store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.learning_mark import (
    Stage,
    is_made,
    scope_digest,
    thread_group,
    trace_group,
    waiting_group,
)
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.learning import Waiting, shard_of
from tests.fakes.records import FakeRecords
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeLearning(StandIn):
    """A fake of DynamoLearning over a FakeRecords, without delay."""

    records: FakeRecords

    def waiting(self, shard: int) -> Iterator[Waiting]:
        """See DynamoLearning."""
        yield from sorted(
            (each for each in self._waiting() if shard_of(each.group) == shard),
            key=lambda each: (each.stage, each.group, each.born_s),
        )

    def steps_of_scope(self, scope: str, shard: int) -> Iterator[Waiting]:
        """See DynamoLearning."""
        beginning = scope_digest(scope)
        for each in self.waiting(shard):
            if each.stage is Stage.STEP and each.group.startswith(beginning):
                yield each

    def steps_of_thread(self, scope: str, thread_id: str) -> Iterator[Waiting]:
        """See DynamoLearning."""
        return self._of_group(Stage.STEP, thread_group(scope, thread_id))

    def traces_of_scope(self, scope: str) -> Iterator[Waiting]:
        """See DynamoLearning."""
        return self._of_group(Stage.TRACE, trace_group(scope))

    def _of_group(self, stage: Stage, group: bytes) -> Iterator[Waiting]:
        for each in self.waiting(shard_of(group)):
            if each.stage is stage and each.group == group:
                yield each

    def alike(self, lookup: bytes, entries: int) -> Sequence[str]:
        """See DynamoLearning; a deleted record is found until the content goes."""
        found = [
            (each.type is MemoryType.COMPETENCE, each.born_s, each.id)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord) and lookup in each.learning.lookups
        ]
        return [record_id for _, _, record_id in sorted(found, reverse=True)[:entries]]

    def made_records(
        self, scope: str, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See DynamoLearning."""
        found = [
            (each.born_s, each.id)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and each.learning.awaits is None
            and each.scope == scope
            and is_made(each.record)
            and (before_s is None or each.born_s <= before_s)
        ]
        return [(record_id, born_s) for born_s, record_id in sorted(found, reverse=True)[:entries]]

    def _waiting(self) -> Iterator[Waiting]:
        for each in [*self.records.places.values()]:
            if not isinstance(each, StoredRecord) or each.tombstone is not None:
                continue
            stage = each.learning.awaits
            if stage is not None:
                group = waiting_group(each.scope, each.record.payload, stage)
                yield Waiting(each.id, stage, group, each.born_s)
