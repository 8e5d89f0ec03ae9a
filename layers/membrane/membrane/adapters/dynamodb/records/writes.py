"""The conditional writes that the record store combines into transactions."""

from collections.abc import Mapping

from membrane.adapters.dynamodb.records.edge_items import LEFT
from membrane.adapters.dynamodb.records.idempotency_items import is_receipt
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.table import keys as table_keys
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    number,
    parse_text,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.writes import IdTaken, KeyUsed, LostRace, Refusal, Write, lost_race
from membrane.usecases.ports.records import Head, Holder, Spending

FREE = "attribute_not_exists(pk) OR expires_at <= :now"
"""The place is empty, or holds an expired tombstone that TTL has not removed yet."""

_FREE_OF_EDGES = (
    "attribute_not_exists(pk) OR (expires_at <= :now AND attribute_not_exists(relations)"
    f" AND attribute_not_exists({LEFT}))"
)
"""FREE, and the expired tombstone has no edges in the partitions of targets."""

_UNCHANGED = "attribute_exists(pk) AND attribute_not_exists(deleted_at) AND sensitivity = :level"
"""A relation's target still exists, with the sensitivity that the write was allowed for."""

_SAME_VERSION = "version = :version"


class EdgesLeft(LostRace):
    """An expired tombstone stands at the place, and its edges must be removed before it goes."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


def put_new(item: Mapping[str, Value], refusal: Refusal, now_s: int) -> Write:
    """Put an item at a free place; refused with EdgesLeft at an expired tombstone with edges."""

    def refusal_of(existing: Item) -> Exception:
        if "expires_at" in existing and read_number(existing, "expires_at") <= now_s:
            return EdgesLeft(table_keys.record_id_of(existing))
        return refusal(existing)

    return Write("Put", refusal_of, _FREE_OF_EDGES, item=item, values={":now": number(now_s)})


def place_taken(record_id: str) -> Refusal:
    """The refusal of a put at a record's place, taken by a record or by the receipt of a key."""

    def refusal(item: Item) -> Exception:
        if is_receipt(item):
            return key_used(item)
        return IdTaken(record_id)

    return refusal


def key_used(receipt: Item) -> KeyUsed:
    return KeyUsed(read_text(receipt, "receipt_for"), read_binary(receipt, "fingerprint"))


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
        _SAME_VERSION,
        key=table_keys.own_key(stored.id),
        values={":version": number(stored.version)},
    )


def update_of(
    before: Item, after: Mapping[str, Value], version: int, due_by_s: int | None
) -> Write:
    """Set the changed attributes and remove absent attributes, under the version that was read.

    With `due_by_s`, the record must also be due by the instant.
    """
    names: dict[str, str] = {}
    values: dict[str, Value] = {":version": number(version)}
    condition = _SAME_VERSION
    if due_by_s is not None:
        condition += " AND due_sk <= :due_by"
        values[":due_by"] = number(due_by_s)
    sets, removes = [], []
    for index, name in enumerate(sorted(before.keys() | after.keys())):
        if before.get(name) == after.get(name):
            continue
        names[f"#{index}"] = name
        if name in after:
            values[f":{index}"] = after[name]
            sets.append(f"#{index} = :{index}")
        else:
            removes.append(f"#{index}")
    update = f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removes)}" if removes else "")
    return Write(
        "Update",
        lost_race,
        condition,
        key={name: after[name] for name in KEY_ATTRIBUTES},
        update=update,
        names=names,
        values=values,
    )


def without_due(removed: RemovedRecord) -> Write:
    return Write(
        "Update",
        lost_race,
        _SAME_VERSION,
        key=table_keys.own_key(removed.id),
        update=f"REMOVE due_pk, due_sk, stale, {LEFT}",
        values={":version": number(removed.version)},
    )


def removal_of(held: AnyRecord) -> Write:
    return Write(
        "Delete",
        lost_race,
        f"{_SAME_VERSION} AND attribute_exists(deleted_at)",
        key=table_keys.own_key(held.id),
        values={":version": number(held.version)},
    )


def put_head(head: Head) -> Write:
    """Put the head with the new holders, under the version that was read."""
    item = table_keys.head_key(head.key) | {
        "version": number(head.version + 1),
        "holders": text(compact_json([_as_json(holder) for holder in head.holders])),
        "known_to": number(head.known_to_s),
    }
    if not head.version:
        return Write("Put", lost_race, "attribute_not_exists(pk)", item=item)
    return Write(
        "Put",
        lost_race,
        _SAME_VERSION,
        item=item,
        values={":version": number(head.version)},
    )


def put_spending(spending: Spending, expires_at_s: int) -> Write:
    """Put the credit spent of a receipt, if the amount is still as read."""
    item = table_keys.spent_key(spending.receipt_id) | {
        "amount": number(spending.after),
        "expires_at": number(expires_at_s),
    }
    if not spending.before:
        return Write("Put", lost_race, "attribute_not_exists(pk)", item=item)
    values = {":before": number(spending.before)}
    return Write("Put", lost_race, "amount = :before", item=item, values=values)


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
