"""Decay classes: at most 16 to a scope and type, so that a ranking can merge them."""

from dataclasses import replace

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.language.errors import InvalidArgument, TooManyProfiles
from membrane.domain.language.vocabulary import DecayCurve, MemoryType
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults, implied_classes
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.lifecycle import DecayProfile
from membrane.domain.salience.profiles import KNOWN_S, LEAVING_S
from membrane.table.items import IdTaken, LostRace
from tests.builders.generated_records import SCOPES
from tests.builders.stored_records import buried, changed, lifecycle, stored
from tests.worlds.stores import Store

IMPLIED = implied_classes(MemoryType.EPISODIC, PolicyDefaults())
ROOM = 16 - len(IMPLIED)


def of_class(number: int, scope: str = "full", prefix: str = "record") -> StoredRecord:
    """An episode of a decay class of its own, which the settings do not have."""
    profile = DecayProfile(
        curve=DecayCurve.LINEAR, half_life_seconds=1_000 + number, reinforcement_gain=0.2
    )
    return stored(f"{prefix}-{number}", scope=scope, kept=lifecycle(profile))


def fill(records: DynamoRecords, scope: str = "full") -> None:
    """Use every class that the scope has room for."""
    for number in range(ROOM):
        records.create(of_class(number, scope, "filler"))


def bury(store: Store, record_id: str) -> None:
    """Delete the record."""
    before = store.records.load(record_id)
    assert isinstance(before, StoredRecord)
    store.records.replace(before, buried(before))


def gone_through(store: Store) -> set[str]:
    """The classes of episodes that a reader of the scope goes through."""
    partitions = store.ranks.partitions("full")
    return {each.decay_class for each in partitions if each.type is MemoryType.EPISODIC}


def class_of(number: int) -> str:
    return decay_class(of_class(number).record.lifecycle)


def test_one_class_more_than_sixteen_is_refused_naming_those_of_the_settings_alone(
    store: Store,
) -> None:
    fill(store.records)

    with pytest.raises(TooManyProfiles) as refused:
        store.records.create(of_class(99))

    names = str(refused.value).partition(": ")[2].split(", ")
    assert set(names) == IMPLIED
    assert store.records.load("record-99") is None
    assert class_of(99) not in gone_through(store)


def test_classes_that_no_record_has_make_room(store: Store) -> None:
    fill(store.records)
    for number in range(3):
        bury(store, f"filler-{number}")

    for number in (97, 98, 99):
        store.records.create(of_class(number))

    with pytest.raises(TooManyProfiles):
        store.records.create(of_class(100))
    assert {class_of(number) for number in (97, 98, 99)} <= gone_through(store)


def test_a_class_that_left_is_gone_through_for_an_hour_and_then_no_longer(store: Store) -> None:
    fill(store.records)
    bury(store, "filler-0")
    store.records.create(of_class(97))
    shortly_after = gone_through(store)
    bury(store, "filler-1")
    store.clock.advance(seconds=LEAVING_S)

    store.records.create(of_class(98))

    assert class_of(0) in shortly_after
    assert class_of(0) not in gone_through(store)
    assert class_of(1) in gone_through(store)


def test_a_class_that_left_is_counted_again_with_its_next_record(store: Store) -> None:
    fill(store.records)
    bury(store, "filler-0")
    store.records.create(of_class(97))

    store.records.create(of_class(0))

    store.clock.advance(seconds=LEAVING_S)
    bury(store, "filler-1")
    bury(store, "filler-2")
    store.records.create(of_class(98))
    assert class_of(0) in gone_through(store)


def test_a_record_of_a_writer_that_did_not_know_keeps_its_class(store: Store) -> None:
    """The writer had seen the class counted just before its last record went."""
    elsewhere = store.elsewhere()
    fill(elsewhere)
    bury(store, "filler-0")
    store.records.create(of_class(97))
    elsewhere.create(of_class(0))
    for hours in (1, 2):
        bury(store, f"filler-{2 * hours}")
        bury(store, f"filler-{2 * hours + 1}")
        store.clock.advance(seconds=LEAVING_S)

        store.records.create(of_class(97 + hours))

        assert class_of(0) in gone_through(store)


def test_a_restored_record_has_its_class_counted_again(store: Store) -> None:
    fill(store.records)
    before = store.records.load("filler-0")
    assert isinstance(before, StoredRecord)
    bury(store, "filler-0")
    store.records.create(of_class(97))
    bury(store, "filler-1")
    store.clock.advance(seconds=LEAVING_S)
    store.records.create(of_class(98))
    absent = class_of(0) not in gone_through(store)
    bury(store, "filler-2")
    grave = store.records.load("filler-0")
    assert isinstance(grave, StoredRecord)

    store.records.replace(grave, replace(changed(grave), tombstone=None))

    assert absent
    assert class_of(0) in gone_through(store)


def test_in_a_full_scope_the_classes_in_use_stay_open(store: Store) -> None:
    fill(store.records)

    store.records.create(of_class(3))
    store.elsewhere().create(of_class(4))
    store.records.create(stored("default", scope="full"))

    assert store.records.load("record-4") == of_class(4)


def test_a_full_scope_leaves_room_in_other_scopes_and_for_other_types(store: Store) -> None:
    fill(store.records, scope="")

    for number, scope in enumerate(SCOPES[1:]):
        store.records.create(of_class(99, scope, f"in-scope-{number}"))
    other = of_class(99, "", "fact").record.model_copy(update={"type": MemoryType.SEMANTIC})
    store.records.create(StoredRecord(other, of_class(99).anchor, 1, b""))

    with pytest.raises(InvalidArgument):
        store.records.create(of_class(99, ""))


def test_a_record_that_is_refused_registers_no_class(store: Store) -> None:
    store.records.create(stored("taken", scope="full"))
    for number in range(ROOM):
        with pytest.raises(IdTaken):
            store.records.create(
                stored("taken", scope="full", kept=of_class(100 + number).record.lifecycle)
            )

    fill(store.records)

    assert store.records.load(f"filler-{ROOM - 1}") is not None


def test_a_change_of_class_is_registered_with_the_change(store: Store) -> None:
    fill(store.records)
    before = store.records.load("filler-0")
    assert isinstance(before, StoredRecord)
    after = changed(before)
    moved = after.record.model_copy(update={"lifecycle": of_class(99).record.lifecycle})

    with pytest.raises(InvalidArgument):
        store.records.replace(before, before.next_version(moved))

    assert store.records.load("filler-0") == before


def test_a_class_that_another_environment_registers_meanwhile_is_decided_again(
    table: Store,
) -> None:
    elsewhere = table.elsewhere()
    rivals = [of_class(number, prefix="rival") for number in range(2)]
    elsewhere.create(rivals.pop())

    def overtake(**_: object) -> None:
        if rivals:
            elsewhere.create(rivals.pop())

    table.client.meta.events.register("before-send.dynamodb.TransactWriteItems", overtake)
    with pytest.raises(LostRace):
        table.records.create(of_class(5))

    assert table.records.load("record-5") is None
    table.records.create(of_class(5))
    assert table.records.load("record-5") == of_class(5)


def test_a_class_of_the_settings_needs_no_request_of_its_own(table: Store) -> None:
    table.records.create(stored("usual"))
    table.records.create(stored("pinned", kept=lifecycle(pinned=True)))

    assert table.watched.operations() == ["PutItem", "PutItem"]


def test_a_class_that_is_known_needs_no_request_of_its_own(table: Store) -> None:
    table.records.create(of_class(1))
    table.watched.requests.clear()

    table.records.create(of_class(1, prefix="again"))

    assert table.watched.operations() == ["PutItem"]


def test_a_full_list_costs_a_look_at_each_class_and_no_other_write_does(table: Store) -> None:
    fill(table.records)
    table.watched.requests.clear()

    with pytest.raises(TooManyProfiles):
        table.records.create(of_class(99))
    refused = table.watched.operations()
    table.watched.requests.clear()
    table.clock.advance(seconds=KNOWN_S)
    table.records.create(of_class(3))

    assert refused == ["GetItem", *["Query"] * ROOM]
    assert table.watched.operations() == ["GetItem", "PutItem"]
