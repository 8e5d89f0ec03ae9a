"""An audit trail is read page by page, and verified whatever its length."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validate
from membrane.domain.lifecycle.requests import Reinforce
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.requests import ReadAudit
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.services import Services
from membrane.usecases.records import read_history as reading
from membrane.usecases.records.read_history import Trail, Verification, read_audit
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, written
from tests.worlds.memory_table import TableRecords

ENTRIES = 25


@pytest.fixture
def record(services: Services) -> MemoryRecord:
    """A record with ENTRIES audit entries."""
    made = written(ingest(event(), call(event()), services))
    for number in range(ENTRIES - 1):
        asked = Reinforce(id=made.id, rationale=f"use {number}")
        made = written(change(asked, services))
    return made


def page(record_id: str, services: Services, **asked: Any) -> Trail:
    """A page of the trail."""
    request = validate(ReadAudit, {"id": record_id, **asked})
    return read_audit(request, call(request), services)


def pages(record_id: str, services: Services, **asked: Any) -> list[Trail]:
    """Every page of the trail."""
    several = [page(record_id, services, **asked)]
    while several[-1].next_cursor is not None:
        several.append(page(record_id, services, **asked, cursor=several[-1].next_cursor))
    return several


def tamper(records: TableRecords, record_id: str, position: int) -> None:
    """Change the reason of one entry."""
    found = records.places[record_id]
    assert isinstance(found, StoredRecord)
    entries: list[AuditEntry] = list(found.trail)
    entries[position] = entries[position].model_copy(update={"rationale": "another"})
    altered = found.record.model_copy(update={"audit_log": tuple(entries)})
    records.places[record_id] = replace(found, record=altered)


def test_a_reply_has_the_newest_twenty_entries_and_their_number(record: MemoryRecord) -> None:
    assert len(record.audit_log) == 20
    assert record.audit_count == ENTRIES
    assert record.audit_log[-1].rationale == f"use {ENTRIES - 2}"


@pytest.mark.parametrize("limit", [0, 1, 7, ENTRIES, 10_000])
def test_the_pages_together_are_the_whole_trail(
    services: Services, records: TableRecords, record: MemoryRecord, limit: int
) -> None:
    several = pages(record.id, services, limit=limit)

    kept = records.places[record.id]
    assert isinstance(kept, StoredRecord)
    assert tuple(entry for each in several for entry in each.entries) == kept.trail
    assert {each.count for each in several} == {ENTRIES}
    assert all(len(each.entries) <= (limit or ENTRIES) for each in several)


def test_a_page_holds_what_a_reply_carries(services: Services) -> None:
    made = written(ingest(event(), call(event()), services))
    for _ in range(10):
        long = "\x01" * 100_000
        written(change(Reinforce(id=made.id, actor=long, rationale=long), services))

    several = pages(made.id, services, verify=True)

    assert [len(each.entries) for each in several] == [5, 4, 2]
    assert all(each.verification and each.verification.broken_at is None for each in several)


def test_the_first_page_verifies_the_whole_trail_and_a_later_one_itself(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    tamper(records, record.id, 12)

    first, second, third = pages(record.id, services, limit=10, verify=True)

    assert first.verification == Verification(broken_at=12, entries=ENTRIES)
    assert second.verification == Verification(broken_at=12, entries=10)
    assert third.verification == Verification(broken_at=None, entries=5)


def test_one_request_verifies_no_more_than_it_may(
    services: Services, record: MemoryRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_VERIFIED", 15)

    verified = page(record.id, services, limit=5, verify=True).verification

    assert verified == Verification(broken_at=None, entries=15)


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "\u0661", "1" * 10])
def test_a_cursor_that_is_not_ours_is_refused(
    services: Services, record: MemoryRecord, cursor: str
) -> None:
    with pytest.raises(InvalidArgument):
        page(record.id, services, cursor=cursor)


def test_a_page_behind_the_end_is_empty(services: Services, record: MemoryRecord) -> None:
    behind = page(record.id, services, cursor="900", verify=True)

    assert (behind.entries, behind.next_cursor, behind.count) == ([], None, ENTRIES)
    assert behind.verification == Verification(broken_at=None, entries=0)
