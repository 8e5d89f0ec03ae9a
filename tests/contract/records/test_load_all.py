"""Many records are read in few requests, each as it would be read alone."""

from collections.abc import Callable
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.lifecycle.changes import expired_record
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.table.items import CorruptItem
from membrane.usecases.ports.records import Receipt
from tests.builders.records import a_making
from tests.builders.stored_records import DAY_S, NOW, buried, changed, event, noise, stored
from tests.worlds.stores import Store


def kept(
    store: Store, record: StoredRecord, *later: Callable[[StoredRecord], AnyRecord]
) -> AnyRecord:
    """The record, stored and then changed step by step."""
    store.records.create(record)
    held: AnyRecord | None = store.records.load(record.id)
    for change in later:
        assert isinstance(held, StoredRecord)
        store.records.replace(held, change(held))
        held = store.records.load(record.id)
    assert held is not None
    return held


def one_by_one(records: DynamoRecords, *record_ids: str) -> dict[str, AnyRecord]:
    """What `load` gives of each that is there."""
    found = {record_id: records.load(record_id) for record_id in record_ids}
    return {record_id: held for record_id, held in found.items() if held is not None}


def test_each_is_as_it_would_be_alone(store: Store) -> None:
    kept(store, stored("plain"))
    kept(store, stored("changed"), changed)
    kept(store, stored("much changed"), *[changed] * 20)
    kept(store, stored("large", payload=event(summary=noise(90_000))))
    kept(store, stored("deleted"), buried)
    target = store.records.load("plain")
    assert isinstance(target, StoredRecord)
    cites = Relation(predicate="cites", target_id="plain", weight=0.5, created_at=NOW)
    store.records.create(stored("citing", relations=(cites,)), targets=[target])
    named = ("plain", "changed", "much changed", "large", "deleted", "citing", "absent")

    found = store.records.load_each(named)

    assert found == one_by_one(store.records, *named)
    assert list(found) == [name for name in named if name != "absent"]


def test_what_is_left_of_a_forgotten_record_is_found_until_its_time_is_over(store: Store) -> None:
    held = kept(store, stored("gone"), buried)
    assert isinstance(held, StoredRecord)
    assert held.tombstone is not None
    making = a_making(record_id="gone", now=store.clock.now, principal="decay-service")
    store.records.forget(held, expired_record(held, making, held.tombstone))
    found = store.records.load_each(["gone"])
    store.clock.advance(seconds=401 * DAY_S)

    assert isinstance(found["gone"], RemovedRecord)
    assert store.records.load_each(["gone"]) == {}


def test_nothing_and_the_same_twice_may_be_asked_for(store: Store) -> None:
    kept(store, stored("a"))

    assert store.records.load_each([]) == {}
    assert list(store.records.load_each(["a", "b", "a"])) == ["a"]


def test_a_receipt_of_a_key_is_no_record(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": Receipt("keyed", b"f" * 32)})

    assert list(store.records.load_each(["keyed", "chosen"])) == ["chosen"]


def test_a_write_is_seen_at_once(table: Store) -> None:
    held = kept(table, stored("a"))
    assert isinstance(held, StoredRecord)
    table.records.replace(held, changed(held))

    assert table.elsewhere().load_each(["a"])["a"].version == 2


def test_two_hundred_and_fifty_records_are_three_requests(table: Store) -> None:
    names = [f"r{number}" for number in range(250)]
    for name in names:
        table.records.create(stored(name))
    table.watched.requests.clear()

    found = table.records.load_each(names)

    assert list(found) == names
    assert table.watched.operations() == ["BatchGetItem"] * 3


def test_only_what_has_more_than_its_item_is_asked_for_by_itself(table: Store) -> None:
    for number in range(10):
        kept(table, stored(f"r{number}"))
    kept(table, stored("much changed"), *[changed] * 20)
    table.watched.requests.clear()

    table.records.load_each([*(f"r{number}" for number in range(10)), "much changed"])

    assert table.watched.operations() == ["BatchGetItem", "Query"]


def test_keys_that_a_reply_leaves_out_are_asked_for_again(table: Store) -> None:
    names = [f"r{number}" for number in range(7)]
    for name in names:
        table.records.create(stored(name))
    table.watched.requests.clear()

    def leave_out(parsed: dict[str, Any], **_: object) -> None:
        """As DynamoDB does where it is busy, or the items are more than 16 MB."""
        (items,) = parsed["Responses"].values()
        keys = [{name: item[name] for name in ("pk", "sk")} for item in items[2:]]
        del items[2:]
        if keys:
            parsed["UnprocessedKeys"] = {table.table: {"Keys": keys, "ConsistentRead": True}}

    table.client.meta.events.register("after-call.dynamodb.BatchGetItem", leave_out)

    assert list(table.records.load_each(names)) == names
    assert table.watched.operations() == ["BatchGetItem"] * 4


def test_damage_is_no_absence(table: Store) -> None:
    kept(table, stored("a"))
    kept(table, stored("b"))
    item = table.own_item("a")
    del item["lifecycle"]
    table.put(item)

    with pytest.raises(CorruptItem):
        table.records.load_each(["a", "b"])


def test_a_next_version_can_be_written_of_each_that_was_loaded_for_that(store: Store) -> None:
    kept(store, stored("plain"))
    kept(store, stored("much changed"), *[changed] * 20)

    found = store.records.load_each(["plain", "much changed"])
    for held in found.values():
        assert isinstance(held, StoredRecord)
        store.records.replace(held, changed(held))

    versions = [each.version for each in one_by_one(store.records, *found).values()]
    assert versions == [held.version + 1 for held in found.values()]
