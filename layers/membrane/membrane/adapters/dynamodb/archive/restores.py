"""Write the records, receipts and next turns of an export into empty places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.beside import place_taken, receipt_item
from membrane.adapters.dynamodb.records.kind import is_living
from membrane.adapters.dynamodb.records.queues import head_key
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.archive.side_lines import ReceiptLine, ThreadLine
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord
from membrane.table.dynamo import OverTable
from membrane.table.items import IdTaken, KeyUsed, Write, number
from membrane.table.registrations import ScopeRegistry
from membrane.usecases.ports.records import NameChange
from membrane.usecases.ports.walks import DifferentItem


@dataclass(frozen=True, slots=True)
class DynamoRestores(OverTable):
    """Restores over one table. Any method may raise ResourceExhausted or Unavailable."""

    records: DynamoRecords
    scopes: ScopeRegistry
    """The scopes of living records, which lists over all scopes go through."""

    def restore_record(
        self,
        held: AnyRecord,
        values: Mapping[LargeValue, bytes],
        names: Sequence[NameChange] = (),
    ) -> None:
        """Write a whole record as it was; see `DynamoRecords.restore`."""

        def register() -> None:
            if is_living(held):
                self.scopes.register(held.scope, held.sensitivity)

        self.records.restore(held, values, names, register=register)

    def restore_receipt(self, line: ReceiptLine) -> bool:
        """Write a receipt; False if the receipt is there already. Raises DifferentItem.

        One conditional PutItem.
        """
        fingerprint = bytes.fromhex(line.fingerprint)
        item = receipt_item(line.keyed_id, line.record_id, fingerprint)
        try:
            self.commit_all(self.records.put_new(item, place_taken(line.keyed_id)))
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
