"""Receipts of writes of documents, an item each; TTL removes them."""

from dataclasses import dataclass

from membrane.adapters.dynamodb.documents.document_items import expiry
from membrane.adapters.dynamodb.documents.document_keys import (
    EXPIRES,
    FINGERPRINT,
    SCOPE,
    named_place,
    names_attribute,
    operation_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.table.attributes import (
    Client,
    binary,
    read_binary,
    read_number,
    read_text,
)
from membrane.adapters.dynamodb.table.batches import item_at
from membrane.adapters.dynamodb.table.writes import Write, commit, lost_race
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.documents import Receipt
from membrane.usecases.ports.services import Clock


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
