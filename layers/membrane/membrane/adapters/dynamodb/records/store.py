"""Records in DynamoDB: every access pattern one method, every change one commit."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.indexes.learning import LOOKUPS
from membrane.adapters.dynamodb.records.beside import (
    LEFT,
    keys_of_edges,
    place_taken,
    put_head,
    put_late_edges,
    put_of_edge,
    put_spending,
    receipt_item,
    unchanged_check,
)
from membrane.adapters.dynamodb.records.items import AUDIT, HISTORY, is_single_item
from membrane.adapters.dynamodb.records.kind import EdgesLeft, takes_rank
from membrane.adapters.dynamodb.records.reads import RecordReads, blob_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import without_text
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, erases_past
from membrane.table import items
from membrane.table import keys as table_keys
from membrane.table.blobs import blob_names_in
from membrane.table.entity import Change, Draft, Entities, is_of
from membrane.table.index import touch
from membrane.usecases.ports.records import NO_RECEIPTS, NO_VALUES, Head, Receipt, Spending, Turns
from membrane.usecases.ports.search import RECEIPT_PERIOD

if TYPE_CHECKING:
    from membrane.domain.records.sizes import Upload
    from membrane.usecases.ports.records import NameChange


@dataclass(frozen=True, slots=True)
class DynamoRecords(RecordReads):
    """Records over one table, with large documents in `blobs`. Every write is atomic.

    Reads are strongly consistent unless the method says otherwise. Any method may raise
    ResourceExhausted or Unavailable; writes to a fenced scope raise ScopeFenced.
    """

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[tuple[StoredRecord, StoredRecord]] = (),
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
        transaction if there is more to write.
        """
        pairs = [*((None, each) for each in (new, *also)), *changed]
        self.commit(
            [Change[AnyRecord](*each) for each in pairs],
            [
                *self._claims(uploads, new.id),
                *name_writes(names),
                *_checks(changed, targets, heads),
            ],
            once=self._receipts(receipts),
            blobs={blob_of(large): values[large] for large in values},
        )

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
        from membrane.adapters.dynamodb.records.queues import advance_head, split_transactions

        changes: list[Change[AnyRecord]] = [Change(None, each) for each in new]
        self.require_unfenced(changes)
        puts = Draft(blobs={blob_of(large): values[large] for large in values})
        for each in changes:
            self.add(puts, each)
        beside = [advance_head(turns), *self.classes.registrations([new[0].record])]
        *first, last = split_transactions(puts.writes, beside)
        if puts.blobs or first:
            self.require_free(puts.writes[:1])
        for writes in first:
            self.write(writes)
        Entities.carry_out(self, Draft(last, puts.blobs))
        self.classes.remember(new[0].record)

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """Write the next version, with edges for new relations and without those of vanished ones.

        All edges of the record are written again with a new scope or sensitivity of the record. For
        a version without past, every earlier content is removed for good; `replace_all` cannot.
        Raises LostRace if `before` is no longer the newest version, or is not due by `due_by_s`.
        One conditional put; a transaction with new items. A version that erases the past also
        reads and removes the spilled changes and the blobs.
        """
        if erases_past(before, after):
            self._erase_past(before, after)
        else:
            self.commit([Change(before, after, due_by_s)])

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
        once = self._receipts(receipts)
        if spending is not None:
            # Later than the end of the receipt, which is older.
            expires_at_s = int(epoch_seconds(self.now() + RECEIPT_PERIOD))
            once = [put_spending(spending, expires_at_s), *once]
        checks = [*name_writes(names), *_checks(changed, targets, heads)]
        self.commit([Change(*each) for each in changed], checks, once=once)

    def carry_out(self, draft: Draft) -> None:
        """Register decay classes too, and put again the edges of a former scope or sensitivity."""
        registered = [each.after.record for each in draft.changes if takes_rank(each)]
        draft.writes.extend(self.classes.registrations(registered))
        room = max(0, items.MAX_TOGETHER - len(draft.writes))
        draft.writes.extend(put_of_edge(*each) for each in draft.late[:room])
        Entities.carry_out(self, draft)
        for record in registered:
            self.classes.remember(record)
        for source, several in groupby(draft.late[room:], key=itemgetter(0)):
            put_late_edges(self.commit_all, source, [each for _, each in several], self.load)

    def write(self, writes: Sequence[items.Write]) -> None:
        try:
            self.commit_all(*writes)
        except EdgesLeft as left:
            self.discard(left.record_id)
            self.commit_all(*writes)

    def _erase_past(self, before: AnyRecord, after: AnyRecord) -> None:
        """Commit together with the removal of earlier contents; their blobs go afterwards.

        The oldest changes that find no room in the transaction are removed before: earlier contents
        cannot be read until then. Blobs that a killed call leaves are collected like other orphans.
        """
        change, draft = Change(before, after), Draft()
        self.require_unfenced([change])
        self.add(draft, change)
        removals: list[items.Write] = []
        if HISTORY.count_beside(self.origin_of(before).item):
            spilled = (
                each
                for each in self._beside(before.id)
                if items.read_text(each, "sk").startswith(HISTORY.prefix)
            )
            removals = [
                items.removal_of(each, items.read_number(each, items.BORN)) for each in spilled
            ]
        room = items.MAX_TOGETHER - len(draft.writes) - 1
        at_once = max(0, len(removals) - room)
        self.commit_in_parts(removals[:at_once])
        draft.writes.extend(removals[at_once:])
        blobs = [blob.name for blob in self.blobs.list_blobs(before.id)]
        self.carry_out(draft)
        self._remove_blobs(blobs, before.id, is_erased=True)

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """Write the next version without a document, then remove everything except the audit.

        The tombstone stays due until the removal is complete, so the sweep repeats an interrupted
        call. Names that lead to an entity go with the document. Raises LostRace. One put for a
        single-item record without edges and blobs. Else a cleanup of all items and edges, and an
        update. The names that lead to an entity go in the transaction of the put.
        """
        own = self.origin_of(before).item
        is_alone = isinstance(before, StoredRecord) and is_single_item(own) and LOOKUPS not in own
        has_edges = isinstance(before, StoredRecord) and bool(before.record.relations)
        is_simple = is_alone and not has_edges and not after.tombstone.is_erased
        names = self._removals_of_names(before)
        if is_simple and not blob_names_in([own], before.id):
            self.commit([Change(before, after.without_due_time())], names)
            return
        beside = () if is_alone else self._beside(before.id)
        blobs = [blob.name for blob in self.blobs.list_blobs(after.id)]
        self.commit([Change(before, after)], names)
        try:
            self._clear(before, after, beside)
        except items.CorruptItem as error:
            if self._beside(before.id) == beside:
                raise
            raise items.LostRace from error  # a concurrent erasure removed a blob
        self._remove_blobs(blobs, after.id, is_erased=after.tombstone.is_erased)
        key, version = table_keys.own_key(after.id), {":version": items.number(after.version)}
        # nothing is left to remove; the writer that came first clears as well
        touch(self, key, "version = :version", version, removes=("due_pk", "due_sk", LEFT))

    def _clear(
        self, before: AnyRecord, removed: RemovedRecord, beside: Sequence[items.Item]
    ) -> None:
        """Keep only the audit until the tombstone expires; for an erased record without texts.

        `beside` are the items beside the own item, and may be cleared again. Texts are written
        again only to erase them: a late writer must not bring a text back.
        """
        audit = [each for each in beside if is_of(each, AUDIT, removed.born_s)]
        if removed.tombstone.is_erased:
            self.rewrite(removed, AUDIT, audit, without_text)
        else:
            ends = {":end": items.number(removed.tombstone.expires_at_s)}
            is_there, update = "attribute_exists(pk)", "SET expires_at = :end"
            self.commit_in_parts(
                [
                    items.Write(
                        "Update",
                        items.lost_race,
                        is_there,
                        key=items.key_in(e),
                        update=update,
                        values=ends,
                    )
                    for e in audit
                ]
            )
        gone = [each for each in beside if each not in audit]
        self.commit_in_parts(
            [items.removal_of(each, items.read_number(each, items.BORN)) for each in gone]
        )
        self._remove_edges(before)

    def _remove_edges(self, held: AnyRecord) -> None:
        keys = keys_of_edges(held, self.origin_of(held).item)
        self.commit_in_parts([items.removal_of(each, held.born_s) for each in keys])

    def _removals_of_names(self, held: AnyRecord) -> list[items.Write]:
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
        held = self._newest(self._own_item(record_id))
        if held is None or held.tombstone is None:
            return
        if self.is_past(held.tombstone.expires_at_s):
            # A younger record may appear between the reads of the own item and of those beside.
            born = [(each, items.read_number(each, items.BORN)) for each in self._beside(held.id)]
            self.commit_in_parts(
                [items.removal_of(*each) for each in born if each[1] <= held.born_s]
            )
            self._remove_edges(held)
            with suppress(items.LostRace):  # of two, the later sweep finishes
                self.commit_all(_removal(held), *self._removals_of_names(held))

    def _claims(self, uploads: "Sequence[Upload]", record_id: str) -> list[items.Write]:
        """Import lazily: few records claim an upload."""
        if not uploads:
            return []
        from membrane.adapters.dynamodb.records.uploads import claim

        now_s = epoch_seconds(self.now())
        return [claim(upload, record_id, now_s) for upload in uploads]

    def _receipts(self, receipts: Mapping[str, Receipt]) -> list[items.Write]:
        return [
            self.put_new(
                receipt_item(each.keyed_id, record_id, each.fingerprint), place_taken(each.keyed_id)
            )
            for record_id, each in receipts.items()
        ]


def _removal(held: AnyRecord) -> items.Write:
    return items.Write(
        "Delete",
        items.lost_race,
        "version = :version AND attribute_exists(deleted_at)",
        key=table_keys.own_key(held.id),
        values={":version": items.number(held.version)},
    )


def _checks(
    changed: Sequence[tuple[AnyRecord, AnyRecord]],
    targets: Sequence[StoredRecord],
    heads: Sequence[Head],
) -> list[items.Write]:
    """The checks of targets, and the heads; a changed target needs no separate check."""
    touched = {after.id for _, after in changed}
    unchanged = (target for target in targets if target.id not in touched)
    return [*map(unchanged_check, unchanged), *map(put_head, heads)]


def name_writes(names: "Sequence[NameChange]") -> list[items.Write]:
    """Import lazily: few functions create entities."""
    if not names:
        return []
    from membrane.adapters.dynamodb.indexes.names import writes_of

    return writes_of(names)
