"""Records in DynamoDB: every access pattern one method, every write conditional."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby, starmap
from operator import itemgetter
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.indexes.learning import LOOKUPS, lookup_items
from membrane.adapters.dynamodb.records.blobs import blob_names_in
from membrane.adapters.dynamodb.records.credit_attribute import CREDITED, credited_in
from membrane.adapters.dynamodb.records.drafts import Draft, Drafting, origin_of
from membrane.adapters.dynamodb.records.edge_items import edge_changes, incoming_in, put_of_edge
from membrane.adapters.dynamodb.records.idempotency_items import is_receipt, receipt_item
from membrane.adapters.dynamodb.records.items import Codec, is_single_item
from membrane.adapters.dynamodb.records.log_items import AUDITED, audited_in
from membrane.adapters.dynamodb.records.tombstone_items import tombstone_in
from membrane.adapters.dynamodb.records.writes import (
    EdgesLeft,
    head_in,
    key_used,
    place_taken,
    put_new,
    put_spending,
    removal_of,
    without_due,
)
from membrane.adapters.dynamodb.search.markers import STALE, WRITTEN
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import AuditEntry, Relation
from membrane.domain.records.standing import is_found
from membrane.domain.records.stored import (
    AnyRecord,
    AuditSummary,
    CreditSummary,
    RemovedRecord,
    StoredRecord,
    erases_past,
)
from membrane.table import keys as table_keys
from membrane.table.dynamo import MAX_KEYS, OverTable, items_at
from membrane.table.items import CorruptItem, Item, Value, read_number, read_text, text
from membrane.table.writes import MAX_TOGETHER, KeyUsed, LostRace, Refusal, Write, lost_race
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.records import (
    NO_RECEIPTS,
    NO_VALUES,
    Change,
    Head,
    Incoming,
    Receipt,
    Spending,
    Turns,
)
from membrane.usecases.ports.search import RECEIPT_PERIOD
from membrane.usecases.ports.surroundings import Clock

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.reading import Reading
    from membrane.adapters.dynamodb.records.side_items import SideItems
    from membrane.domain.records.sizes import Upload
    from membrane.table.blobs import BlobStore
    from membrane.usecases.ports.bucket import Links
    from membrane.usecases.ports.records import NameChange


EDGES_PER_PAGE = 100
"""Edges at a record that a Query reads."""
MAX_EDGES_PER_PAGE = 1_000
"""Edges at a record that a Query reads where each Query reads twice as many as the one before."""


@dataclass(frozen=True, slots=True)
class DynamoRecords(OverTable):
    """Records over one table, with large documents in `blobs`. Every write is atomic.

    Reads are strongly consistent unless the method says otherwise. Any method may raise
    ResourceExhausted or Unavailable.
    """

    codec: Codec
    blobs: "BlobStore"
    links: "Links"
    classes: ClassRegistry
    now: Clock

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """The record or the tombstone, with relations.

        The audit trail has at least the newest SHOWN_ENTRIES entries, the history the newest
        changes, so the cost does not grow with either. `whole` reads all of both. A strongly
        consistent Query of the record's own item, often the whole record. A second Query reads the
        newest older audit entries; `whole` is one Query of all items.
        """
        reading = self._reading()
        held = reading.whole(record_id) if whole else reading.newest(self._own_item(record_id))
        return None if held is None or self._is_expired(held) else held

    def load_all(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """Like `load_each`, but read-only: no next version can be written from the results.

        The requests of `load_each`; a record from here cannot be written again.
        """
        found = self.load_each(record_ids, whole=whole)
        return {each: replace(held, origin=None) for each, held in found.items()}

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
        reading = self._reading()

        def load_one(record_id: str) -> AnyRecord | None:
            return reading.whole(record_id) if whole else reading.newest(own_items[record_id])

        found |= zip(others, side_by_side(load_one, others), strict=True)
        return self._without_expired(record_ids, found)

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        """Records by id, without history, older audit entries and absent ids.

        One request per 100 ids. Read-only: no next version can be written from the results.
        """
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
        found = items_at(self.client, self.table, keys, consistent=False, attributes=AUDITED)
        living = (own for own in found if "deleted_at" not in own and not is_receipt(own))
        return [audited_in(own, self.blobs) for own in living]

    def credit_summaries(self, record_ids: Sequence[str]) -> Sequence[CreditSummary]:
        """The credit of each live record that has any.

        One request per 100 ids; ids must be distinct. Eventually consistent. A BatchGetItem for 100
        ids, which may lag behind the records.
        """
        keys = [table_keys.own_key(each) for each in record_ids]
        found = items_at(self.client, self.table, keys, consistent=False, attributes=CREDITED)
        return [credited_in(own) for own in found if "credit" in own and "deleted_at" not in own]

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[Change] = (),
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: "Sequence[NameChange]" = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        uploads: "Sequence[Upload]" = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write a record under a free id, with edges to `targets` and with large values.

        The same transaction writes `also` (records under free ids; relations among new records have
        no target to check), `changed`, `heads`, `names` and `receipts`, by the id of the record
        written under the key, and claims the uploads for `new`. Raises IdTaken; KeyUsed; LostRace
        if a target, a head, names or a changed record are no longer as read; InvalidArgument for
        one decay class too many; the errors of `require_claimable`. One conditional put; a
        transaction if there is more to write. Edges, further new records, heads, names, receipts,
        new decay classes, claims of uploads and changed records may join the put.
        """
        draft = Draft(self._receipts(receipts))
        made = (new, *also)
        for each in made:
            self._put_new(draft, each)
        drafting = self._drafting()
        drafting.register(draft, [each.record for each in made])
        draft.writes.extend(self._claims(uploads, new.id))
        draft.writes.extend(_name_writes(names))
        draft.blobs.update({_blob_of(large): values[large] for large in values})
        if draft.blobs:
            used = [each.keyed_id for each in receipts.values()]
            for place in (*used, *(each.id for each in made)):
                self._require_free(place)
        drafting.add_changes(draft, changed, targets, heads)
        self._commit(draft)

    def create_all(
        self,
        new: Sequence[StoredRecord],
        turns: Turns,
        *,
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write records of one scope and lifecycle under free ids, as turns of a thread.

        All records or none. A failed write may leave a gap of turns, but never gives a turn twice.
        Raises IdTaken; LostRace if the turns are taken; TooLarge; InvalidArgument like `create`.
        One transaction; two if the thread's head or a decay class does not fit in.
        """
        from membrane.adapters.dynamodb.records.threads import advance_head, split_transactions

        puts, beside = Draft(), Draft([advance_head(turns)])
        for each in new:
            self._put_new(puts, each)
        beside.writes.extend(self.classes.registrations([new[0].record]))
        parts = split_transactions(puts.writes, beside.writes)
        puts.blobs.update({_blob_of(large): values[large] for large in values})
        if puts.blobs or len(parts) > 1:
            self._require_free(new[0].id)
        *first, last = parts
        for writes in first:
            self._write(writes)
        self._commit(Draft(last, puts.blobs))
        self.classes.remember(new[0].record)

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """Write the next version, with edges for new relations and without those of vanished ones.

        All edges of the record are written again with a new scope or sensitivity of the record. For
        a version without past, every earlier content is removed for good; `replace_all` cannot.
        Raises LostRace if `before` is no longer the newest version, or is not due by `due_by_s`.
        One conditional update of the changed attributes; a transaction with new items. A version
        that erases the past also reads and removes the spilled changes and the blobs.
        """
        draft = Draft()
        self._drafting().add_next_version(draft, before, after, due_by_s=due_by_s)
        if erases_past(before, after):
            self._commit_without_past(draft, before)
        else:
            self._commit(draft)

    def replace_all(
        self,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: "Sequence[NameChange]" = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        spending: Spending | None = None,
    ) -> None:
        """Write the next versions of several records, all or none.

        `targets` are the targets of new relations; `names` may change several levels of a place.
        Raises LostRace like `create` and `replace`, also if `spending` is not as read; and KeyUsed.
        """
        draft = Draft()
        if spending is not None:
            # Later than the end of the receipt, which is older.
            expires_at_s = int(epoch_seconds(self.now() + RECEIPT_PERIOD))
            draft.writes.append(put_spending(spending, expires_at_s))
        draft.writes.extend(self._receipts(receipts))
        draft.writes.extend(_name_writes(names))
        self._drafting().add_changes(draft, changed, targets, heads)
        self._commit(draft)

    def _commit(self, draft: Draft) -> None:
        """Put blobs before items: an item never names an absent blob."""
        writes = [*draft.writes, *self.classes.registrations(draft.registered)]
        for name, content in draft.blobs.items():
            self.blobs.write(name, content)
        room = max(0, MAX_TOGETHER - len(writes))
        edges = starmap(put_of_edge, draft.outdated[:room])
        self._write([*writes, *edges])
        for record in draft.registered:
            self.classes.remember(record)
        if draft.outdated[room:]:
            self._put_edges(draft.outdated[room:])
        for write in draft.behind:  # botocore tries again, and throttled tries are metered
            with suppress(LostRace, ResourceExhausted, Unavailable):
                self.commit_all(write)

    def _commit_without_past(self, draft: Draft, before: AnyRecord) -> None:
        """Commit together with the removal of earlier contents; their blobs go afterwards.

        Blobs that a killed call leaves are collected like other orphans.
        """
        if origin_of(before).history_spilled:
            room = MAX_TOGETHER - len(draft.writes) - len(draft.registered)
            beside = self._reading().beside(before.id)
            draft.writes.extend(self._side_items().removals_of_history(beside, room))
        blobs = [blob.name for blob in self.blobs.list_blobs(before.id)]
        self._commit(draft)
        self._remove_blobs(blobs, before.id, is_erased=True)

    def _put_edges(self, outdated: Sequence[tuple[StoredRecord, Relation]]) -> None:
        """Import lazily: few records have more relations than a transaction has room for."""
        from membrane.adapters.dynamodb.records.side_items import put_late_edges

        for source, several in groupby(outdated, key=itemgetter(0)):
            relations = [relation for _, relation in several]
            put_late_edges(self.client, self.table, source, relations, self.load)

    def _write(self, writes: Sequence[Write]) -> None:
        try:
            self.commit_all(*writes)
        except EdgesLeft as left:
            self.discard(left.record_id)
            self.commit_all(*writes)

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """Write the next version without a document, then remove everything except the audit.

        The tombstone stays due until the removal is complete, so the sweep repeats an interrupted
        call. Names that lead to an entity go with the document. Raises LostRace. One update for a
        single-item record without edges and blobs. Else a cleanup of all items and edges, and a
        second update. The names that lead to an entity go in the transaction of the first update.
        """
        own = origin_of(before).item
        is_alone = isinstance(before, StoredRecord) and is_single_item(own) and LOOKUPS not in own
        has_edges = isinstance(before, StoredRecord) and bool(before.record.relations)
        is_simple = is_alone and not has_edges and not after.tombstone.is_erased
        if is_simple and not blob_names_in([own], before.id):
            self._end(before, after.without_due_time())
            return
        beside = () if is_alone else self._reading().beside(before.id)
        side_items = self._side_items()
        blobs = [blob.name for blob in self.blobs.list_blobs(after.id)]
        self._end(before, after)
        try:
            side_items.clear(before, own, after, beside)
        except CorruptItem as error:
            if self._reading().beside(before.id) == beside:
                raise
            raise LostRace from error  # a concurrent erasure removed a blob
        self._remove_blobs(blobs, after.id, is_erased=after.tombstone.is_erased)
        with suppress(LostRace):  # the writer that came first clears as well
            self.commit_all(without_due(after))

    def _end(self, before: AnyRecord, after: RemovedRecord) -> None:
        """Write the version without a document, together with the removal of the names."""
        draft = Draft(self._removals_of_names(before))
        self._drafting().add_next_version(draft, before, after)
        self._commit(draft)

    def _removals_of_names(self, held: AnyRecord) -> list[Write]:
        """Import lazily: few functions remove entities."""
        if held.type is not MemoryType.ENTITY or not isinstance(held, StoredRecord):
            return []
        from membrane.adapters.dynamodb.indexes.names import DynamoNames

        return DynamoNames(self.client, self.table).removals_of(held.record)

    def _remove_blobs(self, listed: Sequence[str], record_id: str, *, is_erased: bool) -> None:
        """Remove blobs that were listed before the update: no later version has put any of them.

        Blobs of an erased record go for good, also those that were removed before.
        """
        remove = self.blobs.erase if is_erased else self.blobs.remove
        named = self.blob_names(record_id)
        for name in listed:
            if name not in named:
                remove(name)
        if is_erased:
            self.blobs.erase_removed(record_id)

    def discard(self, record_id: str) -> None:
        """Remove an expired tombstone with all items, names and blobs; none before the expiry.

        Load the record and the items beside; delete, repeatably, and the own item last.
        """
        held = self._reading().newest(self._own_item(record_id))
        if held is None or held.tombstone is None:
            return
        if self._is_past(held.tombstone.expires_at_s):
            own = origin_of(held).item
            self._side_items().remove(held, own, self._reading().beside(held.id))
            with suppress(LostRace):  # of two, the later sweep finishes
                names = self._removals_of_names(held)
                self.commit_all(removal_of(held), *names)

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """The receipt of a key as a KeyUsed; None if the key has no receipt."""
        found = self._own_item(keyed_id)
        return key_used(found) if is_receipt(found) else None

    def head(self, key: bytes) -> Head:
        """The head; with version 0 if not stored yet."""
        found = self.item_at(table_keys.head_key(key))
        return Head(key) if found is None else head_in(key, found)

    def heads_of(self, keys: Collection[bytes]) -> Mapping[bytes, Head]:
        """The results of `head` for distinct keys; one request per 100 keys.

        A strongly consistent BatchGetItem for 100 keys.
        """
        places = {each: table_keys.head_key(each) for each in keys}
        items = items_at(self.client, self.table, [*places.values()], consistent=True)
        stored = {read_text(each, "pk"): each for each in items}
        found = {key: stored.get(read_text(place, "pk")) for key, place in places.items()}
        return {
            key: Head(key) if item is None else head_in(key, item) for key, item in found.items()
        }

    def spent_of(self, receipt_id: str) -> float:
        """The credit spent of the receipt of a retrieval; kept as long as the receipt.

        One strongly consistent GetItem.
        """
        found = self.item_at(table_keys.spent_key(receipt_id))
        return 0.0 if found is None else read_number(found, "amount")

    def next_turn(self, key: bytes) -> int:
        """The next turn of a thread; 1 for a thread without messages."""
        from membrane.adapters.dynamodb.records.threads import head_key, next_turn_in

        return next_turn_in(self.item_at(head_key(key)))

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The names of the blobs that items of the record refer to."""
        return blob_names_in(self._reading().partition(record_id), record_id)

    def is_erased(self, record_id: str) -> bool:
        """Whether the id has the tombstone of an erased record. One strongly consistent Query."""
        own = self._own_item(record_id)
        return "deleted_at" in own and tombstone_in(own).is_erased

    def value(self, large: LargeValue) -> bytes:
        """One GetObject; raises CorruptItem for an absent or altered value."""
        content = self.blobs.get(_blob_of(large))
        if content is None or hashlib.sha256(content).hexdigest() != large.sha256:
            own = table_keys.own_key(large.record_id)
            raise CorruptItem(own, "a large value is absent or altered")
        return content

    def link(self, large: LargeValue) -> str:
        """A signed address of the value, valid for DOWNLOAD_LINK_PERIOD.

        Signed locally, without a request.
        """
        return self.links.download(_blob_of(large))

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
            return self.codec.decode_own(own)
        held = self.load(table_keys.record_id_of(own))
        return None if held is None else replace(held, origin=None)

    def _drafting(self) -> Drafting:
        return Drafting(self.codec, self.classes, self.now())

    def _side_items(self) -> "SideItems":
        """Import lazily: most functions never forget a record."""
        from membrane.adapters.dynamodb.records.side_items import SideItems

        return SideItems(self.client, self.table, self.blobs)

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        """Audit entries of a loaded record with positions, the oldest first.

        Positions run from `begin` up to, and without, `end`; missing entries are left out. One
        strongly consistent Query a megabyte of the entries outside the record's own item.
        """
        return self._reading().entries(held, origin_of(held), begin, end)

    def _claims(self, uploads: "Sequence[Upload]", record_id: str) -> list[Write]:
        """Import lazily: few records claim an upload."""
        if not uploads:
            return []
        from membrane.adapters.dynamodb.records.uploads import claim

        now_s = epoch_seconds(self.now())
        return [claim(upload, record_id, now_s) for upload in uploads]

    def _reading(self) -> "Reading":
        """Import lazily: a function that only creates records seldom reads a record."""
        from membrane.adapters.dynamodb.records.reading import Reading

        return Reading(self.client, self.table, self.codec)

    def _own_item(self, record_id: str) -> Item:
        return self._reading().own_item(record_id)

    def _require_free(self, record_id: str) -> None:
        """Raise the errors of `create` before a blob is written in vain."""
        existing = self._own_item(record_id)
        expired = "expires_at" in existing and self._is_past(read_number(existing, "expires_at"))
        if existing and not expired:
            raise place_taken(record_id)(existing)

    def _is_expired(self, held: AnyRecord) -> bool:
        return held.tombstone is not None and self._is_past(held.tombstone.expires_at_s)

    def _is_past(self, instant_s: float) -> bool:
        return instant_s <= epoch_seconds(self.now())

    def _put_new(self, draft: Draft, new: StoredRecord) -> None:
        packing = self.codec.encode(new, new.trail, spilled=0)
        if is_found(new):
            packing.item[STALE] = WRITTEN
        draft.writes.append(self._put_free(packing.item, place_taken(new.id)))
        draft.writes.extend(edge_changes(new))
        draft.writes.extend(Write("Put", lost_race, item=each) for each in lookup_items(new))
        draft.blobs.update(packing.blobs)

    def _put_free(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        return put_new(item, refusal, int(epoch_seconds(self.now())))

    def _receipts(self, receipts: Mapping[str, Receipt]) -> list[Write]:
        return [
            self._put_free(
                receipt_item(each.keyed_id, record_id, each.fingerprint), place_taken(each.keyed_id)
            )
            for record_id, each in receipts.items()
        ]


def _name_writes(names: "Sequence[NameChange]") -> list[Write]:
    """Import lazily: few functions create entities."""
    if not names:
        return []
    from membrane.adapters.dynamodb.indexes.names import writes_of

    return writes_of(names)


def _blob_of(large: LargeValue) -> str:
    return table_keys.blob_name(large.record_id, large.sha256)
