"""The evidence that a principal may write: records above the own ceiling are as if absent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.ports.learning import Waiting
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.domain.access.principals import Principal
    from membrane.domain.records.stored import AnyRecord


def permitted_to(principal: "Principal", world: World) -> World:
    """The world with the evidence of the principal's scopes up to the principal's ceiling.

    A thread with a step beyond the rights is left alone as a whole.
    """
    records = _PermittedRecords(world.records, principal)
    learning = _PermittedIndex(world.learning, records)
    return world.but(
        records=cast("DynamoRecords", records),
        learning=cast("DynamoLearning", learning),
    )


@dataclass(frozen=True, slots=True)
class _PermittedRecords:
    """Loads permitted records only; passes every other method on."""

    stored: "DynamoRecords"
    principal: "Principal"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stored, name)

    def load(self, record_id: str, *, whole: bool = False) -> "AnyRecord | None":
        held = self.stored.load(record_id, whole=whole)
        return held if held is not None and self.permits(held) else None

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> "Mapping[str, AnyRecord]":
        return self._permitted_among(self.stored.load_each(record_ids, whole=whole))

    def load_own(self, record_ids: Sequence[str]) -> "Mapping[str, AnyRecord]":
        return self._permitted_among(self.stored.load_own(record_ids))

    def permits(self, held: "AnyRecord") -> bool:
        return self.principal.may_write(held.scope, held.sensitivity)

    def _permitted_among(self, found: "Mapping[str, AnyRecord]") -> "Mapping[str, AnyRecord]":
        return {each: held for each, held in found.items() if self.permits(held)}


@dataclass(frozen=True, slots=True)
class _PermittedIndex:
    """The waiting steps of permitted threads; passes every other method on.

    The records behind all other entries are checked by `_PermittedRecords`.
    """

    index: "DynamoLearning"
    records: _PermittedRecords

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def steps_of_scope(self, scope: str, shard: int) -> Iterator[Waiting]:
        """One BatchGetItem for 100 steps."""
        waiting = [*self.index.steps_of_scope(scope, shard)]
        if not waiting:
            return
        stored, ids = self.records.stored, [each.record_id for each in waiting]
        found, _ = load_undamaged(ids, stored.load_own, stored.load)
        hidden = {each for each, held in found.items() if not self.records.permits(held)}
        for _, of_thread in groupby(waiting, key=lambda each: each.group):
            thread = [*of_thread]
            if hidden.isdisjoint(each.record_id for each in thread):
                yield from thread
