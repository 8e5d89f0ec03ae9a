"""Reading a record as of now, and its audit trail, also after deletion."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_history import Trail, Verification, read_audit
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, outcome, refused, written
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def record(services: Services) -> MemoryRecord:
    """A record with three audit entries."""
    made = written(ingest(event(), call(event()), services))
    for _ in range(2):
        made = written(ingest(outcome(made.id), call(outcome(made.id)), services))
    return made


def trail(record_id: str, services: Services, *, verify: bool = False) -> Trail:
    """The audit trail of a record."""
    asked = ReadAudit(id=record_id, verify=verify)
    return read_audit(asked, call(asked), services)


def retrieved(record_id: str, services: Services) -> MemoryRecord:
    """A record by its id."""
    asked = RetrieveById(id=record_id)
    return retrieve_by_id(asked, call(asked), services)


def test_a_record_is_read_as_salient_as_it_is_now(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    stored = records.everything()
    clock.advance(hours=2)

    found = retrieved(record.id, services)

    assert found == record.model_copy(update={"salience": pytest.approx(0.25)})
    assert records.everything() == stored, "reading rewrites nothing"


def test_a_record_is_worth_the_same_however_often_it_was_read(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    for _ in range(60):
        clock.advance(minutes=1)
        retrieved(record.id, services)

    assert retrieved(record.id, services).salience == pytest.approx(0.5)


@pytest.mark.parametrize("record_id", ["never-made", "", " ", "no/id", "x" * 129, "é", "a\n", ".."])
def test_what_is_not_there_is_not_found_whatever_its_id_looks_like(
    services: Services, records: TableRecords, record_id: str
) -> None:
    with refused(records, NotFound, NOT_FOUND):
        retrieved(record_id, services)
    with refused(records, NotFound, NOT_FOUND):
        trail(record_id, services)


def test_a_deleted_record_is_not_found_but_its_trail_is(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    clock.advance(seconds=5)
    deletion = DeleteRecord(id=record.id)
    delete_record(deletion, call(deletion), services)

    found = trail(record.id, services, verify=True)

    assert [entry.action for entry in found.entries] == ["create", "revise", "revise", "delete"]
    assert found.deleted_at == "2026-03-01T09:00:05.25Z"
    assert found.verification == Verification(None, entries=4)
    with refused(records, NotFound, NOT_FOUND):
        retrieved(record.id, services)


def test_an_expired_tombstone_has_no_trail(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    deletion = DeleteRecord(id=record.id)
    delete_record(deletion, call(deletion), services)
    clock.advance(days=401)

    with refused(records, NotFound, NOT_FOUND):
        trail(record.id, services)


def test_a_trail_is_verified_only_when_that_is_asked_for(
    services: Services, record: MemoryRecord
) -> None:
    assert trail(record.id, services).verification is None
    assert trail(record.id, services, verify=True).verification == Verification(None, entries=3)


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize(
    "tampered",
    [
        {"actor": "somebody else"},
        {"rationale": "nothing happened"},
        {"principal": "somebody else"},
        {"timestamp": "1999-01-01T00:00:00Z"},
        {"action": AuditAction.DECAY},
    ],
    ids=["actor", "rationale", "principal", "timestamp", "action"],
)
def test_a_tampered_entry_shows_by_its_place(
    services: Services,
    records: TableRecords,
    record: MemoryRecord,
    position: int,
    tampered: dict[str, Any],
) -> None:
    found = records.places[record.id]
    assert isinstance(found, StoredRecord)
    entries = list(record.audit_log)
    entries[position] = entries[position].model_copy(update=tampered)
    altered = found.record.model_copy(update={"audit_log": tuple(entries)})
    records.places[record.id] = replace(found, record=altered)

    verified = trail(record.id, services, verify=True)

    assert verified.verification == Verification(position, entries=3)
    assert len(verified.entries) == 3


def test_a_missing_entry_shows_by_its_place(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    found = records.places[record.id]
    assert isinstance(found, StoredRecord)
    entries = (record.audit_log[0], record.audit_log[2])
    altered = found.record.model_copy(update={"audit_log": entries})
    records.places[record.id] = replace(found, record=altered)

    assert trail(record.id, services, verify=True).verification == Verification(1, entries=3)
