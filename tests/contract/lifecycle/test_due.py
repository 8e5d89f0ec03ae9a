"""The index of what is due: by shard, the longest waiting first, and put off where asked."""

import math
from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import pytest

from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.lifecycle import DecayProfile
from membrane.table.items import CorruptItem, LostRace
from membrane.table.keys import due_partition, shard_of
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.records import Receipt
from tests.builders.stored_records import NOW_S, buried, changed, lifecycle, noise, stored
from tests.worlds.faults import hooks
from tests.worlds.stores import Store

LONG_S = int(NOW_S) + 10**9
"""When all that fades is due."""

HOUR = DecayProfile(
    curve=DecayCurve.EXPONENTIAL,
    half_life_seconds=3_600,
    max_age_seconds=3_600,
    reinforcement_gain=0.2,
)
"""Of a record that is due an hour after it was made."""


def due_at(record_id: str, due_s: int) -> StoredRecord:
    """A record that is due then."""
    return stored(record_id, kept=lifecycle(HOUR), born_s=due_s - 3_600.0)


def the(store: Store, record_id: str = "record-1") -> StoredRecord:
    """The record as it is stored now."""
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def found(store: Store, by_s: int = LONG_S) -> list[Due]:
    """All that is due by then, shard after shard."""
    return list(chain.from_iterable(store.due.due(each, by_s) for each in range(store.due.shards)))


def of_one_shard(table: Store) -> Iterator[str]:
    """Ids that fall into shard 0."""
    names = (f"record-{number}" for number in count())
    return (name for name in names if shard_of(name, table.due.shards) == 0)


def shrink_pages(table: Store, entries: int) -> None:
    """Let every page of an index have so many entries, where a megabyte holds thousands."""

    def limit(params: dict[str, Any], **_: object) -> None:
        if "IndexName" in params:
            params["Limit"] = entries

    hooks(table.client).register("provide-client-params.dynamodb.Query", limit)


def test_what_fades_is_due_at_its_own_instant_and_in_one_shard_alone(store: Store) -> None:
    for number in range(30):
        store.records.create(due_at(f"record-{number}", int(NOW_S) + number))

    assert sorted(found(store), key=lambda due: due.due_s) == [
        Due(f"record-{number}", int(NOW_S) + number) for number in range(30)
    ]


def test_the_longest_waiting_comes_first(store: Store) -> None:
    names = [f"record-{number}" for number in range(60)]
    for place, name in enumerate(names):
        store.records.create(due_at(name, int(NOW_S) + place * 37 % 60))

    for shard in range(store.due.shards):
        instants = [due.due_s for due in store.due.due(shard, LONG_S)]
        assert instants == sorted(instants)
    assert len(found(store)) == 60


@pytest.mark.parametrize(("by_s", "is_found"), [(-1, False), (0, True), (1, True)])
def test_what_is_due_at_the_very_second_is_found(
    store: Store, by_s: int, *, is_found: bool
) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))

    assert found(store, int(NOW_S) + by_s) == ([Due("record-1", int(NOW_S))] if is_found else [])


def test_an_instant_amid_a_second_is_due_when_the_second_is_over(store: Store) -> None:
    store.records.create(stored(born_s=NOW_S + 0.125, kept=lifecycle(HOUR)))

    assert found(store) == [Due("record-1", math.ceil(NOW_S + 3_600))]


@pytest.mark.parametrize(
    "record",
    [
        stored(kept=lifecycle(pinned=True)),
        stored(kept=lifecycle(deletion_policy=DeletionPolicy.MANUAL_ONLY)),
        stored(kept=lifecycle(deletion_policy=DeletionPolicy.NEVER)),
    ],
    ids=["pinned", "manual_only", "never"],
)
def test_what_may_not_be_pruned_is_never_due(store: Store, record: StoredRecord) -> None:
    store.records.create(record)

    assert found(store) == []


def test_a_tombstone_is_due_when_its_restore_window_ends_and_a_receipt_never(store: Store) -> None:
    store.records.create(stored(), receipts={"record-1": Receipt("keyed", b"f" * 32)})
    before = the(store)
    grave = buried(before)
    store.records.replace(before, grave)

    assert grave.tombstone is not None
    assert found(store) == [Due("record-1", grave.tombstone.due_s or 0)]


# --- Putting off --------------------------------------------------------------------------------


@pytest.mark.parametrize("until_s", [int(NOW_S) + 3_600, int(NOW_S) - 5])
def test_what_is_put_off_is_due_at_another_instant(store: Store, until_s: int) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))
    store.records.create(due_at("record-2", int(NOW_S)))

    store.due.put_off(Due("record-1", int(NOW_S)), until_s)

    assert set(found(store)) == {Due("record-1", until_s), Due("record-2", int(NOW_S))}


def test_what_is_put_off_for_ever_is_due_no_more(store: Store) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))

    store.due.put_off(Due("record-1", int(NOW_S)), None)

    assert found(store) == []


def test_what_is_put_off_for_ever_has_no_key_of_the_index(table: Store) -> None:
    table.records.create(due_at("record-1", int(NOW_S)))

    table.due.put_off(Due("record-1", int(NOW_S)), None)

    assert not {"due_pk", "due_sk"} & table.own_item("record-1").keys()


def test_putting_off_changes_nothing_of_the_record(store: Store) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))
    before = the(store)

    store.due.put_off(Due("record-1", int(NOW_S)), int(NOW_S) + 3_600)
    assert the(store) == before
    store.due.put_off(Due("record-1", int(NOW_S) + 3_600), None)

    assert the(store) == before


@pytest.mark.parametrize("until_s", [int(NOW_S) + 3_600, None])
@pytest.mark.parametrize("read_s", [int(NOW_S) - 1, int(NOW_S) + 1])
def test_what_stands_otherwise_by_now_is_not_put_off(
    store: Store, read_s: int, until_s: int | None
) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))

    store.due.put_off(Due("record-1", read_s), until_s)

    assert found(store) == [Due("record-1", int(NOW_S))]


@pytest.mark.parametrize("until_s", [int(NOW_S) + 3_600, None])
def test_what_is_gone_or_was_never_due_is_not_put_off(store: Store, until_s: int | None) -> None:
    pinned = stored("pinned", kept=lifecycle(pinned=True))
    store.records.create(pinned)

    for record_id in ("never", "pinned"):
        store.due.put_off(Due(record_id, int(NOW_S)), until_s)

    assert store.records.load("never") is None
    assert store.records.load("pinned") == pinned
    assert found(store) == []


def test_a_change_of_what_was_put_off_is_due_as_its_anchor_says_again(store: Store) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))
    for until_s in (int(NOW_S) + 3_600, None):
        store.due.put_off(Due("record-1", int(NOW_S)), until_s)
        before = the(store)

        store.records.replace(before, changed(before))

        assert found(store) == [Due("record-1", int(NOW_S))]


# --- Pruning on condition -----------------------------------------------------------------------


def test_a_version_that_shall_be_due_is_not_written_where_it_is_not(store: Store) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))
    before = the(store)

    with pytest.raises(LostRace):
        store.records.replace(before, buried(before), due_by_s=int(NOW_S) - 1)
    assert the(store) == before

    store.records.replace(before, buried(before), due_by_s=int(NOW_S))
    assert the(store) == buried(before)


def test_a_record_that_is_never_due_is_not_pruned(store: Store) -> None:
    store.records.create(stored(kept=lifecycle(pinned=True)))
    before = the(store)

    with pytest.raises(LostRace):
        store.records.replace(before, buried(before), due_by_s=LONG_S)

    assert the(store) == before


def test_a_record_that_was_put_off_between_look_and_write_is_not_pruned(store: Store) -> None:
    store.records.create(due_at("record-1", int(NOW_S)))
    before = the(store)
    store.due.put_off(Due("record-1", int(NOW_S)), int(NOW_S) + 3_600)

    with pytest.raises(LostRace):
        store.records.replace(before, buried(before), due_by_s=int(NOW_S))


# --- Pages --------------------------------------------------------------------------------------


def test_where_nothing_is_due_each_shard_is_one_query_that_need_not_be_consistent(
    table: Store,
) -> None:
    for number in range(20):
        table.records.create(due_at(f"record-{number}", int(NOW_S) + 1))
    table.watched.requests.clear()

    assert found(table, int(NOW_S)) == []

    assert table.watched.operations() == ["Query"] * 16
    for _, asked in table.watched.requests:
        assert (asked["IndexName"], asked["ConsistentRead"]) == ("due", False)


@pytest.mark.parametrize("entries", [1, 3, 7])
def test_pages_are_read_one_by_one_as_they_are_needed(table: Store, entries: int) -> None:
    names = of_one_shard(table)
    made = [Due(next(names), int(NOW_S) + number) for number in range(7)]
    for due in made:
        table.records.create(due_at(due.record_id, due.due_s))
    shrink_pages(table, entries)
    table.watched.requests.clear()

    reading = table.due.due(0, LONG_S)
    first = next(reading)
    assert (first, len(table.watched.requests)) == (made[0], 1)

    assert [first, *reading] == made
    assert len(table.watched.requests) >= 7 / entries


def test_a_sweep_of_many_pages_settles_them_all_while_the_index_shrinks(table: Store) -> None:
    names = of_one_shard(table)
    for number in range(10):
        table.records.create(due_at(next(names), int(NOW_S) - number))
    shrink_pages(table, 3)

    swept = sweep_due(table.services, lambda: False)

    assert swept.by_type("pruned") == {"episodic": 10}
    assert all(due.due_s > NOW_S for due in found(table))


def test_more_than_a_megabyte_is_read_whole_and_in_order(table: Store) -> None:
    long = noise(500)  # longer than an id may be, so that fewer are enough
    due = [Due(f"{number}-{long}", int(NOW_S) + number) for number in range(2_500)]
    for start in range(0, len(due), 25):
        puts = [{"PutRequest": {"Item": thin(each)}} for each in due[start : start + 25]]
        requests: Any = {table.table: puts}
        assert not table.inspector.batch_write_item(RequestItems=requests)["UnprocessedItems"]
    table.watched.requests.clear()

    assert list(table.due.due(0, LONG_S)) == due

    assert len(table.watched.requests) > 1


def thin(due: Due) -> dict[str, Any]:
    """No more of a record than what its entry in the index has."""
    return {
        "pk": {"S": f"record#{due.record_id}"},
        "sk": {"S": "record"},
        "due_pk": {"S": due_partition(0)},
        "due_sk": {"N": str(due.due_s)},
    }


def test_an_item_that_is_no_record_is_put_off_and_no_obstacle(table: Store) -> None:
    table.put(thin(Due("half", int(NOW_S) - 1)))
    table.records.create(due_at("record-1", int(NOW_S)))

    swept = sweep_due(table.services, lambda: False)

    assert swept.by_type("pruned") == {"episodic": 1}
    assert [type(fault) for fault in swept.faults] == [CorruptItem]
    assert Due("half", math.ceil(NOW_S) + 3_600) in found(table)
