"""A record costs the same after many changes as after a hundred."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from membrane.domain.ingest.builder import Why
from membrane.domain.language.json_text import compact_json
from membrane.domain.lifecycle.changes import pinned_version
from membrane.domain.lifecycle.requests import Pin, Reinforce, Unpin
from membrane.domain.records.records import as_json
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.domain.records.stored import SHOWN_ENTRIES, StoredRecord
from membrane.usecases.records import read_record
from membrane.usecases.records.read_record import read_audit, retrieve_by_id
from tests.builders.records import a_making
from tests.builders.requests import call, change, written
from tests.builders.stored_records import created, stored
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
