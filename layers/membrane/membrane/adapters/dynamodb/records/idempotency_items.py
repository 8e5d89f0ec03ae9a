"""Idempotency as items: receipts of keys, and the requests that a record remembers."""

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    CorruptItem,
    Item,
    Value,
    binary,
    read_binary,
    text,
)
from membrane.domain.records.idempotency import FINGERPRINT_BYTES, IDENTITY_BYTES, Operation
from membrane.domain.records.stored import AnyRecord

_OPERATION_BYTES = IDENTITY_BYTES + FINGERPRINT_BYTES


def receipt_item(keyed_id: str, record_id: str, fingerprint: bytes) -> dict[str, Value]:
    """Holds a keyed id's place for the record of another id that the key made."""
    return {
        **table_keys.own_key(keyed_id),
        "receipt_for": text(record_id),
        "fingerprint": binary(fingerprint),
    }


def is_receipt(item: Item) -> bool:
    """Whether the item at a record's place is a receipt."""
    return "receipt_for" in item


def repeats(held: AnyRecord) -> dict[str, Value]:
    """The attributes for who created the record, and for what changed it lately."""
    found: dict[str, Value] = {}
    if held.fingerprint:
        found["fingerprint"] = binary(held.fingerprint)
    if held.operations:
        joined = b"".join(done.identity + done.fingerprint for done in held.operations)
        found["operations"] = binary(joined)
    return found


def fingerprint_in(own: Item) -> bytes:
    """Of the request that created the record; empty where that had no key."""
    return read_binary(own, "fingerprint") if "fingerprint" in own else b""


def operations_in(own: Item) -> tuple[Operation, ...]:
    """The newest last; raises CorruptItem where they are not what `repeats` gives."""
    if "operations" not in own:
        return ()
    joined = read_binary(own, "operations")
    if len(joined) % _OPERATION_BYTES:
        raise CorruptItem(own, "operations is cut off")
    return tuple(
        Operation(joined[start : start + IDENTITY_BYTES], joined[start + IDENTITY_BYTES : end])
        for start in range(0, len(joined), _OPERATION_BYTES)
        for end in (start + _OPERATION_BYTES,)
    )
