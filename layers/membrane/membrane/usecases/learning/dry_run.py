"""A dry run: the use cases of learning over a store that keeps the writes in memory."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.language.values import LargeValue
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import Change, Head, Incoming, KeyUsed
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


def writing_nothing(world: World) -> World:
    """The world with a store that keeps every write in memory."""
    overlay = cast("DynamoRecords", _Overlay(world.records))
    return world.but(records=overlay)


@dataclass(slots=True)
class _Overlay:
    """The methods of the DynamoRecords for learning; kept writes hide the stored records.

    Heads and receipts come from the store: facts of a dry run do not meet. No id is taken here, so
    a dry run also lists facts that a run finds written under the id before.
    Without further methods: a forgotten write fails here and never reaches the table.
    """

    stored: "DynamoRecords"
    kept: dict[str, AnyRecord] = field(default_factory=dict)

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        return self.kept.get(record_id) or self.stored.load(record_id, whole=whole)

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        lacking = self._lacking(record_ids)
        found = self.stored.load_each(lacking, whole=whole) if lacking else {}
        return self._with_kept(record_ids, found)

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        lacking = self._lacking(record_ids)
        return self._with_kept(record_ids, self.stored.load_own(lacking) if lacking else {})

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[Change] = (),
        **_beside: Any,
    ) -> None:
        self.kept |= {each.id: each for each in (new, *also, *(after for _, after in changed))}

    def replace_all(self, changed: Sequence[tuple[AnyRecord, AnyRecord]], **_also: Any) -> None:
        self.kept |= {after.id: after for _, after in changed}

    def head(self, key: bytes) -> Head:
        return self.stored.head(key)

    def heads_of(self, keys: Collection[bytes]) -> Mapping[bytes, Head]:
        return self.stored.heads_of(keys)

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        return self.stored.receipt(keyed_id)

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        return self.stored.entries(held, begin, end)

    def incoming(self, target_id: str, **how: Any) -> Iterator[Incoming]:
        return self.stored.incoming(target_id, **how)

    def value(self, large: LargeValue) -> bytes:
        return self.stored.value(large)

    def _lacking(self, record_ids: Sequence[str]) -> list[str]:
        return [each for each in record_ids if each not in self.kept]

    def _with_kept(
        self, record_ids: Sequence[str], found: Mapping[str, AnyRecord]
    ) -> Mapping[str, AnyRecord]:
        return {**found, **{each: self.kept[each] for each in record_ids if each in self.kept}}
