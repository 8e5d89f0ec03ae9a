"""Reads of one record's partition: the newest part, the whole, or a range of the audit."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.idempotency_items import is_receipt
from membrane.adapters.dynamodb.records.items import Codec
from membrane.adapters.dynamodb.records.log_items import (
    OLDER_AUDIT,
    Origin,
    belongs_to_record,
    entries_in,
    sort_keys_of,
)
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import SHOWN_ENTRIES, AnyRecord
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable
from membrane.table.items import CorruptItem, Item, read_integer, text


@dataclass(frozen=True, slots=True)
class Reading(OverTable):
    """Over one table; every read is a strongly consistent Query."""

    codec: Codec

    def own_item(self, record_id: str) -> Item:
        """The item at a record's place; empty if the place is free."""
        return next(self._between(record_id, table_keys.RECORD, table_keys.RECORD), {})

    def newest(self, own: Item) -> AnyRecord | None:
        """The record from the own item, with the newest older audit entries.

        Reads again after a concurrent change: a blob or an entry that the item counts may be gone.
        """
        while own and not is_receipt(own):
            record_id = table_keys.record_id_of(own)
            if _lacks_first_salience(own):
                return self.whole(record_id)
            items = [*self._newest_beside(own), own]
            with suppress(CorruptItem):
                held = self.codec.decode(items, whole=False)
                if held is not None and len(held.trail) >= min(held.written_entries, SHOWN_ENTRIES):
                    return held
            again = self.own_item(record_id)
            if again == own:
                return self.codec.decode(items, whole=False)
            own = again
        return None

    def whole(self, record_id: str) -> AnyRecord | None:
        """The record with the complete trail and history; reads again after a concurrent change."""
        items = list(self.partition(record_id))
        while True:
            with suppress(CorruptItem):
                held = self.codec.decode(items)
                if held is None or len(held.trail) == held.written_entries:
                    return held
            newest = list(self.partition(record_id))
            if newest == items:
                return self.codec.decode(items)
            items = newest

    def entries(
        self, held: AnyRecord, origin: Origin, begin: int, end: int
    ) -> Iterator[tuple[int, AuditEntry]]:
        """The audit entries of the positions; entries outside the own item never change."""
        if begin < min(end, origin.spilled):
            yield from self._older_entries(held, begin, min(end, origin.spilled))
        resident = held.trail[len(held.trail) - origin.resident :]
        for position, entry in enumerate(resident, origin.spilled):
            if begin <= position < end:
                yield position, entry

    def partition(self, record_id: str) -> Iterator[Item]:
        """The items up to the record's own; edges that point at the record sort later, unread."""
        return self._between(record_id, table_keys.AUDIT, table_keys.RECORD)

    def beside(self, record_id: str) -> Sequence[Item]:
        own = text(table_keys.RECORD)
        return [item for item in self.partition(record_id) if item["sk"] != own]

    def _newest_beside(self, own: Item) -> Iterator[Item]:
        """The newest spilled audit entries, so many that a reply has enough."""
        spilled = read_integer(own, "audit_spilled")
        resident = max(0, read_integer(own, "audit_count") - spilled)
        wanted = min(spilled, max(0, SHOWN_ENTRIES - resident))
        if not wanted:
            return iter(())
        first, last = sort_keys_of(spilled - wanted, spilled)
        return self._between(table_keys.record_id_of(own), first, last)

    def _older_entries(
        self, held: AnyRecord, begin: int, end: int
    ) -> Iterator[tuple[int, AuditEntry]]:
        for item in self._between(held.id, *sort_keys_of(begin, end)):
            if belongs_to_record(item, table_keys.AUDIT, held.born_s):
                entries = entries_in(item, OLDER_AUDIT, held.id, self.codec.blobs)
                for position, entry in enumerate(entries, table_keys.position_of(item)):
                    if begin <= position < end:
                        yield position, entry

    def _between(self, record_id: str, first: str, last: str) -> Iterator[Item]:
        values = {
            ":pk": text(table_keys.record_partition(record_id)),
            ":first": text(first),
            ":last": text(last),
        }
        return self.query("pk = :pk AND sk BETWEEN :first AND :last", values)


def _lacks_first_salience(own: Item) -> bool:
    """Whether only the beginning of a long trail has the salience at creation.

    True for items of earlier releases, which lack `initial_salience`.
    """
    is_known = "initial_salience" in own or "document" not in own
    return not is_known and read_integer(own, "audit_spilled") > 0
