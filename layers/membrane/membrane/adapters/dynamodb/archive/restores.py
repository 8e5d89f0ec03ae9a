"""Write the records, receipts and next turns of an export into empty places."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.indexes.learning import lookup_items
from membrane.adapters.dynamodb.indexes.names import write_of
from membrane.adapters.dynamodb.records.edge_items import edge_item
from membrane.adapters.dynamodb.records.idempotency_items import receipt_item
from membrane.adapters.dynamodb.records.items import Codec
from membrane.adapters.dynamodb.records.log_items import (
    MAX_RESIDENT_DELTAS,
    MAX_RESIDENT_ENTRIES,
    SPILL,
    deltas_item,
    older_entries_item,
)
from membrane.adapters.dynamodb.records.threads import MAX_TRANSACTION_BYTES, head_key
from membrane.adapters.dynamodb.records.writes import FREE, place_taken
from membrane.adapters.dynamodb.search.markers import RESTORED, STALE
from membrane.adapters.dynamodb.search.scope_registry import ScopeRegistry
from membrane.domain.archive.record_lines import ReceiptLine, ThreadLine
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.vector_rules import is_found
from membrane.table import keys as table_keys
from membrane.table.blobs import Packing
from membrane.table.dynamo import OverTable
from membrane.table.items import BORN, Item, Value, number, read_number, size_of
from membrane.table.keys import blob_name
from membrane.table.writes import MAX_TOGETHER, IdTaken, KeyUsed, Write, lost_race
from membrane.usecases.ports.records import NameChange
from membrane.usecases.ports.surroundings import Clock
from membrane.usecases.ports.walks import DifferentItem

_SAME_RECORD = f"attribute_not_exists(pk) OR {BORN} = :born"
"""The place beside a record is empty, or an interrupted restore of the record has written it."""


@dataclass(frozen=True, slots=True)
class DynamoRestores(OverTable):
    """Restores over one table, with large texts and values in the codec's blobs.

    Any method may raise ResourceExhausted or Unavailable.
    """

    codec: Codec
    classes: ClassRegistry
    scopes: ScopeRegistry
    """The scopes of living records, which lists over all scopes go through."""
    now: Clock

    def restore_record(
        self,
        held: AnyRecord,
        values: Mapping[LargeValue, bytes],
        names: Sequence[NameChange] = (),
    ) -> None:
        """Write a whole record as it was, and the names with the record's own item.

        Raises IdTaken, KeyUsed, LostRace, TooManyProfiles. One transaction; a record of very many
        items has the own item written last. One GetItem first, so that a refused record leaves no
        blob.
        """
        place = self.item_at(table_keys.own_key(held.id))
        if place is not None and not self._is_expired(place):
            raise place_taken(held.id)(place)
        if isinstance(held, StoredRecord) and held.tombstone is None:
            self.scopes.register(held.scope, held.sensitivity)
        own, beside = self._packings(held)
        for packing in (own, *beside):
            self._write_blobs(packing.blobs)
        self._write_blobs({blob_name(of.record_id, of.sha256): values[of] for of in values})
        items = [packing.item for packing in beside]
        if isinstance(held, StoredRecord):
            items += [edge_item(held, each) for each in held.record.relations]
            items += lookup_items(held)
        beside_own = [*self._class_of(held), *map(write_of, names)]
        put = self._put_free(own.item, place_taken(held.id))
        born = {":born": number(held.born_s)}
        side = [Write("Put", lost_race, _SAME_RECORD, item=item, values=born) for item in items]
        is_small = sum(map(size_of, (own.item, *items))) <= MAX_TRANSACTION_BYTES // 2
        if is_small and len(side) + len(beside_own) < MAX_TOGETHER:
            self.commit_all(put, *side, *beside_own)
        else:
            for write in side:
                self.commit_all(write)
            self.commit_all(put, *beside_own)
        if isinstance(held, StoredRecord) and held.tombstone is None:
            self.classes.remember(held.record)

    def restore_receipt(self, line: ReceiptLine) -> bool:
        """Write a receipt; False if the receipt is there already. Raises DifferentItem.

        One conditional PutItem.
        """
        fingerprint = bytes.fromhex(line.fingerprint)
        item = receipt_item(line.keyed_id, line.record_id, fingerprint)
        try:
            self.commit_all(self._put_free(item, place_taken(line.keyed_id)))
        except KeyUsed as used:
            if (used.record_id, used.fingerprint) == (line.record_id, fingerprint):
                return False
            raise DifferentItem from used
        except IdTaken as taken:
            raise DifferentItem from taken
        return True

    def restore_thread(self, line: ThreadLine) -> bool:
        """Write the next turn; False if the thread has that turn, or a later one, already.

        One conditional PutItem; raises LostRace where it meets a transaction.
        """
        turn = number(line.next_turn)
        item = {**head_key(bytes.fromhex(line.key)), "next_turn": turn}
        is_behind = "attribute_not_exists(pk) OR next_turn < :turn"
        put = Write("Put", lambda _: DifferentItem(), is_behind, item=item, values={":turn": turn})
        try:
            self.commit_all(put)
        except DifferentItem:
            return False
        return True

    def _packings(self, held: AnyRecord) -> tuple[Packing, Sequence[Packing]]:
        """The own item with the newest entries and changes, and the items of the older ones."""
        deltas = held.history if isinstance(held, StoredRecord) else ()
        entries = _spilled_count(len(held.trail), MAX_RESIDENT_ENTRIES)
        changes = _spilled_count(len(deltas), MAX_RESIDENT_DELTAS)
        own = self.codec.encode(held, held.trail[entries:], entries, deltas[changes:], changes)
        if isinstance(held, StoredRecord) and is_found(held):
            own.item[STALE] = RESTORED
        beside = [
            older_entries_item(held, start, held.trail[start : start + SPILL])
            for start in range(0, entries, SPILL)
        ]
        if isinstance(held, StoredRecord):
            beside += [
                deltas_item(held, start, deltas[start : start + SPILL])
                for start in range(0, changes, SPILL)
            ]
        return own, beside

    def _class_of(self, held: AnyRecord) -> list[Write]:
        if isinstance(held, StoredRecord) and held.tombstone is None:
            return self.classes.registrations([held.record])
        return []

    def _write_blobs(self, blobs: Mapping[str, bytes]) -> None:
        for name, content in blobs.items():
            self.codec.blobs.write(name, content)

    def _put_free(self, item: Mapping[str, Value], refusal: Callable[[Item], Exception]) -> Write:
        now = number(int(epoch_seconds(self.now())))
        return Write("Put", refusal, FREE, item=item, values={":now": now})

    def _is_expired(self, item: Item) -> bool:
        if "expires_at" not in item:
            return False
        return read_number(item, "expires_at") <= epoch_seconds(self.now())


def _spilled_count(length: int, resident: int) -> int:
    """How many of the oldest elements go into items of their own, SPILL at a time."""
    return max(0, -(-(length - resident) // SPILL) * SPILL)
