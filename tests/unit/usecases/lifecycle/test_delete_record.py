"""Deleting a record buries it in its place: the item becomes its tombstone, the audit stays."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.records import audit
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Result
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    call,
    event,
    full_record,
    gone,
    observation,
    refused,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def record(services: Services) -> MemoryRecord:
    """A record to delete."""
    asked = event(scope="project:alpha")
    return written(ingest(asked, call(asked), services))


def deleted(
    record: MemoryRecord, services: Services, *, key: str | None = None, **said: Any
) -> Result:
    """What deleting the record gives."""
    asked = DeleteRecord(id=record.id, **said)
    return delete_record(asked, call(asked, ALPHA, key=key), services)


def buried(record: MemoryRecord, records: TableRecords) -> StoredRecord:
    """The record's tombstone."""
    found = records.load(record.id)
    assert isinstance(found, StoredRecord)
    assert found.tombstone is not None
    return found


def test_a_deleted_record_becomes_its_tombstone(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    clock.advance(seconds=10)

    deleted(record, services, actor="curator", rationale="no longer true")

    found = buried(record, records)
    assert found.version == 2
    assert found.record.payload == record.payload
    assert (found.record.scope, found.record.sensitivity) == (record.scope, record.sensitivity)
    entry = found.trail[-1]
    assert (entry.action, entry.actor, entry.rationale, entry.principal) == (
        "delete",
        "curator",
        "no longer true",
        "alpha",
    )
    assert audit.first_broken(record.id, found.trail) is None
    assert found.tombstone is not None
    assert found.tombstone.deleted_at_s == epoch_seconds(clock.now)
    assert found.tombstone.reason == "deleted"


def test_who_does_not_say_who_deletes_is_the_principal(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    deleted(record, services)

    assert buried(record, records).trail[-1].actor == "alpha"


@pytest.mark.parametrize("report", [event, observation])
def test_the_periods_of_a_tombstone_are_the_operators_rounded_up_to_seconds(
    clock: FakeClock, records: TableRecords, report: Callable[..., Any]
) -> None:
    days = {"episodic": 2, "semantic": 3}
    retention = Retention(
        restore=timedelta(days=1),
        tombstone=timedelta(days=days["semantic"]),
        episodic_tombstone=timedelta(days=days["episodic"]),
    )
    services = make_services(records=records, now=clock, retention=retention)
    asked = report(scope="project:alpha")
    record = written(ingest(asked, call(asked), services))

    deleted(record, services)

    tombstone = buried(record, records).tombstone
    assert tombstone is not None
    now_s = int(epoch_seconds(clock.now)) + 1
    assert (tombstone.due_s, tombstone.expires_at_s) == (
        now_s + 86_400,
        now_s + days[record.type] * 86_400,
    )


@pytest.mark.parametrize("policy", ["auto_prune", "manual_only"])
def test_a_caller_may_delete_what_is_not_kept_for_ever(
    services: Services, records: TableRecords, policy: str
) -> None:
    asked = full_record(scope="project:alpha", lifecycle={"deletion_policy": policy})
    record = written(ingest_record(asked, call(asked), services))

    deleted(record, services)

    assert buried(record, records).tombstone is not None


def test_a_record_that_is_kept_for_ever_is_not_deleted(
    services: Services, records: TableRecords
) -> None:
    asked = full_record(scope="project:alpha", lifecycle={"deletion_policy": "never"})
    record = written(ingest_record(asked, call(asked), services))

    with refused(records, FailedPrecondition, "never"):
        deleted(record, services)


def test_a_pinned_record_may_be_deleted(services: Services, records: TableRecords) -> None:
    asked = full_record(scope="project:alpha", lifecycle={"pinned": True})
    record = written(ingest_record(asked, call(asked), services))

    deleted(record, services)

    assert buried(record, records).record.lifecycle.pinned


def test_deleting_again_under_the_same_key_is_a_replay(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    deleted(record, services, key="key-1")
    stored = records.everything()
    clock.advance(days=1)

    again = gone(deleted(record, services, key="key-1"))

    assert (again.record_id, again.deleted_at) == (record.id, "2026-03-01T09:00:00.25Z")
    assert records.everything() == stored


@pytest.mark.parametrize("key", [None, "key-2"])
def test_deleting_again_otherwise_finds_nothing(
    services: Services, records: TableRecords, record: MemoryRecord, key: str | None
) -> None:
    deleted(record, services, key="key-1")

    with refused(records, NotFound, NOT_FOUND):
        deleted(record, services, key=key)


def test_what_was_never_made_cannot_be_deleted(services: Services, records: TableRecords) -> None:
    asked = DeleteRecord(id="never-made")

    with refused(records, NotFound, NOT_FOUND):
        delete_record(asked, call(asked), services)


def test_a_record_that_may_be_seen_but_not_written_is_not_deleted(
    services: Services, records: TableRecords
) -> None:
    unscoped = written(ingest(event(), call(event()), services))

    with refused(records, PermissionDenied):
        deleted(unscoped, services)
