"""Idempotency as items: receipts of keys, and the latest operations on a record."""

from membrane.domain.records.idempotency import FINGERPRINT_BYTES, IDENTITY_BYTES, Operation
from membrane.domain.records.stored import AnyRecord
from membrane.table import keys as table_keys
from membrane.table.items import CorruptItem, Item, Value, binary, read_binary, text

_OPERATION_BYTES = IDENTITY_BYTES + FINGERPRINT_BYTES


def receipt_item(keyed_id: str, record_id: str, fingerprint: bytes) -> dict[str, Value]:
    """The item at the place of the keyed id, for a record that the client chose the id of."""
    return {
        **table_keys.own_key(keyed_id),
        "receipt_for": text(record_id),
        "fingerprint": binary(fingerprint),
    }


def is_receipt(item: Item) -> bool:
    """Whether the item at a record's place is a receipt."""
    return "receipt_for" in item


def idempotency_attributes(held: AnyRecord) -> dict[str, Value]:
    """The attributes that name the request that created the record and the latest operations."""
    found: dict[str, Value] = {}
    if held.fingerprint:
        found["fingerprint"] = binary(held.fingerprint)
    if held.operations:
        joined = b"".join(done.identity + done.fingerprint for done in held.operations)
        found["operations"] = binary(joined)
    return found


def fingerprint_in(own: Item) -> bytes:
    """The fingerprint of the request that created the record; empty without an idempotency key."""
    return read_binary(own, "fingerprint") if "fingerprint" in own else b""


def operations_in(own: Item) -> tuple[Operation, ...]:
    """The latest operations, newest last; raises CorruptItem for a damaged attribute."""
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
