"""The walk of an export over the whole table, and what a restore writes of records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records import queues
from membrane.adapters.dynamodb.records.beside import key_used, place_taken, receipt_item
from membrane.adapters.dynamodb.records.kind import is_living
from membrane.adapters.dynamodb.records.reads import blob_of
from membrane.adapters.dynamodb.records.store import DynamoRecords, name_writes
from membrane.adapters.dynamodb.topics.topic_scopes import ACTION, document_place
from membrane.adapters.dynamodb.topics.topic_store import RECEIPT
from membrane.domain.archive import side_lines
from membrane.domain.archive.lines import LineKind, damaged_line
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.system_context import KEPT_AS
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, place_of, scan_page
from membrane.table.entity import Change, Draft, Entities
from membrane.table.index import RESTORED, STALE, ScopeRegistry
from membrane.table.items import (
    MAX_TOGETHER,
    SAME_ENTITY,
    CorruptItem,
    IdTaken,
    Item,
    KeyUsed,
    Write,
    is_expired,
    number,
    parse_text,
    read_text,
    size_of,
    text,
)
from membrane.table.walk import ItemKind, kind_of, name_of
from membrane.usecases.ports.records import NameChange
from membrane.usecases.ports.surroundings import Clock
from membrane.usecases.ports.walks import ArchivedItem, DifferentItem


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
        if size > queues.MAX_TRANSACTION_BYTES // 2 or len(side) + len(beside_own) >= MAX_TOGETHER:
            self.put_blobs(draft.blobs)
            for each in side:
                self.commit_all(each)
            side = []
        Entities.carry_out(self, Draft([own, *side, *beside_own], draft.blobs))
        for record in registered:
            self.classes.remember(record)

    def restore_receipt(self, line: side_lines.ReceiptLine) -> bool:
        """Write a receipt; False if present. Raises DifferentItem. One PutItem."""
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

    def restore_thread(self, line: side_lines.ThreadLine) -> bool:
        """Write the next turn; False if the thread has that turn, or a later one, already.

        One conditional PutItem; raises LostRace where it meets a transaction.
        """
        turn = number(line.next_turn)
        item = {**queues.head_key(bytes.fromhex(line.key)), "next_turn": turn}
        is_behind = "attribute_not_exists(pk) OR next_turn < :turn"
        put = Write("Put", lambda _: DifferentItem(), is_behind, item=item, values={":turn": turn})
        try:
            self.commit_all(put)
        except DifferentItem:
            return False
        return True


ITEMS = 1_000
"""Items that a page examines at most; a step of an export lasts at least as long as a page."""

ATTRIBUTES = ("pk", "sk", "receipt_for", "fingerprint", "next_turn", "expires_at", "action")
"""The attributes that the walk reads; IAM restricts the role to them."""

_CONTEXT = document_place(KEPT_AS)
_PLACES = {
    f":place{number}": text(place)
    for number, place in enumerate(
        (
            *(table_keys.RECORD, queues.THREAD, table_keys.TOPICS.own, RECEIPT),
            _CONTEXT,
        )
    )
}
"""The sort keys as values of the filter; the sort keys of actions differ, and begin with ACTION."""


@dataclass(frozen=True, slots=True)
class DynamoExports(OverTable):
    """The walk over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def page(self, after: str | None) -> tuple[Sequence[ArchivedItem], str | None]:
        """The items after a place, and the start of the next page; None after the last page.

        A full walk visits every item that exists throughout the walk at least once. One strongly
        consistent Scan of at most ITEMS items or a megabyte.
        """
        found, following = scan_page(
            self.client,
            self.table,
            after,
            ConsistentRead=True,
            Select="SPECIFIC_ATTRIBUTES",  # IAM can restrict a role to named attributes
            Limit=ITEMS,
            FilterExpression=(
                f"((sk IN ({', '.join(_PLACES)}) OR begins_with(sk, :action))"
                " AND NOT begins_with(pk, :answer)) OR begins_with(pk, :documents)"
            ),
            ProjectionExpression="pk, sk, receipt_for, fingerprint, next_turn, expires_at, #a",
            ExpressionAttributeNames={"#a": "action"},
            ExpressionAttributeValues={
                **_PLACES,
                ":action": text(ACTION),
                ":answer": text(table_keys.ANSWER),
                ":documents": text(table_keys.DOCUMENTS),
            },
        )
        now_s, items = epoch_seconds(self.now()), list[ArchivedItem]()
        for item in found:
            try:
                if not is_expired(item, now_s) and (archived := _item_of_export(item)):
                    items.append(archived)
            except (CorruptItem, ValueError):
                place = place_of(item)
                items.append(ArchivedItem(LineKind.DAMAGED, place, line=damaged_line(place)))
        return items, following


def _item_of_export(item: Item) -> ArchivedItem | None:
    after, name, place = place_of(item), name_of(item), read_text(item, "sk")
    match kind_of(item):
        case ItemKind.RECORD:
            return ArchivedItem(LineKind.RECORD, after, name)
        case ItemKind.RECEIPT:
            used = key_used(item)
            line = side_lines.receipt_line(name, used.record_id, used.fingerprint)
            return ArchivedItem(LineKind.RECEIPT, after, used.record_id, line=line)
        case ItemKind.THREAD:
            line = side_lines.thread_line(bytes.fromhex(name), queues.next_turn_in(item))
            return ArchivedItem(LineKind.THREAD, after, line=line)
        case ItemKind.TOPIC:
            return ArchivedItem(LineKind.TOPIC, after, name)
        case ItemKind.TOPIC_RECEIPT:
            return ArchivedItem(LineKind.TOPIC_RECEIPT, after, bytes.fromhex(name).hex())
        case ItemKind.DOCUMENTS:
            return ArchivedItem(LineKind.KEYED_DOCUMENT, after)
        case ItemKind.SCOPE if place == _CONTEXT:
            return ArchivedItem(LineKind.SYSTEM_CONTEXT, after)
        case ItemKind.SCOPE if place.startswith(ACTION):
            at, _, action_id = place.removeprefix(ACTION).partition("#")
            action = parse_text(item, "action", read_text(item, "action"), dict)
            scope = table_keys.scope_at(name)
            line = side_lines.action_line(scope, f"{at}Z", action_id, action)
            return ArchivedItem(LineKind.ACTION, after, scope=scope, line=line)
        case _:
            return None
