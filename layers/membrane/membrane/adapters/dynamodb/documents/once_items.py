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
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import (
    Item,
    Value,
    binary,
    number,
    parse_text,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.keys import primary_key
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.ports.documents import Once, Receipt
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class OnceItems(OverTable):
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
        item = self.item_at(once_key(place, identity))
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
        condition = "pk = :pk AND begins_with(sk, :once)"
        values = {":pk": text(beside(place.id)), ":once": text(ONCE)}
        for item in self.query(condition, values, only=f"attribute_exists({TAKEN_OFF})"):
            write = Write(
                "Update",
                lost_race,
                "attribute_exists(pk)",
                key=primary_key(read_text(item, "pk"), read_text(item, "sk")),
                update=f"REMOVE {TAKEN_OFF}",
            )
            with suppress(LostRace):  # TTL has removed the item
                self.commit_all(write)


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
class OperationReceipts(OverTable):
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
        self.commit_all(put)

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """One GetItem."""
        item = self.item_at(operation_key(identity, operation_id))
        if item is None or read_number(item, EXPIRES) <= epoch_seconds(self.now()):
            return None
        place = named_place(item, read_text(item, SCOPE) if SCOPE in item else "")
        return Receipt(place, read_binary(item, FINGERPRINT))
