"""The next version of a record: guarded, audited, remembered; and its tombstone."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.records.records import AuditEntry, Relation, first_broken
from membrane.domain.records.stored import MAX_OPERATIONS, Operation, StoredRecord
from membrane.table.items import IdTaken, LostRace
from tests.builders.stored_records import (
    DAY_S,
    NOW,
    NOW_S,
    buried,
    changed,
    entry,
    event,
    noise,
    stored,
)
from tests.worlds.stores import Store


def the(store: Store, record_id: str = "record-1") -> StoredRecord:
    """The record as it is stored now."""
    found = store.records.load(record_id, whole=True)
    assert isinstance(found, StoredRecord)
    return found


def change_often(store: Store, times: int, *, actor: str = "me") -> None:
    """Write so many further versions, each of the one before it."""
    for _ in range(times):
        newest = the(store)
        store.records.replace(newest, changed(newest, actor=actor))


def test_the_next_version_takes_the_place_of_the_one_before(store: Store) -> None:
    store.records.create(stored())
    before = the(store)
    after = changed(before)
    after = after.next_version(
        after.record.model_copy(update={"payload": event("build:2"), "tags": (), "confidence": 0.0})
    )

    store.records.replace(before, after)

    assert the(store) == after


def test_of_two_writers_of_one_version_the_second_loses(store: Store) -> None:
    store.records.create(stored())
    read_by_both = the(store)
    first = changed(read_by_both, actor="first")
    store.records.replace(read_by_both, first)

    with pytest.raises(LostRace):
        store.records.replace(read_by_both, changed(read_by_both, actor="second"))

    assert the(store) == first


@pytest.mark.parametrize("changes", [16, 24, 50])
def test_the_whole_trail_comes_back_in_order(store: Store, changes: int) -> None:
    store.records.create(stored())

    change_often(store, changes)

    trail = the(store).trail
    assert len(trail) == changes + 1
    assert first_broken("record-1", trail) is None


def test_a_trail_of_huge_entries_comes_back_whole(store: Store) -> None:
    store.records.create(stored())

    change_often(store, 18, actor=noise(100_000))

    trail = the(store).trail
    assert len(trail) == 19
    assert first_broken("record-1", trail) is None


def test_the_newest_sixteen_entries_stay_and_older_ones_leave_by_eight(
    table: Store,
) -> None:
    table.records.create(stored())

    spilled_at = {}
    for _ in range(32):
        change_often(table, 1)
        items = [item for item in table.partition("record#record-1") if "entries" in item]
        spilled_at[len(the(table).trail)] = 8 * len(items)

    assert max(size - spilled for size, spilled in spilled_at.items()) == 16
    assert [size for size, spilled in spilled_at.items() if spilled == 8] == [*range(17, 25)]
    assert [size for size, spilled in spilled_at.items() if spilled == 16] == [*range(25, 33)]


def test_a_trail_of_several_pages_is_read_whole(table: Store) -> None:
    trail: list[AuditEntry] = []
    for number in range(320):
        trail.append(entry("record-1", trail, actor=noise(5_000, seed=number)))
    whole = with_trail(trail)
    table.services.restores.restore_record(whole, {})
    table.watched.requests.clear()

    found = the(table)

    assert found == whole
    assert table.watched.operations().count("Query") > 1


def with_trail(trail: Sequence[AuditEntry]) -> StoredRecord:
    """A record of these audit entries."""
    record = stored().record.model_copy(update={"audit_log": tuple(trail)})
    return replace(stored(), record=record)


def test_a_change_and_its_audit_are_one_write(table: Store) -> None:
    table.records.create(stored())
    before = the(table)
    table.watched.requests.clear()

    table.records.replace(before, changed(before))

    assert table.watched.operations() == ["PutItem"]


def test_the_operations_that_made_a_record_are_remembered(store: Store) -> None:
    store.records.create(stored())
    done = tuple(
        Operation(bytes([number]) * 12, bytes([255 - number]) * 4)
        for number in range(MAX_OPERATIONS)
    )
    before = the(store)

    store.records.replace(before, replace(changed(before), operations=done))

    assert the(store).operations == done


def test_a_tombstone_keeps_the_whole_record(store: Store) -> None:
    store.records.create(stored(fingerprint=b"f" * 32))
    before = the(store)
    grave = buried(before)

    store.records.replace(before, grave)

    assert the(store) == grave
    with pytest.raises(IdTaken):
        store.records.create(stored())


def test_a_tombstone_is_absent_from_its_last_second_on(store: Store) -> None:
    store.records.create(stored())
    before = the(store)
    grave = buried(before)
    store.records.replace(before, grave)
    assert grave.tombstone is not None
    end = from_epoch_seconds(grave.tombstone.expires_at_s)

    store.clock.now = end - timedelta(microseconds=1)
    assert store.records.load("record-1") == grave
    store.clock.now = end
    assert store.records.load("record-1") is None


def test_the_id_of_an_expired_tombstone_is_free_for_an_unrelated_record(store: Store) -> None:
    relations = (Relation(predicate="cites", target_id="cited", weight=1.0, created_at=NOW),)
    store.records.create(stored("cited"))
    store.records.create(stored(relations=relations), targets=[the(store, "cited")])
    change_often(store, 20)
    before = the(store)
    store.records.replace(before, buried(before))
    store.clock.advance(days=401)
    newcomer = stored(payload=event("build:2"), born_s=NOW_S + 401 * DAY_S)

    store.records.create(newcomer)

    found = the(store)
    assert found.trail == newcomer.trail, "audit entries of the record that was there before"
    assert found.record.relations == (), "relations of the record that was there before"
    assert found == newcomer


def test_what_ttl_left_of_an_expired_tombstone_is_not_part_of_the_next_record(
    table: Store,
) -> None:
    table.records.create(stored())
    change_often(table, 20)
    before = the(table)
    table.records.replace(before, buried(before))
    table.remove(table.own_item("record-1"))  # as TTL does, which knows nothing of a partition
    newcomer = stored(payload=event("build:2"), born_s=NOW_S + 401 * DAY_S)

    table.records.create(newcomer)

    assert the(table) == newcomer
