"""The only codec between records and items.

A record's own item holds as native attributes what is filtered or updated in place, and three JSON
texts: `document` (payload, provenance, tags, confidence), `lifecycle`, and `audit` (the newest
entries).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import (
    BORN,
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    read_binary,
    read_instant,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.adapters.dynamodb.documents import Packing, blob_named, unpack
from membrane.adapters.dynamodb.edge_items import relations_in
from membrane.adapters.dynamodb.receipts import is_receipt
from membrane.adapters.dynamodb.table_keys import blob_name
from membrane.adapters.dynamodb.texts import named, parsed
from membrane.domain.idempotency import FINGERPRINT_BYTES, IDENTITY_BYTES, Operation
from membrane.domain.json_text import JsonObject, Printable, compact_json
from membrane.domain.natural_key import natural_key
from membrane.domain.records import AuditEntry, MemoryRecord, Relation, as_json
from membrane.domain.salience import (
    PRUNE_THRESHOLD,
    Anchor,
    Curves,
    decay_class,
    due_at,
    rank_of,
)
from membrane.domain.stored import Held, Remains, StoredRecord, Tombstone
from membrane.domain.timestamps import rfc3339
from membrane.domain.values import LargeValue
from membrane.domain.vocabulary import MemoryType, Sensitivity
from membrane.usecases.ports.bucket import BlobStore

MAX_RESIDENT_ENTRIES = 16
"""Audit entries that a record's own item holds at most (design 6)."""

SPILL = 8
"""Entries that move out at a time, into an item of their own."""

PACKED = ("document", "audit", "lifecycle", "entries")
"""The attributes that hold JSON texts."""

SHA256_BYTES = 32
_OPERATION_BYTES = IDENTITY_BYTES + FINGERPRINT_BYTES
_IN_DOCUMENT = frozenset({"confidence", "tags", "provenance", "payload"})


@dataclass(frozen=True, slots=True)
class Shards:
    """Over how many partitions the indexes spread; numbers that only grow."""

    rank: int = 1
    due: int = 16


@dataclass(frozen=True, slots=True)
class Origin:
    """What was read of a record: its own item, and how many of its entries that holds."""

    item: Item
    resident: int
    spilled: int
    beside: tuple["Beside", ...] = ()
    """The other items of its partition that were read with it."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An edge, older audit entries, or what TTL left of an earlier record of the same id."""

    item: Item
    entries: int
    """How many audit entries it holds."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Between records and items, for one set of settings."""

    shards: Shards
    curves: Curves
    blobs: BlobStore
    prune_threshold: float = PRUNE_THRESHOLD

    def encode(self, held: Held, resident: Sequence[AuditEntry], spilled: int) -> Packing:
        """The record's own item; `spilled` entries of its trail lie in items of their own."""
        item: dict[str, Value] = {
            "pk": text(table_keys.record_partition(held.id)),
            "sk": text(table_keys.RECORD),
            "type": text(held.type),
            "sensitivity": text(held.sensitivity),
            "created_at": number(held.born_s),
            "version": number(held.version),
            "audit_spilled": number(spilled),
            "audit_count": number(held.written_entries),
        }
        if held.scope:
            item["scope"] = text(held.scope)
        if held.fingerprint:
            item["fingerprint"] = binary(held.fingerprint)
        if held.operations:
            item["operations"] = binary(_encoded_operations(held.operations))
        if held.tombstone is not None:
            item |= self._grave(held.tombstone, held.id)
        packing = Packing(held.id, item)
        texts = {"audit": entries_text(resident)}
        packing.add(self._content(held, item) | texts if isinstance(held, StoredRecord) else texts)
        return packing

    def _content(self, stored: StoredRecord, item: dict[str, Value]) -> dict[str, str]:
        """What a record has until it is forgotten: attributes for the item, and texts."""
        record = stored.record
        item |= {
            "salience": number(stored.anchor.salience),
            "anchored_at": number(stored.anchor.at_s),
            "deletion_policy": text(record.lifecycle.deletion_policy),
        }
        if stored.tombstone is None:
            item |= self._index_keys(stored)
        if record.relations:
            item["edges"] = number(len(record.relations))
        large: list[Printable] = []
        document = compact_json(as_json(record, only=_IN_DOCUMENT), large)
        if large:
            item["values"] = binary(_encoded_values(large))
        return {"document": document, "lifecycle": compact_json(as_json(record.lifecycle))}

    def decode(self, items: Sequence[Item]) -> Held | None:
        """The record of a partition's items, read up to its own item; None where that is absent.

        Raises CorruptItem where an item is not what this codec writes.
        """
        own = next((item for item in items if item.get("sk") == text(table_keys.RECORD)), None)
        if own is None or is_receipt(own):
            return None
        record_id = table_keys.record_id_of(own)
        resident = self._entries(own, "audit", record_id)
        born = read_number(own, "created_at")
        older = {
            index: self._entries(item, "entries", record_id)
            for index, item in enumerate(items)
            if _is_ours(item, table_keys.AUDIT, born)
        }
        beside = tuple(
            Beside(item, len(older.get(index, ())))
            for index, item in enumerate(items)
            if item is not own
        )
        trail = (*chain.from_iterable(older.values()), *resident)
        if not trail:
            raise CorruptItem(own, "the audit trail is empty")
        origin = Origin(own, len(resident), read_integer(own, "audit_spilled"), beside)
        if "document" in own:
            edges = [item for item in items if _is_ours(item, table_keys.EDGE, born)]
            record = self._record(own, record_id, trail, relations_in(edges))
            return _stored(own, record, origin)
        return _remains(own, record_id, trail, origin)

    def _record(
        self,
        own: Item,
        record_id: str,
        trail: Sequence[AuditEntry],
        relations: Sequence[Relation],
    ) -> MemoryRecord:
        document = self._object(own, "document", record_id)
        with named(own):
            return MemoryRecord.model_validate(
                {
                    **document,
                    "id": record_id,
                    "type": read_text(own, "type"),
                    "sensitivity": read_text(own, "sensitivity"),
                    "salience": read_number(own, "salience"),
                    "scope": read_text(own, "scope") if "scope" in own else "",
                    "created_at": rfc3339(read_instant(own, "created_at")),
                    "updated_at": trail[-1].timestamp,
                    "lifecycle": self._object(own, "lifecycle", record_id),
                    "relations": tuple(relations),
                    "audit_log": tuple(trail),
                },
                context=record_id,
            )

    def _entries(self, item: Item, name: str, record_id: str) -> list[AuditEntry]:
        listed = parsed(item, name, unpack(item, name, record_id, self.blobs), list)
        with named(item):
            return [AuditEntry.model_validate(entry) for entry in listed]

    def _object(self, item: Item, name: str, record_id: str) -> JsonObject:
        return parsed(item, name, unpack(item, name, record_id, self.blobs), dict)

    def _index_keys(self, stored: StoredRecord) -> dict[str, Value]:
        record, lifecycle = stored.record, stored.record.lifecycle
        shard = table_keys.shard_of(record.id, self.shards.rank)
        partition = table_keys.rank_partition(
            record.scope, record.type, decay_class(lifecycle), shard
        )
        keys: dict[str, Value] = {
            "rank_pk": text(partition),
            "rank_sk": number(rank_of(stored.anchor, lifecycle)),
        }
        natural = natural_key(record.scope, record.payload)
        if natural is not None:
            keys["natural_pk"] = binary(natural)
            keys["natural_sk"] = number(stored.anchor.born_s)
        due_s = due_at(stored.anchor, lifecycle, self.curves, self.prune_threshold)
        return keys if due_s is None else keys | self._due_key(record.id, due_s)

    def _grave(self, grave: Tombstone, record_id: str) -> dict[str, Value]:
        return {
            "deleted_at": number(grave.deleted_at_s),
            "deleted_reason": text(grave.reason),
            "expires_at": number(grave.expires_at_s),
            **({} if grave.due_s is None else self._due_key(record_id, grave.due_s)),
        }

    def _due_key(self, record_id: str, due_s: int) -> dict[str, Value]:
        shard = table_keys.shard_of(record_id, self.shards.due)
        return {"due_pk": text(table_keys.due_partition(shard)), "due_sk": number(due_s)}


def stands_alone(own: Item) -> bool:
    """Whether the whole record is in its own item: no edge, and no audit entry, beside it."""
    return "edges" not in own and not read_integer(own, "audit_spilled")


def older_entries(origin: Origin) -> Iterator[tuple[int, Beside]]:
    """The items of older audit entries, each with the position of its first one in the trail."""
    position = 0
    for beside in origin.beside:
        if beside.entries:
            yield position, beside
            position += beside.entries


def spilled_item(stored: Held, position: int, entries: Sequence[AuditEntry]) -> Packing:
    """Audit entries that leave the record's own item, the first of them at `position`.

    Those of remains expire with their tombstone.
    """
    item: dict[str, Value] = {
        "pk": text(table_keys.record_partition(stored.id)),
        "sk": text(table_keys.audit_entries(position)),
        BORN: number(stored.born_s),
    }
    if isinstance(stored, Remains):
        item["expires_at"] = number(stored.tombstone.expires_at_s)
    packing = Packing(stored.id, item)
    packing.add({"entries": entries_text(entries)})
    return packing


def blobs_named(items: Iterable[Item], record_id: str) -> frozenset[str]:
    """The blobs that the items of a record's partition name."""
    named: set[str] = set()
    for item in items:
        texts = (blob_named(item, name, record_id) for name in PACKED)
        named.update(blob for blob in texts if blob is not None)
        named.update(blob_name(record_id, sha256) for sha256 in _decoded_values(item))
    return frozenset(named)


def entries_text(entries: Sequence[AuditEntry]) -> str:
    """Audit entries as JSON."""
    return compact_json([as_json(entry) for entry in entries])


def _stored(own: Item, record: MemoryRecord, origin: Origin) -> StoredRecord:
    return StoredRecord(
        record=record,
        anchor=Anchor(
            salience=record.salience,
            at_s=read_number(own, "anchored_at"),
            born_s=read_number(own, "created_at"),
        ),
        version=read_integer(own, "version"),
        fingerprint=_fingerprint(own),
        operations=_decoded_operations(own),
        tombstone=_tombstone(own) if "deleted_at" in own else None,
        audit_count=read_integer(own, "audit_count"),
        origin=origin,
    )


def _remains(own: Item, record_id: str, trail: tuple[AuditEntry, ...], origin: Origin) -> Remains:
    return Remains(
        id=record_id,
        type=read_word(own, "type", MemoryType),
        scope=read_text(own, "scope") if "scope" in own else "",
        sensitivity=read_word(own, "sensitivity", Sensitivity),
        born_s=read_number(own, "created_at"),
        trail=trail,
        tombstone=_tombstone(own),
        version=read_integer(own, "version"),
        fingerprint=_fingerprint(own),
        operations=_decoded_operations(own),
        audit_count=read_integer(own, "audit_count"),
        origin=origin,
    )


def _fingerprint(own: Item) -> bytes:
    return read_binary(own, "fingerprint") if "fingerprint" in own else b""


def _tombstone(own: Item) -> Tombstone:
    return Tombstone(
        deleted_at_s=read_number(own, "deleted_at"),
        reason=read_text(own, "deleted_reason"),
        due_s=read_integer(own, "due_sk") if "due_sk" in own else None,
        expires_at_s=read_integer(own, "expires_at"),
    )


def _encoded_values(large: Iterable[Printable]) -> bytes:
    """32 bytes of SHA-256 for every value that the bucket holds."""
    digests = {value.sha256 for value in large if isinstance(value, LargeValue)}
    return b"".join(bytes.fromhex(digest) for digest in sorted(digests))


def _decoded_values(item: Item) -> list[str]:
    joined = read_binary(item, "values") if "values" in item else b""
    return [
        joined[start : start + SHA256_BYTES].hex() for start in range(0, len(joined), SHA256_BYTES)
    ]


def _encoded_operations(operations: Sequence[Operation]) -> bytes:
    """16 bytes an operation, the newest last."""
    return b"".join(done.identity + done.fingerprint for done in operations)


def _is_ours(item: Item, kind: str, born: float) -> bool:
    """Whether the item is of a kind and belongs to the record born then.

    What TTL left of an earlier record of the same id does not.
    """
    return read_text(item, "sk").startswith(kind) and read_number(item, BORN) == born


def _decoded_operations(own: Item) -> tuple[Operation, ...]:
    if "operations" not in own:
        return ()
    joined = read_binary(own, "operations")
    if len(joined) % _OPERATION_BYTES:
        raise CorruptItem(own, "operations is cut off")
    return tuple(
        Operation(joined[start : start + IDENTITY_BYTES], joined[start + IDENTITY_BYTES : end])
        for start in range(0, len(joined), _OPERATION_BYTES)
        for end in (start + _OPERATION_BYTES,)
    )
