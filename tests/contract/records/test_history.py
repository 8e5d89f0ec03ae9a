"""The history of a record: written with each change, read whole, gone with what it tells of."""

import json
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.lifecycle.changes import erased_record, expired_record
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.lifecycle.requests import Penalize
from membrane.domain.records.history import Delta, EarlierValue
from membrane.domain.records.records import Relation
from membrane.domain.records.requests import ReadVersions, RetrieveById
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.domain.records.versions import GapInTrail, as_of, versions_of
from membrane.table.entity import RESIDENT
from membrane.table.items import CorruptItem
from membrane.usecases.records.read_record import read_versions, retrieve_by_id
from membrane.usecases.records.write import erasure_tombstone
from tests.builders.records import a_making, an_interpretation
from tests.builders.requests import call, change
from tests.builders.stored_records import NOW, buried, changed, created, noise, stored, texts, the
from tests.fakes.clock import MORNING
from tests.worlds.faults import hooks
from tests.worlds.stores import Store

SECRET = "s3cret"


def tagged(before: StoredRecord, *tags: str) -> StoredRecord:
    """The next version, with these tags and an entry that tells of it."""
    record = before.record.model_copy(update={"tags": tags})
    entered = changed(replace(before, record=record)).record
    return before.next_version(entered)


def interpreted(before: StoredRecord, *surfaces: str) -> StoredRecord:
    """The next version, with mentions of these names."""
    record = before.record.model_copy(update={"interpretation": an_interpretation(*surfaces)})
    return before.next_version(changed(replace(before, record=record)).record)


def tag_often(store: Store, times: int, *, filler: str = "") -> list[StoredRecord]:
    """Write so many further versions, each with another tag; each as it was meant."""
    written = []
    for number in range(times):
        newest = the(store)
        after = tagged(newest, f"{SECRET} {number} {filler}")
        store.records.replace(newest, after)
        written.append(after)
    return written


def items_of(table: Store) -> list[Any]:
    """The items of older changes."""
    return [item for item in table.partition("record#record-1") if "deltas" in item]


def making(store: Store) -> Making:
    return a_making(record_id="record-1", now=store.clock.now, principal="somebody")


# --- Writing and reading ------------------------------------------------------------------------


def test_a_record_that_never_changed_has_no_history(table: Store) -> None:
    found = created(table, stored())

    assert found.history == ()
    assert "history" not in table.own_item("record-1")


def test_an_interpretation_and_the_one_before_it_come_back(store: Store) -> None:
    created(store, stored())
    first = interpreted(the(store), "Orion")
    store.records.replace(the(store), first)
    store.records.replace(the(store), interpreted(the(store), "Orion", "Ann"))

    newest = the(store)

    assert newest.record.interpretation == an_interpretation("Orion", "Ann")
    assert [each.was for each in newest.history] == [
        (EarlierValue(("interpretation",)),),
        (EarlierValue(("interpretation", "mentions"), kept=1),),
    ]


def test_a_change_of_content_and_what_was_before_it_are_one_write(table: Store) -> None:
    before = created(table, stored(tags=("old",)))
    table.watched.requests.clear()

    table.records.replace(before, tagged(before, "new"))

    assert table.watched.operations() == ["PutItem"]
    assert the(table).history == (Delta(1, (EarlierValue(("tags",), ["old"]),)),)


def test_what_a_record_was_comes_back_as_it_was_given(store: Store) -> None:
    target = created(store, stored("target"))
    before = created(store, stored(salience=0.7))
    cited = Relation(predicate="cites", target_id=target.id, weight=0.5, created_at=NOW)
    after = tagged(before, "one", "two", "three")
    after = after.next_version(
        changed(after).record.model_copy(
            update={"relations": (cited,), "confidence": 0.125, "scope": ""}
        )
    )
    after = replace(after, anchor=after.anchor._replace(salience=0.1))

    store.records.replace_all([(before, after)], targets=[target])

    found = the(store)
    assert found.history == after.history
    assert found.first_salience == 0.7
    assert [len(each.changes) for each in versions_of(found)] == [0, 1, 3]


@pytest.mark.parametrize("changes", [16, 17, 40])
def test_the_whole_history_comes_back_in_order(store: Store, changes: int) -> None:
    created(store, stored(tags=("first",)))

    tag_often(store, changes)

    found = the(store)
    assert [delta.entry for delta in found.history] == [*range(1, changes + 1)]
    assert [each.changes[0].as_json()["after"] for each in versions_of(found)[1:]] == [
        [f"{SECRET} {number} "] for number in range(changes)
    ]
    all_found = store.records.load_each(["record-1"], whole=True)
    assert all_found["record-1"] == replace(found, origin=None)


def test_a_history_of_huge_changes_comes_back_whole(store: Store) -> None:
    created(store, stored())

    written = tag_often(store, 18, filler=noise(60_000))

    assert the(store).history == written[-1].history


def test_the_newest_sixteen_changes_stay_and_older_ones_leave_by_eight(
    table: Store,
) -> None:
    created(table, stored())

    resident = []
    for number in range(40):
        tag_often(table, 1, filler=str(number))
        resident.append(len(the(table).history) - 8 * len(items_of(table)))

    assert max(resident) == RESIDENT
    assert min(resident[RESIDENT:]) == 9
    assert len(items_of(table)) == 3


def test_what_was_there_at_any_version_can_be_told_from_the_newest(store: Store) -> None:
    first = created(store, stored(tags=("first",)))
    written = [first]
    for number in range(20):
        store.clock.advance(seconds=1)
        newest = the(store)
        record = newest.record.model_copy(update={"tags": (f"tag {number}",)})
        entry = (
            changed(newest)
            .trail[-1]
            .model_copy(update={"timestamp": f"2026-03-01T09:00:{number + 1:02}.25Z"})
        )
        after = newest.next_version(
            record.model_copy(
                update={
                    "audit_log": (*newest.trail, entry),
                    "updated_at": entry.timestamp,
                }
            )
        )
        store.records.replace(newest, after)
        written.append(after)

    found = the(store)

    for version in written:
        then = as_of(found, version.record.updated_at)
        assert then is not None
        assert then.record == version.record


@pytest.mark.parametrize("name", ["deltas", "entries"])
def test_what_spilled_while_a_record_was_read_is_not_missed(table: Store, name: str) -> None:
    created(table, stored())
    written = tag_often(table, 20)
    dropped: list[Any] = []

    def before_the_spill(parsed: Any, **_: Any) -> None:
        """The first answer has the items as they were before, and the record's own as it is."""
        older = [item for item in parsed["Items"] if name in item]
        if not dropped:
            dropped.extend(older)
            parsed["Items"] = [item for item in parsed["Items"] if item not in older]

    with ExitStack() as stack:
        events = hooks(table.client)
        events.register("after-call.dynamodb.Query", before_the_spill)
        stack.callback(events.unregister, "after-call.dynamodb.Query", before_the_spill)
        found = the(table)

    assert dropped
    assert (found.history, found.trail) == (written[-1].history, written[-1].trail)


@pytest.mark.parametrize("changes", [0, 5, 40])
def test_reading_what_was_is_one_read_of_the_records_partition(table: Store, changes: int) -> None:
    created(table, stored())
    tag_often(table, changes)
    table.watched.requests.clear()
    versions, then = ReadVersions(id="record-1"), RetrieveById(id="record-1", as_of=NOW)

    told = read_versions(versions, call(versions), table.services)
    was = retrieve_by_id(then, call(then), table.services)

    assert table.watched.operations() == ["Query", "Query"]
    assert len(told["versions"]) == changes + 1
    assert was.id == "record-1"


# --- The end ------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [3, 30])
def test_a_deleted_record_keeps_its_history_as_long_as_it_can_be_restored(
    store: Store, changes: int
) -> None:
    created(store, stored())
    tag_often(store, changes)
    before = the(store)

    store.records.replace(before, buried(before))
    store.records.replace(the(store), replace(changed(the(store)), tombstone=None))

    assert the(store).history == before.history


@pytest.mark.parametrize("changes", [3, 30])
@pytest.mark.parametrize("filler", ["", noise(60_000)], ids=["small", "huge"])
def test_what_is_erased_leaves_nothing_of_what_it_ever_said(
    table: Store, changes: int, filler: str
) -> None:
    created(table, stored())
    tag_often(table, changes, filler=filler)
    before = the(table)
    grave = erasure_tombstone(before, table.clock.now, Retention())

    table.records.forget(before, erased_record(before, grave, Why("me", "asked"), making(table)))

    assert isinstance(table.records.load("record-1"), RemovedRecord)
    assert items_of(table) == []
    assert "history" not in table.own_item("record-1")
    assert not any(SECRET in each for each in texts(table))


@pytest.mark.parametrize("filler", ["", noise(60_000)], ids=["small", "huge"])
def test_what_is_erased_leaves_no_name_of_an_interpretation(table: Store, filler: str) -> None:
    created(table, interpreted(stored(), SECRET, filler))
    table.records.replace(the(table), interpreted(the(table), filler, f"{SECRET} again"))
    before = the(table)
    grave = erasure_tombstone(before, table.clock.now, Retention())

    table.records.forget(before, erased_record(before, grave, Why("me", "asked"), making(table)))

    assert not any(SECRET in each for each in texts(table))


@pytest.mark.parametrize("changes", [3, 30])
def test_what_is_forgotten_leaves_nothing_of_what_it_ever_said(table: Store, changes: int) -> None:
    created(table, stored())
    tag_often(table, changes)
    table.records.replace(the(table), buried(the(table)))
    before = the(table)
    assert before.tombstone is not None

    table.records.forget(before, expired_record(before, making(table), before.tombstone))

    assert isinstance(table.records.load("record-1"), RemovedRecord)
    assert not any(SECRET in each for each in texts(table))


# --- Records from before there was a history ----------------------------------------------------


def unnoted(table: Store) -> None:
    """The record's item as it was written before items told what it was created with."""
    item = table.own_item("record-1")
    del item["initial_salience"]
    table.put(item)


def at(minutes: float) -> str:
    """So many minutes after the record was made."""
    return rfc3339(MORNING + timedelta(minutes=minutes))


def test_a_record_whose_first_salience_nobody_noted_is_read_as_any_other(table: Store) -> None:
    before = created(table, stored(salience=0.7))

    unnoted(table)

    found = the(table)
    assert (found, found.first_salience) == (before, 0.7)
    assert table.records.load_each(["record-1"]) == {"record-1": before}
    assert as_of(found, NOW) == found
    assert len(versions_of(found)) == 1


def test_a_record_whose_first_salience_nobody_noted_has_a_past(table: Store) -> None:
    before = created(table, stored(salience=0.7))
    table.clock.advance(minutes=1)
    ask = Penalize(id="record-1", amount=0.2, rationale="doubt")
    change(ask, table.services)
    unnoted(table)

    found = the(table)

    first = as_of(found, at(0.5))
    assert first is not None
    assert first.trail == before.trail
    assert first.anchor.salience == found.trail[-1].salience_before
    assert [each.number for each in versions_of(found)] == [1]


def test_a_change_notes_the_first_salience_where_nobody_did(table: Store) -> None:
    created(table, stored(salience=0.7))
    unnoted(table)
    newest = the(table)

    after = replace(tagged(newest, "new"), anchor=newest.anchor._replace(salience=0.1))
    table.records.replace(newest, after)

    assert table.own_item("record-1")["initial_salience"] == {"N": "0.7"}
    assert the(table).first_salience == 0.7
    assert [len(each.changes) for each in versions_of(the(table))] == [0, 1]


# --- Damage -------------------------------------------------------------------------------------


def test_a_history_with_a_gap_is_an_error(table: Store) -> None:
    created(table, stored())
    tag_often(table, 30)
    (first, _) = items_of(table)

    table.put({**first, "deltas": {"S": "[]"}})

    with pytest.raises(CorruptItem, match=r"record#record-1.*gap"):
        table.records.load("record-1", whole=True)


@pytest.mark.parametrize("gone", [0, 1])
def test_of_a_record_that_lost_audit_entries_no_past_is_told(table: Store, gone: int) -> None:
    created(table, stored())
    tag_often(table, 24)
    spilled = [item for item in table.partition("record#record-1") if "entries" in item]

    table.remove(spilled[gone])

    versions, then = ReadVersions(id="record-1"), RetrieveById(id="record-1", as_of=NOW)
    with pytest.raises(GapInTrail, match="record-1"):
        read_versions(versions, call(versions), table.services)
    with pytest.raises(GapInTrail, match="record-1"):
        retrieve_by_id(then, call(then), table.services)


@pytest.mark.parametrize(
    "damage", [{"N": "1"}, {"S": "{}"}, {"S": "[1]"}, {"S": '[{"entry": 1}]'}, {"B": b"no"}]
)
def test_changes_that_are_no_changes_of_ours_are_an_error(table: Store, damage: Any) -> None:
    created(table, stored())
    tag_often(table, 2)

    table.put({**table.own_item("record-1"), "history": damage})

    with pytest.raises(CorruptItem, match="record#record-1"):
        table.records.load("record-1")


def test_the_history_is_readable_where_it_is_small(table: Store) -> None:
    before = created(table, stored(tags=("old",)))

    table.records.replace(before, tagged(before, "new"))

    assert json.loads(table.own_item("record-1")["history"]["S"]) == [
        {"entry": 1, "was": [{"path": ["tags"], "value": ["old"]}]}
    ]
