"""Receipts: they hold a keyed id's place for a record whose id a client chose."""

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, Value, binary, text


def receipt_item(keyed_id: str, record_id: str, fingerprint: bytes) -> dict[str, Value]:
    """Holds a keyed id's place for the record of another id that the key made."""
    return {
        "pk": text(table_keys.record_partition(keyed_id)),
        "sk": text(table_keys.RECORD),
        "receipt_for": text(record_id),
        "fingerprint": binary(fingerprint),
    }


def is_receipt(item: Item) -> bool:
    """Whether the item at a record's place is a receipt."""
    return "receipt_for" in item
