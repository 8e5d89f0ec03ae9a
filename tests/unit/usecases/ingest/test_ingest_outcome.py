"""An outcome completes an episode: newest in the payload, every one in audit and provenance."""

from typing import Any

import pytest

from membrane.domain.ingest.reports import IngestToolOutput, Report
from membrane.domain.language.errors import FailedPrecondition, NotFound, TooLarge
from membrane.domain.language.violations import validate
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records import audit
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.ingest_outcome import NO_TARGET
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    event,
    full_record,
    observation,
    outcome,
    refused,
    tool_output,
    working_state,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """An event's record."""
    return written(ingest(event(), call(event()), services))


def completed(target: MemoryRecord, services: Services, **fields: str) -> MemoryRecord:
    """The target after an outcome."""
    asked = outcome(target.id, **fields)
    return written(ingest(asked, call(asked), services))


def test_an_outcome_changes_payload_provenance_and_audit_together(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(seconds=60)

    record = completed(episode, services, outcome_status="failure", source="judge")

    assert isinstance(record.payload, EpisodicPayload)
    assert record.payload.outcome == "failure"
    evidence = record.provenance.sources[-1]
    assert (evidence.kind, evidence.ref, evidence.created_by) == (
        "outcome",
        f"outcome:{episode.id}:failure",
        "judge",
    )
    entry = record.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale, entry.principal) == (
        "revise",
        "judge",
        "Outcome recorded: failure",
        "owner",
    )
    assert record.updated_at == entry.timestamp == "2026-03-01T09:01:00.25Z"
    stored = records.load(episode.id)
    assert isinstance(stored, StoredRecord)
    assert stored.version == 2
    assert (stored.record.payload, stored.record.audit_log) == (record.payload, record.audit_log)


def test_a_reason_stands_beside_the_outcome_and_in_the_audit_until_the_next_outcome(
    services: Services, episode: MemoryRecord
) -> None:
    failed = completed(episode, services, outcome_status="failure", reason="the disk was full")
    passed = completed(episode, services, outcome_status="success")

    assert as_json(failed.payload)["outcome_reason"] == "the disk was full"
    assert failed.audit_log[-1].rationale == "Outcome recorded: failure: the disk was full"
    assert as_json(passed.payload)["outcome"] == "success"
    assert "outcome_reason" not in as_json(passed.payload)


@pytest.mark.parametrize("status", [None, "success", "failure", "partial"])
def test_the_status_of_a_tool_output_is_the_outcome_of_its_episode(
    services: Services, status: Any
) -> None:
    report = validate(IngestToolOutput, {"source": "ci", "tool_name": "make", "status": status})

    record = written(ingest(report, call(report), services))

    assert as_json(record.payload).get("outcome") == status


def test_an_outcome_leaves_the_rest_as_it_was(
    services: Services, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(seconds=60)

    record = completed(episode, services)

    for untouched in ("id", "type", "sensitivity", "confidence", "scope", "tags", "created_at"):
        assert getattr(record, untouched) == getattr(episode, untouched)
    assert record.lifecycle == episode.lifecycle
    assert record.provenance.sources[:-1] == episode.provenance.sources


def test_the_record_in_the_reply_is_as_salient_as_it_is_now(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(hours=1)

    record = completed(episode, services)

    assert record.salience == pytest.approx(0.5)
    stored = records.load(episode.id)
    assert isinstance(stored, StoredRecord)
    assert stored.anchor.salience == 1.0


def test_of_several_outcomes_the_newest_stands_and_all_are_remembered(
    services: Services, episode: MemoryRecord
) -> None:
    for status in ("failure", "partial", "success"):
        completed(episode, services, outcome_status=status)
    record = completed(episode, services, outcome_status="success")

    assert isinstance(record.payload, EpisodicPayload)
    assert record.payload.outcome == "success"
    assert [source.ref.rpartition(":")[2] for source in record.provenance.sources[1:]] == [
        "failure",
        "partial",
        "success",
        "success",
    ]
    assert len(record.audit_log) == 5
    assert audit.first_broken(record.id, record.audit_log) is None


def test_a_tool_output_may_have_an_outcome(services: Services) -> None:
    target = written(ingest(tool_output(), call(tool_output()), services))

    record = completed(target, services)

    assert isinstance(record.payload, EpisodicPayload)
    assert (record.payload.outcome, len(record.payload.tool_graph)) == ("success", 1)


@pytest.mark.parametrize("report", [observation(), working_state()], ids=["fact", "task"])
def test_only_an_episode_has_an_outcome(
    services: Services, records: TableRecords, report: Report
) -> None:
    target = written(ingest(report, call(report), services))

    with refused(records, FailedPrecondition, f"target record {target.id} is not episodic"):
        completed(target, services)


def test_a_skill_has_no_outcome(services: Services, records: TableRecords) -> None:
    target = written(ingest_record(full_record(), call(full_record()), services))

    with refused(records, FailedPrecondition):
        completed(target, services)


@pytest.mark.parametrize("target_id", ["never-made", "no/id", " ", "x" * 129, "é", "a\n"])
def test_an_outcome_of_a_record_that_is_not_there_is_refused_in_the_seeds_words(
    services: Services, records: TableRecords, target_id: str
) -> None:
    asked = outcome(target_id)

    with refused(records, NotFound, NO_TARGET):
        ingest(asked, call(asked), services)


def test_a_deleted_record_has_no_more_outcomes(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    deletion = DeleteRecord(id=episode.id)
    delete_record(deletion, call(deletion), services)

    with refused(records, NotFound, NO_TARGET):
        completed(episode, services)


def test_outcomes_do_not_make_a_record_larger_than_a_reply(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    for _ in range(9):
        completed(episode, services, source="\x01" * 90_000)

    with refused(records, TooLarge):
        completed(episode, services, source="\x01" * 99_999)
