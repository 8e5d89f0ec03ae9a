"""What stands beside the head of a record: edges at targets, heads of facts, credit, receipts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore, unpack
from membrane.table.items import (
    BORN,
    MAX_TOGETHER,
    IdTaken,
    Item,
    KeyUsed,
    LostRace,
    Refusal,
    Value,
    Write,
    binary,
    lost_race,
    number,
    of_version,
    parse_text,
    put_next,
    raising_corrupt_item,
    read_binary,
    read_integer,
    read_number,
    read_text,
    read_word,
    removal_of,
    text,
)
from membrane.usecases.ports.records import Head, Holder, Incoming, Spending

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
    key = table_keys.own_key(stored.id)
    return Write("ConditionCheck", lost_race, key=key, **of_version(stored.version))


def put_head(head: Head) -> Write:
    """Put the head with the new holders, under the version that was read."""
    item = table_keys.head_key(head.key) | {
        "version": number(head.version + 1),
        "holders": text(compact_json([_as_json(holder) for holder in head.holders])),
        "known_to": number(head.known_to_s),
    }
    return put_next(item, head.version)


def put_spending(spending: Spending, expires_at_s: int) -> Write:
    """Put the credit spent of a receipt, if the amount is still as read."""
    item = table_keys.spent_key(spending.receipt_id) | {
        "amount": number(spending.after),
        "expires_at": number(expires_at_s),
    }
    return put_next(item, spending.before, counter="amount")


def head_in(key: bytes, item: Item) -> Head:
    """The head of an item; raises CorruptItem for a damaged item."""
    listed = parse_text(item, "holders", read_text(item, "holders"), list)
    with raising_corrupt_item(item):
        holders = tuple(
            Holder(each["id"], Sensitivity(each["sensitivity"]), each.get("start"), each.get("end"))
            for each in listed
        )
    return Head(key, read_integer(item, "version"), holders, read_number(item, "known_to"))


def _as_json(holder: Holder) -> JsonObject:
    window = {"start": holder.start, "end": holder.end}
    return {
        "id": holder.record_id,
        "sensitivity": holder.sensitivity,
        **{name: instant for name, instant in window.items() if instant is not None},
    }


RELATIONS = "relations"
"""The attribute of the relations of a record, in the own item."""

LEFT = "edges_left"
"""The attribute of a tombstone with the keys of edges that are to be removed."""


def relations_text(relations: Sequence[Relation]) -> str:
    """The relations as lists of values, in the caller's order."""
    return compact_json(
        [
            [each.predicate, each.target_id, each.weight, each.created_at or NOT_GIVEN]
            for each in relations
        ]
    )


def relations_in(own: Item, record_id: str, blobs: BlobStore) -> tuple[Relation, ...]:
    """The relations of a record's own item; raises CorruptItem for a damaged text."""
    if RELATIONS not in own:
        return ()
    listed = parse_text(own, RELATIONS, unpack(own, RELATIONS, record_id, blobs), list)
    return tuple(_relation(own, each) for each in listed)


def edge_item(stored: StoredRecord, relation: Relation) -> dict[str, Value]:
    """The item of a relation in the target's partition."""
    item: dict[str, Value] = {
        **_key_of(stored, relation),
        "source_id": text(stored.id),
        "source_type": text(stored.type),
        "predicate": text(relation.predicate),
        "weight": number(relation.weight),
        "created_at": text(relation.created_at or NOT_GIVEN),
        "sensitivity": text(stored.sensitivity),
        BORN: number(stored.born_s),
    }
    return item | ({"scope": text(stored.scope)} if stored.scope else {})


def edge_changes(after: StoredRecord, before: Sequence[Relation] = ()) -> list[Write]:
    """The writes of the edges of new and changed relations, and of vanished relations."""
    relations = after.record.relations
    puts = [put_of_edge(after, each) for each in relations if each not in before]
    kept = {_ends(each) for each in relations}
    gone = [_key_of(after, each) for each in before if _ends(each) not in kept]
    return [*puts, *(removal_of(key, after.born_s) for key in gone)]


def outdated_edges(after: StoredRecord, before: StoredRecord) -> list[Relation]:
    """The kept relations whose edges give a former scope or sensitivity of the source."""
    if (after.scope, after.sensitivity) == (before.scope, before.sensitivity):
        return []
    return [each for each in after.record.relations if each in before.record.relations]


def put_of_edge(stored: StoredRecord, relation: Relation) -> Write:
    """The put of the edge of a relation, in place of the edge of an earlier version."""
    return Write("Put", lost_race, item=edge_item(stored, relation))


def edges_left(before: AnyRecord, own: Item) -> dict[str, Value]:
    """A tombstone's keys of relations whose edges are yet to go; `own` is of `before`."""
    if not isinstance(before, StoredRecord):
        return {LEFT: own[LEFT]} if LEFT in own else {}
    keys = [_key_of(before, each) for each in before.record.relations]
    places = [[read_text(key, "pk"), read_text(key, "sk")] for key in keys]
    return {LEFT: text(compact_json(places))} if places else {}


def keys_of_edges(held: AnyRecord, own: Item) -> Iterable[Item]:
    """The keys of the edges that a record has in the partitions of its targets."""
    if isinstance(held, StoredRecord):
        return [_key_of(held, each) for each in held.record.relations]
    places = parse_text(own, LEFT, read_text(own, LEFT), list) if LEFT in own else []
    with raising_corrupt_item(own):
        return [table_keys.primary_key(partition, place) for partition, place in places]


def incoming_in(items: Iterable[Item]) -> Iterator[Incoming]:
    """The edges of items in the target's partition; raises CorruptItem for a damaged item."""
    for item in items:
        yield Incoming(
            read_text(item, "source_id"),
            read_text(item, "predicate"),
            read_number(item, "weight"),
            read_text(item, "created_at"),
            read_number(item, BORN),
            read_text(item, "scope") if "scope" in item else "",
            read_word(item, "sensitivity", Sensitivity),
            read_word(item, "source_type", MemoryType) if "source_type" in item else None,
        )


def _key_of(stored: StoredRecord, relation: Relation) -> dict[str, Value]:
    return table_keys.incoming_edge_key(
        stored.id, stored.born_s, relation.predicate, relation.target_id
    )


def _ends(relation: Relation) -> tuple[str, str]:
    return relation.predicate, relation.target_id


def _relation(own: Item, values: Any) -> Relation:
    with raising_corrupt_item(own):
        predicate, target_id, weight, created_at = values
        return Relation(
            predicate=predicate, target_id=target_id, weight=weight, created_at=created_at
        )


EDGES = MAX_TOGETHER - 1
"""Edges of one transaction beside the check of the source."""


def put_late_edges(
    commit: Callable[..., None],
    source: StoredRecord,
    relations: Sequence[Relation],
    load: Callable[[str], AnyRecord | None],
) -> None:
    """Put the edges in transactions that check the version of the source.

    A version of a concurrent writer takes the place of `source` for the edges that are left, unless
    the version has a different scope or sensitivity: then that writer has put every edge. A killed
    run leaves edges of the former scope and sensitivity for the verification to repair.
    """
    held, left = source, list(relations)
    while left:
        puts = [put_of_edge(held, each) for each in left[:EDGES]]
        try:
            commit(version_check(held), *puts)
        except LostRace:
            newest = load(held.id)
            if not isinstance(newest, StoredRecord) or not _is_classified_like(newest, held):
                return
            held, left = newest, [each for each in left if each in newest.record.relations]
        else:
            left = left[EDGES:]


def _is_classified_like(newest: StoredRecord, held: StoredRecord) -> bool:
    is_same = newest.born_s == held.born_s
    return is_same and (newest.scope, newest.sensitivity) == (held.scope, held.sensitivity)
