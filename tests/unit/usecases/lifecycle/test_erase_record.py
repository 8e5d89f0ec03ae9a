"""Erasing removes what a record says for good, at once, whatever its deletion policy."""

import pytest

from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize
from membrane.domain.records import audit
from membrane.domain.records.audit import is_erased
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.domain.records.stored import RemovedRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import Result
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_history import Verification, read_audit
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    gone,
    refused,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """A record with a history."""
    record = written(ingest(event(), call(event(), key="key-of-the-report"), services))
    change(Penalize(id=record.id, amount=0.25, rationale="misled Ms Smith"), services)
    return record


def erased(record: MemoryRecord, services: Services, key: str | None = None) -> Result:
    """What erasing the record gives."""
    asked = DeleteRecord(id=record.id, erase=True, actor="officer", rationale="by law")
    return change(asked, services, key=key)


def remains(record: MemoryRecord, records: TableRecords) -> RemovedRecord:
    """What is left of it."""
    found = records.load(record.id)
    assert isinstance(found, RemovedRecord)
    return found


def test_what_is_erased_leaves_who_it_was_and_an_audit_without_free_text(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(seconds=10)

    erased(episode, services)

    left = remains(episode, records)
    assert (left.type, left.scope, left.sensitivity) == ("episodic", "", "low")
    *earlier, last = left.trail
    assert len(earlier) == 2
    assert all(map(is_erased, earlier))
    assert (last.action, last.actor, last.rationale) == ("delete", "officer", "by law")
    assert audit.first_broken(left.id, left.trail, left.written_entries) is None
    tombstone = left.tombstone
    assert (tombstone.is_erased, tombstone.deleted_at_s) == (True, epoch_seconds(clock.now))
    assert tombstone.due_s is None, "nothing is left to remove"


def test_an_erased_record_is_absent_but_for_its_audit(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    erased(episode, services)

    asked = RetrieveById(id=episode.id)
    with refused(records, NotFound, NOT_FOUND):
        retrieve_by_id(asked, call(asked), services)
    look = ReadAudit(id=episode.id, verify=True)
    trail = read_audit(look, call(look), services)
    assert trail.verification == Verification(None, trail.count)
    assert trail.deleted_at == "2026-03-01T09:00:00.25Z"
    assert "Smith" not in str(trail.entries)


def test_what_may_never_be_deleted_may_be_erased(services: Services, records: TableRecords) -> None:
    asked = full_record(lifecycle={"deletion_policy": "never"})
    skill = written(ingest_record(asked, call(asked), services))

    erased(skill, services)

    assert remains(skill, records).tombstone.is_erased


def test_what_is_deleted_already_may_be_erased_and_expires_as_it_would_have(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    change(DeleteRecord(id=episode.id, rationale="asked Ms Smith"), services)
    before = records.load(episode.id)
    assert before is not None
    assert before.tombstone is not None
    clock.advance(days=10)

    erased(episode, services)

    left = remains(episode, records)
    assert left.tombstone.expires_at_s == before.tombstone.expires_at_s
    assert left.tombstone.deleted_at_s == before.tombstone.deleted_at_s
    assert "Smith" not in str(left.trail)


@pytest.mark.parametrize("key", [None, "key-1"])
def test_what_is_erased_stays_as_it_is(
    services: Services, records: TableRecords, episode: MemoryRecord, key: str | None
) -> None:
    erased(episode, services, key="key-1")
    stored = records.everything()

    again = erased(episode, services, key)

    assert records.everything() == stored
    assert again.replayed is (key is not None)


def test_the_report_that_made_what_is_erased_makes_no_other(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    erased(episode, services)
    stored = records.everything()

    again = gone(ingest(event(), call(event(), key="key-of-the-report"), services))

    assert again.record_id == episode.id
    assert records.everything() == stored


def test_what_was_never_made_cannot_be_erased(services: Services, records: TableRecords) -> None:
    with refused(records, NotFound, NOT_FOUND):
        change(DeleteRecord(id="never-made", erase=True), services)
