"""A deleted record may be restored while its tombstone keeps its document."""

from datetime import timedelta

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.records import audit
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import RetrieveById
from membrane.domain.salience.decay_defaults import PolicyDefaults, default_profile
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.machinery.visibility import NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    refused,
    standing,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """A record that halves every hour."""
    return written(ingest(event(), call(event()), services))


def deleted(record: MemoryRecord, services: Services) -> None:
    """Delete the record."""
    change(DeleteRecord(id=record.id), services)


def restored(record: MemoryRecord, services: Services, key: str | None = None) -> MemoryRecord:
    """The record, back again."""
    asked = RestoreRecord(id=record.id, rationale="still needed")
    return written(change(asked, services, key=key))


def swept(services: Services) -> dict[str, int]:
    """What a sweep prunes."""
    return sweep_due(services, lambda: False).by_type("pruned")


def test_a_restored_record_is_there_again_as_salient_as_a_new_one(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(hours=5)
    deleted(episode, services)
    clock.advance(days=29)

    record = restored(episode, services)

    assert (record.salience, record.payload) == (1.0, episode.payload)
    assert retrieve_by_id(RetrieveById(id=record.id), call(event()), services) == record
    stored = standing(episode.id, records)
    assert stored.tombstone is None
    assert stored.anchor.at_s == epoch_seconds(clock.now)
    assert stored.anchor.born_s < stored.anchor.at_s
    assert [entry.action for entry in stored.trail] == ["create", "delete", "revise"]
    assert stored.trail[-1].rationale == "restored: still needed"
    assert audit.first_broken(episode.id, stored.trail) is None


def test_the_next_sweep_does_not_take_it_again(
    services: Services, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(days=10)
    assert swept(services) == {"episodic": 1}

    restored(episode, services)

    assert swept(services) == {}
    clock.advance(seconds=35_877)
    assert swept(services) == {"episodic": 1}


def test_neither_does_it_where_the_record_was_too_old(services: Services, clock: FakeClock) -> None:
    asked = full_record(lifecycle={"decay": {"max_age_seconds": 600}})
    skill = written(ingest_record(asked, call(asked), services))
    clock.advance(seconds=600)
    assert swept(services) == {"competence": 1}

    record = restored(skill, services)

    assert swept(services) == {}
    assert (record.salience, record.lifecycle.decay.max_age_seconds) == (1.0, 0)
    assert record.audit_log[-1].rationale == "restored, max_age_seconds 600 -> 0: still needed"


def test_the_operator_says_how_salient_a_restored_record_is(clock: FakeClock) -> None:
    services = make_services(now=clock, policy=PolicyDefaults(initial_salience=0.4))
    asked = full_record(salience=0.9)
    skill = written(ingest_record(asked, call(asked), services))
    deleted(skill, services)

    assert restored(skill, services).salience == 0.4


@pytest.mark.parametrize(("late_s", "is_over"), [(-1, False), (0, True), (1, True)])
def test_a_record_can_be_restored_for_as_long_as_the_operator_says(
    clock: FakeClock,
    late_s: int,
    is_over: bool,  # noqa: FBT001 - a parameter
) -> None:
    records = TableRecords(clock)
    retention = Retention(restore=timedelta(days=1))
    services = make_services(records=records, now=clock, retention=retention)
    episode = written(ingest(event(), call(event()), services))
    deleted(episode, services)
    clock.advance(days=1, seconds=0.75 + late_s)  # rounded up to a whole second

    if is_over:
        with refused(records, FailedPrecondition, "is over"):
            restored(episode, services)
    else:
        assert restored(episode, services).salience == 1.0


def test_what_the_sweep_has_forgotten_cannot_be_restored(
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    deleted(episode, services)
    clock.advance(days=31)
    sweep_due(services, lambda: False)

    with refused(records, FailedPrecondition, "is over"):
        restored(episode, services)


def test_what_was_erased_cannot_be_restored(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    change(DeleteRecord(id=episode.id, erase=True), services)

    with refused(records, FailedPrecondition, "erased"):
        restored(episode, services)


def test_what_lives_cannot_be_restored(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    with refused(records, FailedPrecondition, "not deleted"):
        restored(episode, services)


def test_what_was_never_made_cannot_be_restored(services: Services, records: TableRecords) -> None:
    with refused(records, NotFound, NOT_FOUND):
        change(RestoreRecord(id="never-made"), services)


def test_a_repeat_is_recognised_also_when_the_record_lives_again(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    deleted(episode, services)
    first = restored(episode, services, key="key-1")
    stored = records.everything()

    again = written(
        change(RestoreRecord(id=episode.id, rationale="still needed"), services, key="key-1"),
        replayed=True,
    )

    assert again == first
    assert records.everything() == stored


def test_a_record_may_be_deleted_and_restored_again_and_again(
    services: Services, records: TableRecords, episode: MemoryRecord
) -> None:
    for _ in range(3):
        deleted(episode, services)
        restored(episode, services)

    trail = standing(episode.id, records).trail
    assert [entry.action for entry in trail] == ["create", *["delete", "revise"] * 3]
    assert audit.first_broken(episode.id, trail) is None


def test_where_a_profile_more_would_be_too_many_it_fades_as_its_type_does(
    services: Services, clock: FakeClock
) -> None:
    """The scope uses 16 profiles; without its max age the restored one's would be the 17th."""
    profiles = [{"half_life_seconds": 600, "max_age_seconds": 600 + each} for each in range(14)]
    asked = [full_record(lifecycle={"decay": profile}) for profile in profiles]
    skill, *_ = [written(ingest_record(each, call(each), services)) for each in asked]
    clock.advance(days=1)
    assert swept(services) == {"competence": 14}
    for each in range(14):
        living = full_record(lifecycle={"decay": {"half_life_seconds": 1_000_000 + each}})
        ingest_record(living, call(living), services)

    record = restored(skill, services)

    usual = default_profile(skill.type, services.policy)
    assert record.lifecycle.decay == usual
    assert "half_life_seconds 600 -> 2592000" in record.audit_log[-1].rationale
    assert swept(services) == {}
