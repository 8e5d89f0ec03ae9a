"""Records in DynamoDB: every access pattern one method, every write conditional."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import (
    CorruptItem,
    Item,
    Value,
    number,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.batches import MAX_KEYS, items_at
from membrane.adapters.dynamodb.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.edge_items import edge_items
from membrane.adapters.dynamodb.failures import translated
from membrane.adapters.dynamodb.queries import items_of
from membrane.adapters.dynamodb.receipts import is_receipt, receipt_item
from membrane.adapters.dynamodb.record_items import (
    MAX_RESIDENT_ENTRIES,
    SPILL,
    Codec,
    Origin,
    blobs_named,
    spilled_item,
    stands_alone,
)
from membrane.adapters.dynamodb.record_writes import (
    FREE,
    as_read,
    key_of_head,
    key_used,
    move_of,
    removal_of,
    taken,
    update_of,
    without_due,
)
from membrane.adapters.dynamodb.upload_store import claim
from membrane.adapters.dynamodb.writes import Refusal, Write, commit, lost
from membrane.domain.salience import decay_class
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.domain.uploads import Upload
from membrane.domain.values import LargeValue
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.records import NO_VALUES, Head, KeyUsed, LostRace, Receipt
from membrane.usecases.ports.services import MAX_WORKERS, Clock
from membrane.usecases.ports.uploads import Links

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef

    from membrane.adapters.dynamodb.leavings import Leavings

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


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
        return None if held is None or self._is_over(held) else held

    def load_all(self, record_ids: Sequence[str]) -> Mapping[str, Held]:
        """A strongly consistent BatchGetItem for 100 ids; a Query for those of more than an item.

        Those have edges or older audit entries. For reading alone: the store does not take what
        this gives for the origin of a next version.
        """
        distinct = list(dict.fromkeys(record_ids))
        parts = [distinct[start : start + MAX_KEYS] for start in range(0, len(distinct), MAX_KEYS)]
        own_items = list(chain.from_iterable(_side_by_side(self._own_items, parts)))
        found = {table_keys.record_id_of(own): self._alone(own) for own in own_items}
        others = [record_id for record_id, held in found.items() if held is None]
        found |= zip(others, _side_by_side(self.load, others), strict=True)
        return {
            each: replace(held, origin=None)
            for each in distinct
            if (held := found.get(each)) is not None and not self._is_over(held)
        }

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
        writes.append(self._put_free(packing.item, taken(new.id)))
        writes += self._edges(new, targets)
        writes += [move_of(head) for head in heads]
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
        writes = [update_of(origin.item, packing.item, before.version, due_by_s)]
        there = blobs_named([origin.item], after.id)
        blobs = {name: content for name, content in packing.blobs.items() if name not in there}
        if spill:
            spilled = spilled_item(after, origin.spilled, resident[:spill])
            blobs |= spilled.blobs
            writes.append(Write("Put", lost, item=spilled.item))
        writes += [move_of(head) for head in heads]
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
            commit(self.client, self.table, [without_due(after)])

    def discard(self, record_id: str) -> None:
        """One Query; where there is something, deletes that may be repeated, its item last."""
        held = self._held(record_id)
        if held is None or held.tombstone is None:
            return
        if self._is_past(held.tombstone.expires_at_s):
            self._leavings().remove(held.id, _origin(held))
            with suppress(LostRace):
                commit(self.client, self.table, [removal_of(held)])

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """One strongly consistent Query."""
        found = self._own_item(keyed_id)
        return key_used(found) if is_receipt(found) else None

    def holder(self, head_key: bytes) -> str | None:
        """One strongly consistent GetItem."""
        with translated():
            found = self.client.get_item(
                TableName=self.table, Key=key_of_head(head_key), ConsistentRead=True
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

    def _own_items(self, record_ids: Sequence[str]) -> Sequence[Item]:
        keys = [table_keys.own_key(record_id) for record_id in record_ids]
        return items_at(self.client, self.table, keys, consistent=True)

    def _alone(self, own: Item) -> Held | None:
        """The record of that item; None where it alone does not tell, or no longer."""
        if is_receipt(own) or not stands_alone(own):
            return None
        with suppress(CorruptItem):  # a blob that it named may be gone by now; `load` tells
            return self.codec.decode([own])
        return None

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
        return items_of(self.client, request)

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
            raise taken(record_id)(standing)

    def _is_over(self, held: Held) -> bool:
        return held.tombstone is not None and self._is_past(held.tombstone.expires_at_s)

    def _is_past(self, instant_s: float) -> bool:
        return instant_s <= epoch_seconds(self.now())

    def _put_free(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        now = number(int(epoch_seconds(self.now())))
        return Write("Put", refusal, FREE, item=item, values={":now": now})

    def _receipt(self, receipt: Receipt, record_id: str) -> Write:
        item = receipt_item(receipt.keyed_id, record_id, receipt.fingerprint)
        return self._put_free(item, taken(receipt.keyed_id))

    def _edges(self, new: StoredRecord, targets: Sequence[StoredRecord]) -> Iterator[Write]:
        for item in edge_items(new):
            yield Write("Put", lost, item=item)
        for target in targets:
            yield as_read(target)

    def _write_blobs(self, blobs: Mapping[str, bytes]) -> None:
        """Blob first, item second: an item never names a blob that is not there."""
        for name, content in blobs.items():
            self.blobs.put(name, content)


def _side_by_side(ask: Callable[[Asked], Answer], several: Sequence[Asked]) -> Iterable[Answer]:
    """What each is answered, in order; threads are for more than one."""
    if len(several) <= 1:
        return map(ask, several)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(several), MAX_WORKERS)) as pool:
        return list(pool.map(ask, several))


def _blob_of(large: LargeValue) -> str:
    return table_keys.blob_name(large.record_id, large.sha256)


def _origin(before: Held) -> Origin:
    if not isinstance(before.origin, Origin):
        raise TypeError("the record to replace was not loaded from this store")
    return before.origin
