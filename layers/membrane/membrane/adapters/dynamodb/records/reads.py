"""Reads of records: by id, one or many, whole or the newest part, and what lies beside."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain

from membrane.adapters.dynamodb.records.beside import head_in, incoming_in, is_receipt, key_used
from membrane.adapters.dynamodb.records.items import (
    AUDIT,
    credit_in,
    is_single_item,
    scope_in,
)
from membrane.adapters.dynamodb.records.kind import RecordKind
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import (
    ERASED,
    SHOWN_ENTRIES,
    AnyRecord,
    AuditSummary,
    CreditSummary,
    has_shown_entries,
)
from membrane.domain.records.usefulness import CreditLedger
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore, blob_names_in, blob_of_text
from membrane.table.dynamo import MAX_KEYS, items_at
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    KeyUsed,
    raising_corrupt_item,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.records import Head, Incoming

EDGES_PER_PAGE = 100
"""Edges at a record that a Query reads."""
MAX_EDGES_PER_PAGE = 1_000
"""Edges at a record that a Query reads where each Query reads twice as many as the one before."""

_SUMMARIZED = (*KEY_ATTRIBUTES, "scope", "sensitivity", "deleted_at")

_AUDITED = (*_SUMMARIZED, "receipt_for", "audit_count", AUDIT.name)
"""The attributes of a record's own item that `_audited_in` reads."""

_CREDITED = (*_SUMMARIZED, "credit")
"""The attributes of a record's own item that `_credited_in` reads."""


@dataclass(frozen=True, slots=True)
class RecordReads(RecordKind):
    """The part of DynamoRecords that reads."""

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """The record or the tombstone, with relations.

        The audit trail has at least the newest SHOWN_ENTRIES entries, the history the newest
        changes, so the cost does not grow with either. `whole` reads all of both. A strongly
        consistent Query of the record's own item, often the whole record. A second Query reads the
        newest older audit entries; `whole` is one Query of all items.
        """
        held = self._whole(record_id) if whole else self._newest(self._own_item(record_id))
        return None if held is None or self._is_expired(held) else held

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """The results of `load` by id, without absent ids; far fewer requests than ids.

        A strongly consistent BatchGetItem for 100 ids, plus a Query for every multi-item record. A
        record with older audit entries or older changes has several items.
        """
        own_items = self._own_items(record_ids)
        found = {record_id: self._decode_alone(own) for record_id, own in own_items.items()}
        others = [record_id for record_id, held in found.items() if held is None]

        def load_one(record_id: str) -> AnyRecord | None:
            return self._whole(record_id) if whole else self._newest(own_items[record_id])

        found |= zip(others, side_by_side(load_one, others), strict=True)
        return self._without_expired(record_ids, found)

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        """Records by id, history and audit from the own items. One request per 100 ids."""
        own_items = self._own_items(record_ids)
        found = {record_id: self._own_part(own) for record_id, own in own_items.items()}
        return self._without_expired(record_ids, found)

    def incoming(
        self, target_id: str, *, before: tuple[float, str] | None = None, growing: bool = False
    ) -> Iterator[Incoming]:
        """Edges that point at the record, newest source first, then by the id of the source.

        Read lazily in pages of 100, eventually consistent. With `growing`, each page has twice as
        many edges as the page before, at most 1,000. `before` names a source by creation and id:
        the edges of the source, and all edges that come first, are left out. An eventually
        consistent Query for 100 edges; `growing`, for up to 1,000.
        """
        edges = table_keys.INCOMING if before is None else table_keys.incoming_edges(*before) + "~"
        values = {
            ":pk": text(table_keys.record_partition(target_id)),
            ":first": text(edges),
            ":last": text(table_keys.AFTER_INCOMING),
        }
        found = self.query(
            "pk = :pk AND sk BETWEEN :first AND :last",
            values,
            eventually=True,
            limit=EDGES_PER_PAGE,
            most_on_page=MAX_EDGES_PER_PAGE if growing else EDGES_PER_PAGE,
        )
        return incoming_in(found)

    def audit_summaries(self, record_ids: Sequence[str]) -> Sequence[AuditSummary]:
        """The number of audit entries and the newest actions of each live record.

        One request per 100 ids; ids must be distinct. Eventually consistent. A BatchGetItem for 100
        ids, which may lag behind the records.
        """
        keys = [table_keys.own_key(each) for each in record_ids]
        found = items_at(self.client, self.table, keys, consistent=False, attributes=_AUDITED)
        living = (own for own in found if "deleted_at" not in own and not is_receipt(own))
        return [_audited_in(own, self.blobs) for own in living]

    def credit_summaries(self, record_ids: Sequence[str]) -> Sequence[CreditSummary]:
        """The credit of each live record that has any.

        One request per 100 ids; ids must be distinct. Eventually consistent. A BatchGetItem for 100
        ids, which may lag behind the records.
        """
        keys = [table_keys.own_key(each) for each in record_ids]
        found = items_at(self.client, self.table, keys, consistent=False, attributes=_CREDITED)
        return [_credited_in(own) for own in found if "credit" in own and "deleted_at" not in own]

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """The receipt of a key as a KeyUsed; None if the key has no receipt."""
        found = self._own_item(keyed_id)
        return key_used(found) if is_receipt(found) else None

    def head(self, key: bytes) -> Head:
        """The head; with version 0 if not stored yet."""
        found = self.item_at(table_keys.head_key(key))
        return Head(key) if found is None else head_in(key, found)

    def heads_of(self, keys: Collection[bytes]) -> Mapping[bytes, Head]:
        """The results of `head` for distinct keys. One request per 100 keys."""
        places = {each: table_keys.head_key(each) for each in keys}
        items = items_at(self.client, self.table, [*places.values()], consistent=True)
        stored = {read_text(each, "pk"): each for each in items}
        found = {key: stored.get(read_text(place, "pk")) for key, place in places.items()}
        return {
            key: Head(key) if item is None else head_in(key, item) for key, item in found.items()
        }

    def spent_of(self, receipt_id: str) -> float:
        """The credit spent of the receipt of a retrieval. One GetItem."""
        found = self.item_at(table_keys.spent_key(receipt_id))
        return 0.0 if found is None else read_number(found, "amount")

    def next_turn(self, key: bytes) -> int:
        """The next turn of a thread; 1 for a thread without messages."""
        from membrane.adapters.dynamodb.records.queues import head_key, next_turn_in

        return next_turn_in(self.item_at(head_key(key)))

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The names of the blobs that items of the record refer to."""
        return blob_names_in(self._partition(record_id), record_id)

    def is_erased(self, record_id: str) -> bool:
        """Whether the id has the tombstone of an erased record. One strongly consistent Query."""
        own = self._own_item(record_id)
        return "deleted_at" in own and read_text(own, "deleted_reason") == ERASED

    def value(self, large: LargeValue) -> bytes:
        """One GetObject; raises CorruptItem for an absent or altered value."""
        content = self.blobs.get(blob_of(large))
        if content is None or hashlib.sha256(content).hexdigest() != large.sha256:
            own = table_keys.own_key(large.record_id)
            raise CorruptItem(own, "a large value is absent or altered")
        return content

    def link(self, large: LargeValue) -> str:
        """A signed address of the value for DOWNLOAD_LINK_PERIOD, made without a request."""
        return self.links.download(blob_of(large))

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        """Audit entries of a loaded record with positions; see `log_entries`."""
        return self.log_entries(held, AUDIT, begin, end)

    def _own_items(self, record_ids: Sequence[str]) -> Mapping[str, Item]:
        keys = [table_keys.own_key(record_id) for record_id in dict.fromkeys(record_ids)]
        parts = [keys[start : start + MAX_KEYS] for start in range(0, len(keys), MAX_KEYS)]
        load_one = partial(items_at, self.client, self.table, consistent=True)
        items = chain.from_iterable(side_by_side(load_one, parts))
        return {table_keys.record_id_of(own): own for own in items}

    def _without_expired(
        self, record_ids: Sequence[str], found: Mapping[str, AnyRecord | None]
    ) -> Mapping[str, AnyRecord]:
        return {
            each: held
            for each in dict.fromkeys(record_ids)
            if (held := found.get(each)) is not None and not self._is_expired(held)
        }

    def _decode_alone(self, own: Item) -> AnyRecord | None:
        """The record of the own item; None if the item is not enough, or a blob is gone."""
        if is_receipt(own) or not is_single_item(own):
            return None
        with suppress(
            CorruptItem
        ):  # a concurrent change may have removed a blob; then `load` decides
            return self.codec.decode([own])
        return None

    def _own_part(self, own: Item) -> AnyRecord | None:
        if is_receipt(own):
            return None
        with suppress(CorruptItem):  # a concurrent change may have removed a blob
            return self.codec.decode([own], whole=False)
        return self.load(table_keys.record_id_of(own))

    def _newest(self, own: Item) -> AnyRecord | None:
        """The record from the own item, with the newest older audit entries.

        Reads again after a concurrent change: a blob or an entry that the item counts may be gone.
        """
        while own and not is_receipt(own):
            items = [*self._newest_beside(own), own]
            with suppress(CorruptItem):
                held = self.codec.decode(items, whole=False)
                if held is not None and has_shown_entries(held):
                    return held
            again = self._own_item(table_keys.record_id_of(own))
            if again == own:
                return self.codec.decode(items, whole=False)
            own = again
        return None

    def _newest_beside(self, own: Item) -> Iterator[Item]:
        """The newest spilled audit entries, so many that a reply has enough."""
        spilled = AUDIT.count_beside(own)
        resident = max(0, read_integer(own, "audit_count") - spilled)
        wanted = min(spilled, max(0, SHOWN_ENTRIES - resident))
        if not wanted:
            return iter(())
        return self.between(read_text(own, "pk"), *AUDIT.span(spilled - wanted, spilled))

    def _whole(self, record_id: str) -> AnyRecord | None:
        """The record with the complete trail and history; reads again after a concurrent change."""
        items = list(self._partition(record_id))
        while True:
            with suppress(CorruptItem):
                held = self.codec.decode(items)
                if held is None or len(held.trail) == held.written_entries:
                    return held
            newest = list(self._partition(record_id))
            if newest == items:
                return self.codec.decode(items)
            items = newest

    def _own_item(self, record_id: str) -> Item:
        place = table_keys.RECORD
        return next(self.between(table_keys.record_partition(record_id), place, place), {})

    def _partition(self, record_id: str) -> Iterator[Item]:
        """The items up to the record's own; edges that point at the record sort later, unread."""
        partition = table_keys.record_partition(record_id)
        return self.between(partition, AUDIT.prefix, table_keys.RECORD)

    def _beside(self, record_id: str) -> Sequence[Item]:
        own = text(table_keys.RECORD)
        return [item for item in self._partition(record_id) if item["sk"] != own]

    def _is_expired(self, held: AnyRecord) -> bool:
        return held.tombstone is not None and self.is_past(held.tombstone.expires_at_s)


def _audited_in(own: Item, blobs: BlobStore) -> AuditSummary:
    """The audit of a record's own item; entries in the bucket are not read."""
    record_id = table_keys.record_id_of(own)
    entries = []
    if blob_of_text(own, AUDIT.name, record_id) is None:
        entries = AUDIT.entries_in(own, AUDIT.name, record_id, blobs)
    return AuditSummary(
        record_id,
        scope_in(own),
        read_word(own, "sensitivity", Sensitivity),
        read_integer(own, "audit_count"),
        [entry.action for entry in entries],
    )


def _credited_in(own: Item) -> CreditSummary:
    """The summary of an item with credit."""
    with raising_corrupt_item(own):
        credit = CreditLedger.of_json(credit_in(own, "credit"))
    sensitivity = read_word(own, "sensitivity", Sensitivity)
    return CreditSummary(table_keys.record_id_of(own), scope_in(own), sensitivity, credit)


def blob_of(large: LargeValue) -> str:
    return table_keys.blob_name(large.record_id, large.sha256)
