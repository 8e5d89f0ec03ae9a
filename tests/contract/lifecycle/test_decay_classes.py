"""Decay classes: at most 16 to a scope and type, so that a ranking can merge them (design 7)."""

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import DecayCurve, MemoryType
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults, implied_classes
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.lifecycle import DecayProfile
from membrane.usecases.ports.records import IdTaken, LostRace, RecordStore
from tests.builders.generated_records import SCOPES
from tests.builders.stored_records import changed, lifecycle, stored
from tests.worlds.stores import Store, TableStore

IMPLIED = implied_classes(MemoryType.EPISODIC, PolicyDefaults())
ROOM = 16 - len(IMPLIED)


def of_class(number: int, scope: str = "full", prefix: str = "record") -> StoredRecord:
    """An episode of a decay class of its own, which the settings do not have."""
    profile = DecayProfile(
        curve=DecayCurve.LINEAR, half_life_seconds=1_000 + number, reinforcement_gain=0.2
    )
    return stored(f"{prefix}-{number}", scope=scope, kept=lifecycle(profile))


def fill(records: RecordStore, scope: str = "full") -> None:
    """Use every class that the scope has room for."""
    for number in range(ROOM):
        records.create(of_class(number, scope, "filler"))


def test_one_class_more_than_sixteen_is_refused_by_the_names_of_those_in_use(
    store: Store,
) -> None:
    fill(store.records)

    with pytest.raises(InvalidArgument) as refused:
        store.records.create(of_class(99))

    names = str(refused.value).partition(": ")[2].split(", ")
    used = {decay_class(of_class(number).record.lifecycle) for number in range(ROOM)}
    assert set(names) == used | IMPLIED
    assert store.records.load("record-99") is None


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
        store.records.replace(before, before.changed(moved))

    assert store.records.load("filler-0") == before


def test_a_class_that_another_environment_registers_meanwhile_is_decided_again(
    table: TableStore,
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


def test_a_class_of_the_settings_needs_no_request_of_its_own(table: TableStore) -> None:
    table.records.create(stored("usual"))
    table.records.create(stored("pinned", kept=lifecycle(pinned=True)))

    assert table.watched.operations() == ["PutItem", "PutItem"]


def test_a_class_that_is_known_needs_no_request_of_its_own(table: TableStore) -> None:
    table.records.create(of_class(1))
    table.watched.requests.clear()

    table.records.create(of_class(1, prefix="again"))

    assert table.watched.operations() == ["PutItem"]
