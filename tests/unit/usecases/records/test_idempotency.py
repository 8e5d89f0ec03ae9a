"""A repeated call is recognised by principal, RPC and key, and changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.ingest.reports import Report
from membrane.domain.language.errors import AlreadyExists, NotFound
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.idempotency import MAX_OPERATIONS
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Result
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    OWNER,
    call,
    event,
    full_record,
    gone,
    observation,
    outcome,
    refused,
    relation,
    tool_output,
    working_state,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

REPORTS: dict[str, Callable[[], Report]] = {
    "event": event,
    "tool output": tool_output,
    "observation": observation,
    "working state": working_state,
}


def keyed(report: Report, services: Services, key: str = "key-1") -> Result:
    """What a report under a key gives."""
    return ingest(report, call(report, key=key), services)


def deleted(record: MemoryRecord, services: Services, key: str | None = None) -> Result:
    """What deleting a record gives."""
    asked = DeleteRecord(id=record.id)
    return delete_record(asked, call(asked, key=key), services)


# --- creating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_repeated_report_is_answered_with_the_record_it_made(
    services: Services, records: TableRecords, report: Callable[[], Report]
) -> None:
    first = written(keyed(report(), services))
    stored = records.everything()

    again = written(keyed(report(), services), replayed=True)

    assert again == first
    assert records.everything() == stored


def test_the_id_of_a_keyed_record_is_a_uuid_of_version_8(services: Services) -> None:
    record = written(keyed(event(), services))

    assert UUID(record.id).version == 8
    assert UUID(record.id).variant == UUID(int=0x8 << 60).variant


def test_reports_without_a_key_are_all_new(services: Services, records: TableRecords) -> None:
    for _ in range(3):
        written(ingest(event(), call(event()), services))

    assert len(records.places) == 3


def test_a_replay_shows_the_record_as_it_is_now(services: Services, clock: FakeClock) -> None:
    first = written(keyed(event(), services))
    clock.advance(hours=1)
    written(ingest(outcome(first.id), call(outcome(first.id)), services))
    clock.advance(hours=1)

    again = written(keyed(event(), services), replayed=True)

    assert isinstance(again.payload, EpisodicPayload)
    assert again.payload.outcome == "success"
    assert again.salience == pytest.approx(0.25)
    assert len(again.audit_log) == 2


@pytest.mark.parametrize(
    "other", [event(ref="build:2"), event(tags=["x"]), event(source="CI"), event(summary=" ")]
)
def test_another_body_under_the_same_key_is_refused(
    services: Services, records: TableRecords, other: Report
) -> None:
    written(keyed(event(), services))

    with refused(records, AlreadyExists, REUSED):
        keyed(other, services)


def test_the_same_key_of_another_principal_is_another_key(services: Services) -> None:
    mine = written(keyed(event(), services))
    other = OWNER._replace(actor_id="somebody")

    theirs = written(ingest(event(ref="x"), call(event(ref="x"), other, key="key-1"), services))

    assert mine.id != theirs.id


def test_the_same_key_for_another_rpc_is_another_key(services: Services) -> None:
    made = [written(keyed(report(), services)) for report in REPORTS.values()]

    assert len({record.id for record in made}) == len(REPORTS)


def test_principal_rpc_and_key_are_not_run_together(services: Services) -> None:
    names = [("ab", "c", "d"), ("a", "bc", "d"), ("a", "b", "cd"), ("abcd", "", "")]

    made = [
        written(
            ingest(
                event(), call(event(), OWNER._replace(actor_id=actor), key=key, rpc=rpc), services
            )
        )
        for actor, rpc, key in names
        if key
    ]

    assert len({record.id for record in made}) == 3


def test_a_repeat_after_deletion_says_when_and_makes_no_new_record(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    record = written(keyed(event(), services))
    clock.advance(seconds=1)
    deleted(record, services)
    stored = records.everything()
    clock.advance(days=40)

    found = gone(keyed(event(), services))

    assert (found.record_id, found.deleted_at) == (record.id, "2026-03-01T09:00:01.25Z")
    assert records.everything() == stored


def test_another_body_is_refused_also_after_deletion(
    services: Services, records: TableRecords
) -> None:
    deleted(written(keyed(event(), services)), services)

    with refused(records, AlreadyExists, REUSED):
        keyed(event(ref="build:2"), services)


def test_a_key_is_free_again_when_the_tombstone_of_its_record_has_expired(
    services: Services, clock: FakeClock
) -> None:
    first = written(keyed(event(), services))
    deleted(first, services)
    clock.advance(days=401)

    second = written(keyed(event(ref="build:2"), services))

    assert second.id == first.id
    assert len(second.audit_log) == 1


@given(calls=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=12))
def test_whatever_is_repeated_each_key_makes_one_record_of_its_first_body(
    calls: list[tuple[str, int]],
) -> None:
    records = TableRecords(FakeClock())
    services = make_services(records=records)
    first_bodies: dict[str, int] = {}

    for key, body in calls:
        repeated = key in first_bodies
        if body == first_bodies.setdefault(key, body):
            record = written(keyed(event(ref=f"{body}"), services, key), replayed=repeated)
            assert isinstance(record.payload, EpisodicPayload)
            assert record.payload.timeline[0].ref == f"{body}"
        else:
            with refused(records, AlreadyExists, REUSED):
                keyed(event(ref=f"{body}"), services, key)

    assert len(records.places) == len(first_bodies)


# --- ids that the client chose -------------------------------------------------------------------


def chosen(services: Services, key: str | None = "key-1", **fields: Any) -> Result:
    """What a full record of a chosen id gives."""
    asked = full_record(**{"id": "chosen", **fields})
    return ingest_record(asked, call(asked, key=key), services)


def test_a_repeated_record_of_a_chosen_id_is_a_replay(
    services: Services, records: TableRecords
) -> None:
    first = written(chosen(services))
    stored = records.everything()

    assert written(chosen(services), replayed=True) == first
    assert records.everything() == stored


@pytest.mark.parametrize("other", [{"id": "other"}, {"tags": ["x"]}, {"id": None}])
def test_a_key_that_made_a_record_of_a_chosen_id_makes_no_other(
    services: Services, records: TableRecords, other: dict[str, Any]
) -> None:
    written(chosen(services))

    with refused(records, AlreadyExists, REUSED):
        chosen(services, **other)


def test_a_key_that_made_a_record_of_our_id_makes_none_of_a_chosen_one(
    services: Services, records: TableRecords
) -> None:
    written(chosen(services, id=None))

    with refused(records, AlreadyExists, REUSED):
        chosen(services)


@pytest.mark.parametrize("key", [None, "key-2"])
def test_a_chosen_id_that_is_taken_is_refused_even_with_the_same_body(
    services: Services, records: TableRecords, key: str | None
) -> None:
    written(chosen(services))

    with refused(records, AlreadyExists, "record already exists"):
        chosen(services, key)


def test_a_key_whose_record_was_refused_is_not_used_up(services: Services) -> None:
    written(chosen(services, "key-1"))
    with pytest.raises(AlreadyExists):
        chosen(services, "key-2")

    written(chosen(services, "key-2", id="other"))


def test_a_repeat_of_a_chosen_id_after_deletion_says_when(services: Services) -> None:
    record = written(chosen(services))
    deleted(record, services)

    assert gone(chosen(services)).record_id == "chosen"


def test_a_key_of_a_chosen_id_makes_no_second_record_when_the_tombstone_has_expired(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    deleted(written(chosen(services)), services)
    clock.advance(days=401)

    with refused(records, AlreadyExists):
        chosen(services)


def test_a_repeat_is_recognised_though_a_relations_target_was_deleted_since(
    services: Services,
) -> None:
    target = written(ingest(event(), call(event()), services))
    asked = full_record(relations=[relation(target.id)])
    first = written(ingest_record(asked, call(asked, key="key-1"), services))
    deleted(target, services)

    again = written(ingest_record(asked, call(asked, key="key-1"), services), replayed=True)

    assert again == first


# --- changing ------------------------------------------------------------------------------------


def completed(record: MemoryRecord, services: Services, key: str = "key-1") -> Result:
    """What a keyed outcome gives."""
    return ingest(outcome(record.id), call(outcome(record.id), key=key), services)


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """A record to be changed."""
    return written(ingest(event(), call(event()), services))


def test_a_repeated_change_is_made_once(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    first = written(completed(episode, services))
    stored = records.everything()

    again = written(completed(episode, services), replayed=True)

    assert again == first
    assert records.everything() == stored


def test_a_change_is_recognised_after_many_others(
    services: Services, episode: MemoryRecord
) -> None:
    for number in range(MAX_OPERATIONS):
        written(completed(episode, services, f"key-{number}"))

    again = written(completed(episode, services, "key-0"), replayed=True)

    assert again.audit_count == 1 + MAX_OPERATIONS


def test_a_change_without_a_key_is_made_every_time(
    services: Services, episode: MemoryRecord
) -> None:
    asked = outcome(episode.id)
    written(ingest(asked, call(asked), services))

    record = written(ingest(asked, call(asked), services))

    assert len(record.audit_log) == 3


def test_another_change_under_the_same_key_is_refused(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    written(completed(episode, services))
    other = outcome(episode.id, outcome_status="failure")

    with refused(records, AlreadyExists, REUSED):
        ingest(other, call(other, key="key-1"), services)


def test_a_change_under_the_same_key_of_another_principal_is_another_change(
    services: Services, episode: MemoryRecord
) -> None:
    written(completed(episode, services))
    asked = outcome(episode.id)
    other = OWNER._replace(actor_id="somebody")

    record = written(ingest(asked, call(asked, other, key="key-1"), services))

    assert len(record.audit_log) == 3


def test_a_change_under_the_key_that_made_the_record_is_no_repeat(services: Services) -> None:
    record = written(keyed(event(), services, "key-1"))

    written(completed(record, services, "key-1"))


def test_a_change_repeated_after_deletion_says_when(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    written(completed(episode, services))
    deleted(episode, services)
    stored = records.everything()

    assert gone(completed(episode, services)).record_id == episode.id
    assert records.everything() == stored


def test_a_repeat_does_not_show_a_record_that_may_no_longer_be_seen(
    services: Services, records: TableRecords
) -> None:
    asked = full_record(scope="project:alpha")
    record = written(ingest_record(asked, call(asked, ALPHA, key="key-1"), services))
    stored = records.load(record.id)
    assert isinstance(stored, StoredRecord)
    moved = stored.record.model_copy(update={"scope": "project:beta"})
    records.places[record.id] = replace(stored, record=moved)

    with refused(records, NotFound, NOT_FOUND):
        ingest_record(asked, call(asked, ALPHA, key="key-1"), services)
