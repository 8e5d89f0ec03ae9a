"""Retracting takes a record back: it is kept for reading, and counts no more."""

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.lifecycle.requests import Penalize, Pin, Reinforce, Unpin
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Retract
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    observation,
    refused,
    standing,
    working_state,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def fact(services: Services, clock: FakeClock) -> MemoryRecord:
    """An hour ago."""
    record = written(ingest(observation(), call(observation()), services))
    clock.advance(hours=1)
    return record


def test_a_retracted_record_has_no_salience_and_says_since_when(
    services: Services, fact: MemoryRecord, clock: FakeClock
) -> None:
    record = written(change(Retract(id=fact.id, actor="eval", rationale="wrong"), services))

    assert record.salience == 0.0
    assert state_of(record.payload) == RevisionState(
        status=RevisionStatus.RETRACTED, since=rfc3339(clock.now)
    )
    entry = record.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale) == ("delete", "eval", "wrong")
    assert entry.salience_after == 0.0


def test_a_retracted_record_is_read_as_before(services: Services, fact: MemoryRecord) -> None:
    retracted = written(change(Retract(id=fact.id), services))

    asked = RetrieveById(id=fact.id)

    assert retrieve_by_id(asked, call(asked), services) == retracted
    assert retracted.payload.model_copy(update={"revision": None}) == fact.payload


@pytest.mark.parametrize("kind", ["working", "competence"])
def test_records_of_other_types_are_marked_too(services: Services, kind: str) -> None:
    if kind == "working":
        made = written(ingest(working_state(), call(working_state()), services))
    else:
        made = written(ingest_record(full_record(), call(full_record()), services))

    record = written(change(Retract(id=made.id), services))

    assert state_of(record.payload).status is RevisionStatus.RETRACTED


def test_a_contested_record_may_be_retracted(services: Services, fact: MemoryRecord) -> None:
    change(Contest(id=fact.id), services)

    record = written(change(Retract(id=fact.id), services))

    assert state_of(record.payload).status is RevisionStatus.RETRACTED


def test_a_retracted_record_is_not_touched_again(
    services: Services, records: TableRecords, fact: MemoryRecord
) -> None:
    change(Retract(id=fact.id), services)

    for asked in (
        Retract(id=fact.id),
        Contest(id=fact.id),
        Reinforce(id=fact.id),
        Penalize(id=fact.id, amount=0),
        Pin(id=fact.id),
        Unpin(id=fact.id),
    ):
        with refused(records, FailedPrecondition, f"record {fact.id} is retracted"):
            change(asked, services)


def test_an_episode_and_what_is_not_there_are_refused_in_the_peers_words(
    services: Services, records: TableRecords
) -> None:
    episode = written(ingest(event(), call(event()), services))

    with refused(records, FailedPrecondition, "retract: episodic memory is immutable and cannot"):
        change(Retract(id=episode.id), services)
    with refused(records, NotFound, "retract: get record nothing: record not found"):
        change(Retract(id="nothing"), services)


def test_a_repeat_under_the_same_key_is_told_of_the_first(
    services: Services, records: TableRecords, fact: MemoryRecord
) -> None:
    first = written(change(Retract(id=fact.id), services, key="key-1"))

    again = written(change(Retract(id=fact.id), services, key="key-1"), replayed=True)

    assert again == first
    assert len(standing(fact.id, records).trail) == 2
