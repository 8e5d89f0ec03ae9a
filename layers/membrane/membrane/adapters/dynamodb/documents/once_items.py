"""What keyed writes of a document did: an item each beside the document; TTL removes them."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.documents.document_items import expiry
from membrane.adapters.dynamodb.documents.document_keys import (
    ENDS,
    EXISTED,
    EXPIRES,
    FINGERPRINT,
    NUMBER,
    ONCE,
    SCOPE,
    TAKEN_OFF,
    beside,
    named_place,
    names_attribute,
    once_key,
    operation_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.documents.version_texts import text_in, with_text
from membrane.adapters.dynamodb.table.attributes import (
    Client,
    Item,
    Query,
    Value,
    binary,
    number,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.keys import primary_key
from membrane.adapters.dynamodb.table.queries import item_at, items_of
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.adapters.dynamodb.table.writes import Write, commit, lost_race
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.documents import Once, Receipt
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class OnceItems:
    client: Client
    table: str
    now: Clock

    def writes(self, once: Once | None) -> tuple[Write, ...]:
        """The write that belongs into the transaction of the effect; none without a key."""
        if once is None:
            return ()
        condition = f"attribute_not_exists(pk) OR {ENDS} <= :now"
        now = {":now": number(epoch_seconds(self.now()))}
        return (Write("Put", lost_race, condition, item=_item_of(once), values=now),)

    def find(self, place: Place, identity: bytes) -> Once | None:
        """One GetItem."""
        item = item_at(self.client, self.table, once_key(place, identity))
        if item is None or read_number(item, ENDS) <= epoch_seconds(self.now()):
            return None
        taken: list[Any] = []
        if TAKEN_OFF in item:
            taken = parse_text(item, TAKEN_OFF, text_in(item, TAKEN_OFF), list)
        return Once(
            place,
            identity,
            read_binary(item, FINGERPRINT),
            read_number(item, ENDS),
            read_integer(item, NUMBER),
            EXISTED in item,
            tuple(taken),
        )

    def forget_taken(self, place: Place) -> None:
        """A Query, and an UpdateItem for each removal: the items go, and the key stays known."""
        request: Query = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :once)",
            "FilterExpression": f"attribute_exists({TAKEN_OFF})",
            "ExpressionAttributeValues": {":pk": text(beside(place.id)), ":once": text(ONCE)},
        }
        for item in items_of(self.client, request):
            write = Write(
                "Update",
                lost_race,
                "attribute_exists(pk)",
                key=primary_key(read_text(item, "pk"), read_text(item, "sk")),
                update=f"REMOVE {TAKEN_OFF}",
            )
            with suppress(LostRace):  # TTL has removed the item
                commit(self.client, self.table, [write])


def _item_of(once: Once) -> Item:
    item: dict[str, Value] = {
        **once_key(once.place, once.identity),
        **scope_attribute(once.place.scope),
        FINGERPRINT: binary(once.fingerprint),
        NUMBER: number(once.number),
        ENDS: number(once.until_s),
        **expiry(once.until_s),
    }
    if once.existed:
        item[EXISTED] = number(1)
    return with_text(item, TAKEN_OFF, compact_json(once.taken)) if once.taken else item


@dataclass(frozen=True, slots=True)
class OperationReceipts:
    client: Client
    table: str
    now: Clock

    def note(self, identity: str, operation_id: str, receipt: Receipt, until_s: float) -> None:
        """One PutItem."""
        item = {
            **operation_key(identity, operation_id),
            **scope_attribute(receipt.place.scope),
            **names_attribute(receipt.place),
            FINGERPRINT: binary(receipt.fingerprint),
            **expiry(until_s),
        }
        condition = f"attribute_not_exists(pk) OR attribute_exists({FINGERPRINT})"
        put = Write("Put", lost_race, condition, item=item)
        commit(self.client, self.table, [put])

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """One GetItem."""
        item = item_at(self.client, self.table, operation_key(identity, operation_id))
        if item is None or read_number(item, EXPIRES) <= epoch_seconds(self.now()):
            return None
        place = named_place(item, read_text(item, SCOPE) if SCOPE in item else "")
        return Receipt(place, read_binary(item, FINGERPRINT))
