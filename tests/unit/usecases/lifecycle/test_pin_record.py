"""A pinned record keeps its salience as of when it was pinned; unpinned, it fades on from then."""

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import Pin, Unpin
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import RetrieveById
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    standing,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """A record that halves every hour."""
    return written(ingest(event(), call(event()), services))


def salience_of(record: MemoryRecord, services: Services) -> float:
    """As it is read now."""
    asked = RetrieveById(id=record.id)
    return retrieve_by_id(asked, call(asked), services).salience


def test_a_pinned_record_stays_as_salient_as_it_was_then(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(hours=2)

    record = written(change(Pin(id=episode.id), services))

    clock.advance(days=365)
    assert record.lifecycle.pinned is True
    assert record.salience == salience_of(episode, services) == 0.25
    assert episode.id not in records.due


def test_an_unpinned_record_fades_on_from_then(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    change(Pin(id=episode.id), services)
    clock.advance(days=365)

    record = written(change(Unpin(id=episode.id), services))

    assert (record.lifecycle.pinned, record.salience) == (False, 1.0)
    assert standing(episode.id, records).anchor.at_s == epoch_seconds(clock.now)
    clock.advance(hours=1)
    assert salience_of(episode, services) == pytest.approx(0.5, abs=1e-9)


def test_a_record_may_be_pinned_from_the_beginning(services: Services, clock: FakeClock) -> None:
    asked = full_record(salience=0.5, lifecycle={"pinned": True})
    skill = written(ingest_record(asked, call(asked), services))
    clock.advance(days=365)

    record = written(change(Unpin(id=skill.id), services))

    assert record.salience == 0.5


@pytest.mark.parametrize("asked", [Pin, Unpin])
def test_to_ask_again_changes_no_salience(
    services: Services,
    records: TableRecords,
    clock: FakeClock,
    episode: MemoryRecord,
    asked: type[Pin | Unpin],
) -> None:
    written(change(asked(id=episode.id), services))
    anchor = standing(episode.id, records).anchor
    clock.advance(minutes=10)
    before = salience_of(episode, services)

    record = written(change(asked(id=episode.id), services))

    assert record.salience == before
    assert standing(episode.id, records).anchor == anchor
    assert len(record.audit_log) == 3
