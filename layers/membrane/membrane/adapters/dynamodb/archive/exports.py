"""Export jobs as items, and the walk over the whole table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from membrane.adapters.dynamodb.records.checks import is_receipt, key_used
from membrane.adapters.dynamodb.records.queues import THREAD, next_turn_in
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.archive.topic_side_lines import DOCUMENT_KINDS
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable, place_of, scan_page
from membrane.table.items import (
    CorruptItem,
    Item,
    number,
    parse_text,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.progress import put_once
from membrane.table.writes import Checkpoint
from membrane.usecases.ports.bucket import Links
from membrane.usecases.ports.records import Receipt
from membrane.usecases.ports.surroundings import Clock
from membrane.usecases.ports.walks import (
    ArchivedItem,
    ArchivePage,
    DamagedPlace,
    DocumentPlace,
    KeyedRecord,
    LoggedAction,
    NextTurn,
    ReceiptPlace,
    RecordPlace,
    StatementPlace,
    TopicPlace,
    WalkedItem,
)

ITEMS = 1_000
"""Items that a page examines at most; a step of an export lasts at least as long as a page."""

ATTRIBUTES = ("pk", "sk", "receipt_for", "fingerprint", "next_turn", "expires_at", "action")
"""The attributes that the walk reads; IAM restricts the role to them."""


@dataclass(frozen=True, slots=True)
class DynamoExports(OverTable):
    """Exports over one table, parts in `blobs`. May raise ResourceExhausted or Unavailable."""

    blobs: BlobStore
    links: Links
    now: Clock

    def page(self, after: str | None) -> ArchivePage:
        """The page after `after`.

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
                f"(sk IN ({', '.join(_PLACES)}) OR begins_with(sk, :action))"
                " AND NOT begins_with(pk, :answer)"
            ),
            ProjectionExpression="pk, sk, receipt_for, fingerprint, next_turn, expires_at, #a",
            ExpressionAttributeNames={"#a": "action"},
            ExpressionAttributeValues={
                **_PLACES,
                ":action": text(topic_keys.ACTION),
                ":answer": text(table_keys.ANSWER),
            },
        )
        held = ((self._held_in(item), place_of(item)) for item in found)
        walked = [WalkedItem(each, place) for each, place in held if each is not None]
        return ArchivePage(walked, following)

    def job(self, owner: str, export_id: str) -> Checkpoint | None:
        """The export of an owner, read consistently; None for an absent or expired export.

        One strongly consistent GetItem.
        """
        item = self.item_at(_key(owner, export_id))
        if item is None or self._is_expired(item):
            return None
        return Checkpoint(export_in(item), read_integer(item, "version"))

    def jobs(self, owner: str) -> Sequence[JsonObject]:
        """Every export of an owner that has not expired.

        One strongly consistent Query a megabyte.
        """
        found = self.query("pk = :pk", {":pk": text(f"{table_keys.EXPORT}{owner}")})
        return [export_in(item) for item in found if not self._is_expired(item)]

    def keep_job(
        self, owner: str, export: JsonObject, expires_at_s: int, before: Checkpoint | None
    ) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored export has changed since.

        One conditional PutItem.
        """
        version = 1 if before is None else before.revision + 1
        item = _key(owner, export["id"]) | {
            "export": text(compact_json(export)),
            "version": number(version),
            "expires_at": number(expires_at_s),
        }
        condition = "attribute_not_exists(pk) OR expires_at <= :now"
        values = {":now": number(int(epoch_seconds(self.now())))}
        if before is not None:
            condition, values = "version = :before", {":before": number(before.revision)}
        put_once(self.client, self.table, item, condition, values)
        return Checkpoint(export, version)

    def keep_part(self, name: str, content: bytes) -> None:
        """One PutObject."""
        self.blobs.write(name, content)

    def link(self, name: str) -> str:
        """A signed address of a part, valid for DOWNLOAD_LINK_PERIOD.

        Signed locally, without a request.
        """
        return self.links.download(name)

    def _held_in(self, item: Item) -> ArchivedItem | None:
        """What an item of the walk holds; None for an expired item."""
        place = read_text(item, "sk")
        read = _logged_action if place.startswith(topic_keys.ACTION) else _READERS[place]
        try:
            return None if self._is_expired(item) else read(item)
        except (CorruptItem, ValueError):
            return DamagedPlace(place_of(item))

    def _is_expired(self, item: Item) -> bool:
        is_kept = "expires_at" not in item
        return not is_kept and read_number(item, "expires_at") <= epoch_seconds(self.now())


def _record_or_receipt(item: Item) -> RecordPlace | KeyedRecord:
    if not is_receipt(item):
        return RecordPlace(table_keys.record_id_of(item))
    used = key_used(item)
    return KeyedRecord(Receipt(table_keys.record_id_of(item), used.fingerprint), used.record_id)


def _next_turn(item: Item) -> NextTurn:
    return NextTurn(bytes.fromhex(read_text(item, "pk").removeprefix("head#")), next_turn_in(item))


def _topic(item: Item) -> TopicPlace:
    return TopicPlace(topic_keys.topic_id_of(item))


def _statement(item: Item) -> StatementPlace:
    return StatementPlace(topic_keys.stating_record(item))


def _topic_receipt(item: Item) -> ReceiptPlace:
    identity = bytes.fromhex(topic_keys.topic_id_of(item))
    return ReceiptPlace(identity, read_integer(item, "expires_at"))


def _document(name: str, item: Item) -> DocumentPlace:
    return DocumentPlace(name, topic_keys.scope_of(item))


def _logged_action(item: Item) -> LoggedAction:
    at, _, action_id = read_text(item, "sk").removeprefix(topic_keys.ACTION).partition("#")
    action = parse_text(item, "action", read_text(item, "action"), dict)
    return LoggedAction(topic_keys.scope_of_log(item), f"{at}Z", action_id, action)


_READERS: Mapping[str, Callable[[Item], ArchivedItem]] = {
    table_keys.RECORD: _record_or_receipt,
    THREAD: _next_turn,
    topic_keys.TOPIC: _topic,
    topic_keys.STATEMENT: _statement,
    topic_keys.RECEIPT: _topic_receipt,
    **{topic_keys.document_place(name): partial(_document, name) for name in DOCUMENT_KINDS},
}
"""By sort key; the sort keys of actions differ, and begin with ACTION."""

_PLACES = {f":place{number}": text(place) for number, place in enumerate(_READERS)}
"""The sort keys as values of the filter."""


def _key(owner: str, export_id: str) -> dict[str, Any]:
    return table_keys.primary_key(f"{table_keys.EXPORT}{owner}", export_id)


def export_in(item: Item) -> JsonObject:
    """The export of an item; raises CorruptItem."""
    return parse_text(item, "export", read_text(item, "export"), dict)
