"""Records in DynamoDB: every access pattern one method, every write conditional."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    number,
    read_binary,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.edge_items import edge_items
from membrane.adapters.dynamodb.failures import translated
from membrane.adapters.dynamodb.receipts import is_receipt, receipt_item
from membrane.adapters.dynamodb.record_items import (
    MAX_RESIDENT_ENTRIES,
    SPILL,
    Codec,
    Origin,
    blobs_named,
    spilled_item,
)
from membrane.adapters.dynamodb.upload_store import claim
from membrane.adapters.dynamodb.writes import Refusal, Write, commit, lost
from membrane.domain.salience import decay_class
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.domain.uploads import Upload
from membrane.domain.values import LargeValue
from membrane.usecases.ports import (
    NO_VALUES,
    BlobStore,
    Clock,
    Head,
    IdTaken,
    KeyUsed,
    Links,
    LostRace,
    Receipt,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

    from membrane.adapters.dynamodb.leavings import Leavings

_FREE = "attribute_not_exists(pk) OR expires_at <= :now"
"""Nothing is there, or a tombstone that TTL has not come round to yet."""

_AS_READ = "attribute_exists(pk) AND attribute_not_exists(deleted_at) AND sensitivity = :level"
"""A relation's target is still there and as sensitive as when it was gated; so is its scope."""


@dataclass(frozen=True, slots=True)
class DynamoRecords:
    """The RecordStore over one table, with large documents in `blobs`."""

    client: "DynamoDBClient"
    table: str
    codec: Codec
    blobs: BlobStore
    links: Links
    classes: ClassRegistry
    now: Clock

    def load(self, record_id: str) -> Held | None:
        """One strongly consistent Query: audit, edges and the record's own item."""
        held = self._held(record_id)
        grave = None if held is None else held.tombstone
        return None if grave is not None and self._is_past(grave.expires_at_s) else held

    def create(
        self,
        new: StoredRecord,
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
        uploads: Sequence[Upload] = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """One conditional put; a transaction with whatever else is to be written.

        That may be edges, heads, a receipt, a new decay class, claims of uploads.
        """
        packing = self.codec.encode(new, new.trail, spilled=0)
        writes = [] if receipt is None else [self._receipt(receipt, new.id)]
        writes.append(self._put_free(packing.item, _taken(new.id)))
        writes += self._edges(new, targets)
        writes += [_head(head) for head in heads]
        writes += self.classes.registration(new.record)
        now_s = epoch_seconds(self.now())
        writes += [claim(upload, new.id, now_s) for upload in uploads]
        blobs = packing.blobs | {_blob_of(large): values[large] for large in values}
        if blobs:
            for place in (new.id,) if receipt is None else (receipt.keyed_id, new.id):
                self._require_free(place)
            self._write_blobs(blobs)
        commit(self.client, self.table, writes)
        self.classes.remember(new.record)

    def replace(
        self,
        before: Held,
        after: Held,
        *,
        heads: Sequence[Head] = (),
        due_by_s: int | None = None,
    ) -> None:
        """One conditional update of what changed; with audit entries spilling, a transaction."""
        origin = _origin(before)
        resident = after.trail[len(before.trail) - origin.resident :]
        spill = SPILL if len(resident) > MAX_RESIDENT_ENTRIES else 0
        packing = self.codec.encode(after, resident[spill:], origin.spilled + spill)
        writes = [_update(origin.item, packing.item, before.version, due_by_s)]
        there = blobs_named([origin.item], after.id)
        blobs = {name: content for name, content in packing.blobs.items() if name not in there}
        if spill:
            spilled = spilled_item(after, origin.spilled, resident[:spill])
            blobs |= spilled.blobs
            writes.append(Write("Put", lost, item=spilled.item))
        writes += [_head(head) for head in heads]
        writes += self._registration(before, after)
        self._write_blobs(blobs)
        commit(self.client, self.table, writes)
        if isinstance(after, StoredRecord):
            self.classes.remember(after.record)

    def forget(self, before: Held, after: Remains) -> None:
        """One update where nothing lies beside the item; else what lies there, and a second one."""
        origin = _origin(before)
        leavings = self._leavings()
        if (
            isinstance(before, StoredRecord)
            and not after.tombstone.is_erased
            and leavings.are_none(origin)
        ):
            self.replace(before, after.cleared())
            return
        blobs = leavings.listed_blobs(after.id)
        self.replace(before, after)
        leavings.clear(after, origin)
        leavings.remove_blobs(blobs, but=self.blob_names(after.id))
        with suppress(LostRace):  # who came first clears as well
            commit(self.client, self.table, [_without_due(after)])

    def discard(self, record_id: str) -> None:
        """One Query; where there is something, deletes that may be repeated, its item last."""
        held = self._held(record_id)
        if held is None or held.tombstone is None:
            return
        if self._is_past(held.tombstone.expires_at_s):
            self._leavings().remove(held.id, _origin(held))
            with suppress(LostRace):
                commit(self.client, self.table, [_as_a_tombstone(held)])

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """One strongly consistent Query."""
        found = self._own_item(keyed_id)
        return _key_used(found) if is_receipt(found) else None

    def holder(self, head_key: bytes) -> str | None:
        """One strongly consistent GetItem."""
        with translated():
            found = self.client.get_item(
                TableName=self.table, Key=_head_key(head_key), ConsistentRead=True
            ).get("Item")
        return None if found is None else read_text(found, "holder")

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The same Query as `load`."""
        return blobs_named(self._partition_up_to_record(record_id), record_id)

    def value(self, large: LargeValue) -> bytes:
        """One GetObject; raises CorruptItem where it is absent or altered."""
        content = self.blobs.get(_blob_of(large))
        if content is None or hashlib.sha256(content).hexdigest() != large.sha256:
            raise CorruptItem(
                table_keys.own_key(large.record_id), "a large value is absent or altered"
            )
        return content

    def link(self, large: LargeValue) -> str:
        """Signed here; no request."""
        return self.links.download(_blob_of(large))

    def _leavings(self) -> "Leavings":
        """Imported when a record is forgotten, which most functions never do."""
        from membrane.adapters.dynamodb.leavings import Leavings

        return Leavings(self.client, self.table, self.blobs)

    def _held(self, record_id: str) -> Held | None:
        """Read again where it has changed meanwhile: a blob that it named may be gone."""
        items = list(self._partition_up_to_record(record_id))
        while True:
            try:
                return self.codec.decode(items)
            except CorruptItem:
                newest = list(self._partition_up_to_record(record_id))
                if newest == items:
                    raise
                items = newest

    def _registration(self, before: Held, after: Held) -> list[Write]:
        """Of a decay class that the record did not have before."""
        if not (isinstance(before, StoredRecord) and isinstance(after, StoredRecord)):
            return []
        if decay_class(after.record.lifecycle) == decay_class(before.record.lifecycle):
            return []
        return self.classes.registration(after.record)

    def _partition_up_to_record(self, record_id: str) -> Iterator[Item]:
        """Edges that point at the record sort behind its own item and are not read."""
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND sk <= :record",
            "ExpressionAttributeValues": {
                ":pk": text(table_keys.record_partition(record_id)),
                ":record": text(table_keys.RECORD),
            },
        }
        while True:
            with translated():
                page = self.client.query(**request)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _own_item(self, record_id: str) -> Item:
        """What stands at a record's place; empty where nothing does.

        A Query, as `load` is, so that no function needs a right for this alone.
        """
        with translated():
            found = self.client.query(
                TableName=self.table,
                ConsistentRead=True,
                KeyConditionExpression="pk = :pk AND sk = :sk",
                ExpressionAttributeValues={
                    f":{name}": value for name, value in table_keys.own_key(record_id).items()
                },
            )["Items"]
        return found[0] if found else {}

    def _require_free(self, record_id: str) -> None:
        """Raises what `create` raises, before a blob is written for nothing."""
        standing = self._own_item(record_id)
        expired = "expires_at" in standing and self._is_past(read_number(standing, "expires_at"))
        if standing and not expired:
            raise _taken(record_id)(standing)

    def _is_past(self, instant_s: float) -> bool:
        return instant_s <= epoch_seconds(self.now())

    def _put_free(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        now = number(int(epoch_seconds(self.now())))
        return Write("Put", refusal, _FREE, item=item, values={":now": now})

    def _receipt(self, receipt: Receipt, record_id: str) -> Write:
        item = receipt_item(receipt.keyed_id, record_id, receipt.fingerprint)
        return self._put_free(item, _taken(receipt.keyed_id))

    def _edges(self, new: StoredRecord, targets: Sequence[StoredRecord]) -> Iterator[Write]:
        for item in edge_items(new):
            yield Write("Put", lost, item=item)
        for target in targets:
            yield _as_read(target)

    def _write_blobs(self, blobs: Mapping[str, bytes]) -> None:
        """Blob first, item second: an item never names a blob that is not there."""
        for name, content in blobs.items():
            self.blobs.put(name, content)


def _taken(record_id: str) -> Refusal:
    """What stands at a record's place: a record, or the receipt of a key."""

    def refusal(item: Item) -> Exception:
        if is_receipt(item):
            return _key_used(item)
        return IdTaken(record_id)

    return refusal


def _key_used(receipt: Item) -> KeyUsed:
    return KeyUsed(read_text(receipt, "receipt_for"), read_binary(receipt, "fingerprint"))


def _as_read(target: StoredRecord) -> Write:
    record = target.record
    values = {":level": text(record.sensitivity)}
    if record.scope:
        values[":scope"] = text(record.scope)
    return Write(
        "ConditionCheck",
        lost,
        f"{_AS_READ} AND {'#scope = :scope' if record.scope else 'attribute_not_exists(#scope)'}",
        key=table_keys.own_key(record.id),
        names={"#scope": "scope"},
        values=values,
    )


def _update(before: Item, after: Mapping[str, Value], version: int, due_by_s: int | None) -> Write:
    """Set the attributes that differ, remove those that are gone, under the version read.

    With `due_by_s` also only where the record is due by then.
    """
    names: dict[str, str] = {"#version": "version"}
    values: dict[str, Value] = {":version": number(version)}
    condition = "#version = :version"
    if due_by_s is not None:
        condition += " AND due_sk <= :due_by"
        values[":due_by"] = number(due_by_s)
    sets, removes = [], []
    for index, name in enumerate(sorted(before.keys() | after.keys())):
        if before.get(name) == after.get(name):
            continue
        names[f"#{index}"] = name
        if name in after:
            values[f":{index}"] = after[name]
            sets.append(f"#{index} = :{index}")
        else:
            removes.append(f"#{index}")
    update = f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removes)}" if removes else "")
    return Write(
        "Update",
        lost,
        condition,
        key={name: after[name] for name in KEY_ATTRIBUTES},
        update=update,
        names=names,
        values=values,
    )


def _without_due(remains: Remains) -> Write:
    """The sweep need not come again."""
    return Write(
        "Update",
        lost,
        "#version = :version",
        key=table_keys.own_key(remains.id),
        update="REMOVE due_pk, due_sk",
        names={"#version": "version"},
        values={":version": number(remains.version)},
    )


def _as_a_tombstone(held: Held) -> Write:
    """Delete the record's item, as it was read."""
    return Write(
        "Delete",
        lost,
        "#version = :version AND attribute_exists(deleted_at)",
        key=table_keys.own_key(held.id),
        names={"#version": "version"},
        values={":version": number(held.version)},
    )


def _head(head: Head) -> Write:
    """Move a head from one holder to another; None is nobody."""
    key = _head_key(head.key)
    values = {} if head.held_by is None else {":held_by": text(head.held_by)}
    condition = "attribute_not_exists(pk)" if head.held_by is None else "holder = :held_by"
    if head.holder is None:
        return Write("Delete", lost, condition, key=key, values=values)
    return Write("Put", lost, condition, item=key | {"holder": text(head.holder)}, values=values)


def _head_key(key: bytes) -> dict[str, Value]:
    return {"pk": text(table_keys.head_partition(key)), "sk": text(table_keys.HEAD)}


def _blob_of(large: LargeValue) -> str:
    return table_keys.blob_name(large.record_id, large.sha256)


def _origin(before: Held) -> Origin:
    if not isinstance(before.origin, Origin):
        raise TypeError("the record to replace was not loaded from this store")
    return before.origin
