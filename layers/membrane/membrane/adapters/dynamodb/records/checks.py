"""Writes beside records that a transaction checks or carries: targets, heads, credit, receipts."""

from collections.abc import Mapping

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.table import keys as table_keys
from membrane.table.items import (
    CorruptItem,
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
from membrane.table.writes import IdTaken, KeyUsed, Refusal, Write, lost_race
from membrane.usecases.ports.records import Head, Holder, Spending

_UNCHANGED = "attribute_exists(pk) AND attribute_not_exists(deleted_at) AND sensitivity = :level"
"""A relation's target still exists, with the sensitivity that the write was allowed for."""


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


def key_used(receipt: Item) -> KeyUsed:
    return KeyUsed(read_text(receipt, "receipt_for"), read_binary(receipt, "fingerprint"))


def place_taken(record_id: str) -> Refusal:
    """The refusal of a put at a record's place, taken by a record or by the receipt of a key."""

    def refusal(item: Item) -> Exception:
        return key_used(item) if is_receipt(item) else IdTaken(record_id)

    return refusal


def unchanged_check(target: StoredRecord) -> Write:
    """Check that a relation's target is unchanged since the caller's clearance; else LostRace."""
    record = target.record
    values = {":level": text(record.sensitivity)}
    if record.scope:
        values[":scope"] = text(record.scope)
    return Write(
        "ConditionCheck",
        lost_race,
        f"{_UNCHANGED} AND {'#scope = :scope' if record.scope else 'attribute_not_exists(#scope)'}",
        key=table_keys.own_key(record.id),
        names={"#scope": "scope"},
        values=values,
    )


def version_check(stored: StoredRecord) -> Write:
    """Check that the record still has the version; else LostRace."""
    return Write(
        "ConditionCheck",
        lost_race,
        "version = :version",
        key=table_keys.own_key(stored.id),
        values={":version": number(stored.version)},
    )


def put_head(head: Head) -> Write:
    """Put the head with the new holders, under the version that was read."""
    item = table_keys.head_key(head.key) | {
        "version": number(head.version + 1),
        "holders": text(compact_json([_as_json(holder) for holder in head.holders])),
        "known_to": number(head.known_to_s),
    }
    return _put_next(item, "version", head.version)


def put_spending(spending: Spending, expires_at_s: int) -> Write:
    """Put the credit spent of a receipt, if the amount is still as read."""
    item = table_keys.spent_key(spending.receipt_id) | {
        "amount": number(spending.after),
        "expires_at": number(expires_at_s),
    }
    return _put_next(item, "amount", spending.before)


def _put_next(item: Mapping[str, Value], name: str, before: float) -> Write:
    """Put the item over the item with the attribute as read; 0 = there was no item."""
    if not before:
        return Write("Put", lost_race, "attribute_not_exists(pk)", item=item)
    values = {":before": number(before)}
    return Write("Put", lost_race, f"{name} = :before", item=item, values=values)


def head_in(key: bytes, item: Item) -> Head:
    """The head of an item; raises CorruptItem for a damaged item."""
    listed = parse_text(item, "holders", read_text(item, "holders"), list)
    try:
        holders = tuple(
            Holder(each["id"], Sensitivity(each["sensitivity"]), each.get("start"), each.get("end"))
            for each in listed
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptItem(item, "holders is not a list of ours") from error
    return Head(key, read_integer(item, "version"), holders, read_number(item, "known_to"))


def _as_json(holder: Holder) -> JsonObject:
    window = {"start": holder.start, "end": holder.end}
    return {
        "id": holder.record_id,
        "sensitivity": holder.sensitivity,
        **{name: instant for name, instant in window.items() if instant is not None},
    }
