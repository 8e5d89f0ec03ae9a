"""A record costs the same after many changes as after a hundred; many records load at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.ingest.builder import Why
from membrane.domain.language.json_text import compact_json
from membrane.domain.lifecycle.changes import expired_record, pinned_version
from membrane.domain.lifecycle.requests import Pin, Reinforce, Unpin
from membrane.domain.records.records import Relation, as_json
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.domain.records.stored import SHOWN_ENTRIES, AnyRecord, RemovedRecord, StoredRecord
from membrane.table.items import CorruptItem
from membrane.usecases.ports.records import Receipt
from membrane.usecases.records import read_record
from membrane.usecases.records.read_record import read_audit, retrieve_by_id
from tests.builders.records import a_making
from tests.builders.requests import call, change, written
from tests.builders.stored_records import DAY_S, NOW, buried, changed, created, event, noise, stored
from tests.worlds.depth import cases
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store

FEW, MANY = 96, cases(1_000, 304)
"""Changes; a multiple of how many entries leave the record's own item at a time."""

CYCLE = 8
"""Changes from one spill of audit entries to the next."""


def change_often(store: Store, times: int) -> None:
    """Pin and unpin the record by turns: each is an audit entry and a change of content."""
    for number in range(times):
        newest = store.records.load("record-1")
        assert isinstance(newest, StoredRecord)
        making = a_making(
            record_id="record-1", now=store.clock.now, principal="somebody", salt=f"{number:032x}"
        )
        why, pin = Why("me", "by turns"), not number % 2
        after = pinned_version(newest, why, making, pin=pin)
        store.records.replace(newest, after)


def reinforce(table: Store) -> None:
    written(change(Reinforce(id="record-1", actor="me", rationale="useful"), table.services))


def turn(table: Store) -> None:
    written(change(Pin(id="record-1"), table.services))
    written(change(Unpin(id="record-1"), table.services))


def read(table: Store) -> None:
    asked = RetrieveById(id="record-1")
    retrieve_by_id(asked, call(asked), table.services)


def read_audit_page(table: Store) -> None:
    asked = ReadAudit(id="record-1", limit=40, verify=False)
    read_audit(asked, call(asked), table.services)


def load_with_others(table: Store) -> None:
    assert table.records.load_each(["record-1", "absent"])


ACTS: dict[str, Callable[[Store], None]] = {
    "reinforce": reinforce,
    "pin and unpin": turn,
    "read": read,
    "read the first page of the audit": read_audit_page,
    "read among others": load_with_others,
}


def cost_of(table: Store, act: Callable[[Store], None]) -> Cost:
    """Of as many acts as come between two spills."""
    cost = meter(table.client)
    for _ in range(CYCLE):
        act(table)
    return replace(cost)


def test_reading_and_changing_cost_the_same_after_a_hundred_changes_and_after_many(
    table: Store,
) -> None:
    created(table, stored())
    change_often(table, FEW)
    few = {name: cost_of(table, act) for name, act in ACTS.items()}
    change_often(table, MANY - FEW)
    many = {name: cost_of(table, act) for name, act in ACTS.items()}

    for name in ACTS:
        assert many[name].requests == few[name].requests, name
        assert many[name].read_units <= few[name].read_units + CYCLE, name
        assert many[name].write_units <= few[name].write_units + CYCLE, name


@pytest.mark.parametrize("changes", [0, 16, 17, 24, 25, 50])
def test_a_record_is_loaded_with_its_newest_entries(store: Store, changes: int) -> None:
    created(store, stored())
    change_often(store, changes)

    found = store.records.load("record-1")
    whole = store.records.load("record-1", whole=True)

    assert found is not None
    assert whole is not None
    assert found.written_entries == whole.written_entries == len(whole.trail) == changes + 1
    assert found.trail[-SHOWN_ENTRIES:] == whole.trail[-SHOWN_ENTRIES:]
    assert store.records.load_each(["record-1"])["record-1"].trail == found.trail
    own = store.records.load_own(["record-1"])["record-1"]
    assert own.written_entries == changes + 1
    assert own.trail == whole.trail[-len(own.trail) :]


STRETCHES = ((0, 51), (0, 1), (7, 9), (8, 16), (30, 45), (50, 51), (51, 90))


def test_any_stretch_of_a_trail_is_read_in_order(store: Store) -> None:
    created(store, stored())
    change_often(store, 50)
    found = store.records.load("record-1")
    whole = store.records.load("record-1", whole=True)
    assert found is not None
    assert whole is not None

    for begin, end in STRETCHES:
        entries = list(store.records.entries(found, begin, end))

        assert entries == list(enumerate(whole.trail))[begin:end]


def test_a_reply_has_twenty_entries_whatever_the_trail(table: Store) -> None:
    created(table, stored())
    change_often(table, 60)
    asked = RetrieveById(id="record-1")

    record = retrieve_by_id(asked, call(asked), table.services)

    assert (len(record.audit_log), record.audit_count) == (SHOWN_ENTRIES, 61)
    assert len(compact_json(as_json(record))) < 12_000


def test_one_request_verifies_no_more_than_it_may(
    table: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_record, "MAX_VERIFIED", 15)
    created(table, stored())
    change_often(table, 24)
    asked = ReadAudit(id="record-1", limit=5, verify=True)

    trail = read_audit(asked, call(asked), table.services)

    assert (trail["broken_at"], trail["verified_entries"]) == (None, 15)


def kept(
    store: Store, record: StoredRecord, *later: Callable[[StoredRecord], AnyRecord]
) -> AnyRecord:
    """The record, stored and then changed step by step."""
    store.records.create(record)
    held: AnyRecord | None = store.records.load(record.id)
    for step in later:
        assert isinstance(held, StoredRecord)
        store.records.replace(held, step(held))
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
