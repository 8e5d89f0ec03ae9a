"""The only codec between records and items.

A record's own item holds attributes that are filtered or updated in place, and JSON texts:
`document` (payload, provenance, tags, interpretation), `lifecycle`, `audit` (the newest entries),
`relations` if there are any and, once the content has changed, `history` (the newest changes).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import NamedTuple

from membrane.adapters.dynamodb.indexes.learning import (
    made_keys,
    mark_attributes,
    mark_in,
    waiting_keys,
)
from membrane.adapters.dynamodb.records import log_items
from membrane.adapters.dynamodb.records.blobs import digests_of
from membrane.adapters.dynamodb.records.credit_attribute import credit_attribute, credit_in
from membrane.adapters.dynamodb.records.edge_items import RELATIONS, relations_in, relations_text
from membrane.adapters.dynamodb.records.idempotency_items import (
    fingerprint_in,
    idempotency_attributes,
    is_receipt,
    operations_in,
)
from membrane.adapters.dynamodb.records.log_items import (
    Origin,
    belongs_to_record,
    deltas_text,
    entries_in,
    entries_text,
    history_in,
    resident_deltas,
    spilled_deltas,
)
from membrane.adapters.dynamodb.records.tombstone_items import (
    facts_attribute,
    place_of_removed,
    removed_record_in,
    tombstone_attributes,
    tombstone_in,
)
from membrane.domain.language.json_text import JsonObject, Printable, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.lifecycle.pruning import (
    RETRACTED_PERIOD,
    due_of,
    performance_of,
    rank_in_class,
)
from membrane.domain.records.history import Delta
from membrane.domain.records.natural_key import natural_key
from membrane.domain.records.records import AuditEntry, MemoryRecord, as_json
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, Curves, decay_class
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore, Packing, unpack
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    parse_text,
    raising_corrupt_item,
    read_instant,
    read_integer,
    read_number,
    read_text,
    text,
)

_ABOUT_OTHER_ITEMS = frozenset({"history", "history_spilled"})
"""Attributes of a record's own item that describe the items beside."""

_IN_DOCUMENT = frozenset({"tags", "provenance", "payload", "interpretation"})


class Shards(NamedTuple):
    """The number of partitions of each index; may only grow."""

    rank: int = 1
    due: int = 16


@dataclass(frozen=True, slots=True)
class Codec:
    """Encode and decode records, under one set of settings."""

    shards: Shards
    curves: Curves
    blobs: BlobStore
    prune_threshold: float = PRUNE_THRESHOLD
    retracted: timedelta = RETRACTED_PERIOD
    """The time for which a retracted record is kept."""

    def encode(
        self,
        held: AnyRecord,
        resident: Sequence[AuditEntry],
        spilled: int,
        deltas: Sequence[Delta] = (),
        history_spilled: int = 0,
    ) -> Packing:
        """The record's own item, with the newest audit entries and changes of content.

        The first `spilled` audit entries, and the first `history_spilled` changes, are in items of
        their own.
        """
        item: dict[str, Value] = {
            **table_keys.own_key(held.id),
            "type": text(held.type),
            "sensitivity": text(held.sensitivity),
            "created_at": number(held.born_s),
            "version": number(held.version),
            "audit_spilled": number(spilled),
            "audit_count": number(held.written_entries),
        }
        if held.scope:
            item["scope"] = text(held.scope)
        if held.tombstone is not None:
            item |= tombstone_attributes(held.tombstone)
            item |= place_of_removed(held.scope, held.tombstone)
            item |= self._due_key(held.id, held.tombstone.due_s)
        packing = Packing(held.id, item | idempotency_attributes(held))
        texts = {log_items.AUDIT: entries_text(resident)}
        if isinstance(held, RemovedRecord):
            packing.item.update(facts_attribute(held))
        else:
            texts = self._content(held, packing.item) | texts
            if history_spilled:
                packing.item["history_spilled"] = number(history_spilled)
            if deltas:
                texts[log_items.HISTORY] = deltas_text(deltas)
        packing.add(texts)
        return packing

    def _content(self, stored: StoredRecord, item: dict[str, Value]) -> dict[str, str]:
        """The part of a record that a tombstone lacks: attributes added to the item, and texts."""
        record = stored.record
        item |= {
            "salience": number(stored.anchor.salience),
            "anchored_at": number(stored.anchor.at_s),
            "initial_salience": number(stored.first_salience),
            "deletion_policy": text(record.lifecycle.deletion_policy),
            "conf": number(
                record.confidence
            ),  # a short name: an event of 1,000 bytes has four bytes left in the write unit
        }
        item |= credit_attribute(stored)
        performance = performance_of(record.payload)
        if performance is not None:
            item["performance"] = number(performance)
        natural = natural_key(record.scope, record.payload)
        if natural is not None:  # stays until the document goes: a prune saves a write unit
            item["natural_pk"] = binary(natural)
            item["natural_sk"] = number(stored.anchor.born_s)
        item |= mark_attributes(stored.learning)
        if stored.tombstone is None:
            item |= self._index_keys(stored) | waiting_keys(stored) | made_keys(stored)
        large: list[Printable] = []
        document = compact_json(as_json(record, only=_IN_DOCUMENT), large)
        if large:
            item["values"] = digests_of(large)
        texts = {"document": document, "lifecycle": compact_json(as_json(record.lifecycle))}
        if record.relations:
            texts[RELATIONS] = relations_text(record.relations)
        return texts

    def decode(self, items: Sequence[Item], *, whole: bool = True) -> AnyRecord | None:
        """The record from the items of the partition; None without the record's own item.

        With `whole`, the items are the partition up to the own item, and the history is complete;
        without `whole`, the history has the newest changes only. Raises CorruptItem for a damaged
        item.
        """
        own = next((item for item in items if item.get("sk") == text(table_keys.RECORD)), None)
        if own is None or is_receipt(own):
            return None
        record_id = table_keys.record_id_of(own)
        resident = entries_in(own, log_items.AUDIT, record_id, self.blobs)
        born = read_number(own, "created_at")
        older = (
            entries_in(item, log_items.OLDER_AUDIT, record_id, self.blobs)
            for item in items
            if belongs_to_record(item, table_keys.AUDIT, born)
        )
        trail = (*chain.from_iterable(older), *resident)
        if not trail:
            raise CorruptItem(own, "the audit trail is empty")
        spilled = read_integer(own, "audit_spilled")
        if "document" not in own:
            return removed_record_in(own, record_id, trail, Origin(own, len(resident), spilled))
        deltas = resident_deltas(own, record_id, self.blobs)
        origin = Origin(own, len(resident), spilled, len(deltas), spilled_deltas(own))
        if whole:
            changes = [item for item in items if belongs_to_record(item, table_keys.HISTORY, born)]
            deltas = history_in(own, changes, record_id, self.blobs)
        record = self._record(own, record_id, trail)
        return _stored_record(own, record, deltas, origin)

    def decode_own(self, own: Item) -> AnyRecord | None:
        """The record without history and the audit entries outside the own item."""
        alone = {name: value for name, value in own.items() if name not in _ABOUT_OTHER_ITEMS}
        held = self.decode([alone])
        return None if held is None else replace(held, origin=None)

    def _record(self, own: Item, record_id: str, trail: Sequence[AuditEntry]) -> MemoryRecord:
        document = self._object(own, "document", record_id)
        relations = relations_in(own, record_id, self.blobs)
        with raising_corrupt_item(own):
            return MemoryRecord.model_validate(
                {
                    **document,
                    "id": record_id,
                    "type": read_text(own, "type"),
                    "sensitivity": read_text(own, "sensitivity"),
                    "salience": read_number(own, "salience"),
                    "confidence": read_number(own, "conf"),
                    "scope": read_text(own, "scope") if "scope" in own else "",
                    "created_at": rfc3339(read_instant(own, "created_at")),
                    "updated_at": trail[-1].timestamp,
                    "lifecycle": self._object(own, "lifecycle", record_id),
                    "relations": relations,
                    "audit_log": tuple(trail),
                },
                context=record_id,
            )

    def _object(self, item: Item, name: str, record_id: str) -> JsonObject:
        return parse_text(item, name, unpack(item, name, record_id, self.blobs), dict)

    def _index_keys(self, stored: StoredRecord) -> dict[str, Value]:
        record, lifecycle = stored.record, stored.record.lifecycle
        shard = table_keys.shard_of(record.id, self.shards.rank)
        partition = table_keys.rank_partition(
            record.scope, record.type, decay_class(lifecycle), shard
        )
        keys: dict[str, Value] = {
            "rank_pk": text(partition),
            "rank_sk": number(rank_in_class(stored)),
        }
        return keys | self._due_key(record.id, self.due_s(stored))

    def due_s(self, stored: StoredRecord) -> int | None:
        """The instant from which the sweep may take a record that was not deleted; None = never."""
        return due_of(stored, self.curves, self.prune_threshold, self.retracted)

    def _due_key(self, record_id: str, due_s: int | None) -> dict[str, Value]:
        if due_s is None:
            return {}
        shard = table_keys.shard_of(record_id, self.shards.due)
        return {"due_pk": text(table_keys.due_partition(shard)), "due_sk": number(due_s)}


def is_single_item(own: Item) -> bool:
    """Whether the own item is the whole record: no audit entry or change in other items."""
    return "history_spilled" not in own and not read_integer(own, "audit_spilled")


def _stored_record(
    own: Item, record: MemoryRecord, history: tuple[Delta, ...], origin: Origin
) -> StoredRecord:
    is_present = "initial_salience" in own  # absent in items of earlier releases
    first_salience = read_number(own, "initial_salience") if is_present else None
    return StoredRecord(
        record=record,
        anchor=Anchor(
            salience=record.salience,
            at_s=read_number(own, "anchored_at"),
            born_s=read_number(own, "created_at"),
        ),
        version=read_integer(own, "version"),
        fingerprint=fingerprint_in(own),
        operations=operations_in(own),
        tombstone=tombstone_in(own) if "deleted_at" in own else None,
        audit_count=read_integer(own, "audit_count"),
        initial_salience=first_salience,
        history=history,
        learning=mark_in(own),
        credit=credit_in(own),
        origin=origin,
    )
