"""Penalizing brings a record's salience to now and takes the amount off."""

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import Penalize
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.requests import call, change, full_record, standing, written
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


def made(services: Services, **decay: float) -> MemoryRecord:
    """A record that halves every hour."""
    asked = full_record(lifecycle={"decay": {"half_life_seconds": 3_600, **decay}})
    return written(ingest_record(asked, call(asked), services))


def penalized(record: MemoryRecord, amount: float, services: Services) -> MemoryRecord:
    """The record after one penalty."""
    return written(change(Penalize(id=record.id, amount=amount, rationale="unused"), services))


@pytest.mark.parametrize(("amount", "salience"), [(0, 0.5), (0.2, 0.3), (0.5, 0.0), (10, 0.0)])
def test_the_amount_is_taken_off_the_salience_as_of_now(
    services: Services, records: TableRecords, clock: FakeClock, amount: float, salience: float
) -> None:
    skill = made(services)
    clock.advance(hours=1)

    record = penalized(skill, amount, services)

    assert record.salience == pytest.approx(salience, abs=1e-9)
    assert standing(skill.id, records).anchor.at_s == epoch_seconds(clock.now)


def test_a_penalty_is_audited_as_decay_and_reinforces_nothing(
    services: Services, clock: FakeClock
) -> None:
    skill = made(services)
    clock.advance(hours=1)

    record = penalized(skill, 0.2, services)

    entry = record.audit_log[-1]
    assert (entry.action, entry.rationale) == ("decay", "penalty: unused")
    assert (entry.salience_before, entry.salience_after) == (0.5, 0.3)
    assert record.lifecycle == skill.lifecycle


def test_penalties_stop_at_the_floor(services: Services, clock: FakeClock) -> None:
    skill = made(services, min_salience=0.1)

    saliences = []
    for _ in range(3):
        clock.advance(hours=1)
        saliences.append(penalized(skill, 0.3, services).salience)

    assert saliences == [pytest.approx(0.2, abs=1e-9), 0.1, 0.1]


def test_two_penalties_are_as_one_of_both_amounts_at_the_same_instant(services: Services) -> None:
    skill, other = made(services), made(services)

    penalized(skill, 0.25, services)

    assert penalized(skill, 0.5, services).salience == penalized(other, 0.75, services).salience


def test_what_was_penalized_fades_on_with_its_half_life(
    services: Services, clock: FakeClock
) -> None:
    skill = made(services)
    penalized(skill, 0.2, services)
    clock.advance(hours=2)

    assert penalized(skill, 0, services).salience == pytest.approx(0.2, abs=1e-9)
