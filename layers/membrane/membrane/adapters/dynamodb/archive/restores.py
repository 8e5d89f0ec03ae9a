"""Write the records, receipts and next turns of an export into empty places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.beside import place_taken, receipt_item
from membrane.adapters.dynamodb.records.kind import is_living
from membrane.adapters.dynamodb.records.queues import MAX_TRANSACTION_BYTES, head_key
from membrane.adapters.dynamodb.records.reads import blob_of
from membrane.adapters.dynamodb.records.store import DynamoRecords, name_writes
from membrane.domain.archive.side_lines import ReceiptLine, ThreadLine
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.table.entity import Change, Draft, Entities
from membrane.table.index import RESTORED, STALE, ScopeRegistry
from membrane.table.items import (
    MAX_TOGETHER,
    SAME_ENTITY,
    IdTaken,
    KeyUsed,
    Write,
    number,
    size_of,
)
from membrane.usecases.ports.records import NameChange
from membrane.usecases.ports.walks import DifferentItem


@dataclass(frozen=True, slots=True)
class DynamoRestores(DynamoRecords):
    """Restores over one table. Any method may raise ResourceExhausted or Unavailable."""

    scopes: ScopeRegistry
    """The scopes of living records, which lists over all scopes go through."""

    def restore_record(
        self,
        held: AnyRecord,
        values: Mapping[LargeValue, bytes],
        names: Sequence[NameChange] = (),
    ) -> None:
        """Write a whole record as it was, and the names with the record's own item.

        Raises IdTaken, KeyUsed, LostRace, TooManyProfiles. One transaction; a record of very many
        items has the own item written last. One Query first, so that a refused record leaves no
        blob.
        """
        draft = Draft(blobs={blob_of(large): values[large] for large in values})
        self.add(draft, Change(None, held))
        own, *others = draft.writes
        self.require_free([own])
        registered = [held.record] if isinstance(held, StoredRecord) and is_living(held) else []
        for record in registered:
            self.scopes.register(record.scope, record.sensitivity)
        if STALE in own.item:
            own = own._replace(item={**own.item, STALE: RESTORED})
        born = {":born": number(held.born_s)}
        side = [each._replace(condition=SAME_ENTITY, values=born) for each in others]
        beside_own = [*self.classes.registrations(registered), *name_writes(names)]
        size = sum(size_of(each.item) for each in (own, *side))
        if size > MAX_TRANSACTION_BYTES // 2 or len(side) + len(beside_own) >= MAX_TOGETHER:
            self.put_blobs(draft.blobs)
            for each in side:
                self.commit_all(each)
            side = []
        Entities.carry_out(self, Draft([own, *side, *beside_own], draft.blobs))
        for record in registered:
            self.classes.remember(record)

    def restore_receipt(self, line: ReceiptLine) -> bool:
        """Write a receipt; False if the receipt is there already. Raises DifferentItem.

        One conditional PutItem.
        """
        fingerprint = bytes.fromhex(line.fingerprint)
        item = receipt_item(line.keyed_id, line.record_id, fingerprint)
        try:
            self.commit_all(self.put_new(item, place_taken(line.keyed_id)))
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
