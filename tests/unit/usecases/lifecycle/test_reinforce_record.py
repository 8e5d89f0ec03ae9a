"""Reinforcing brings a record's salience to now, adds its gain and moves its anchor."""

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import Reinforce
from membrane.domain.records.records import MemoryRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    observation,
    standing,
    tool_output,
    working_state,
    written,
)
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services


@pytest.fixture
def episode(services: Services) -> MemoryRecord:
    """A record that halves every hour."""
    return written(ingest(event(), call(event()), services))


def reinforced(record: MemoryRecord, services: Services, **said: str) -> MemoryRecord:
    """The record after one reinforcement."""
    return written(change(Reinforce.model_validate({"id": record.id, **said}), services))


@pytest.mark.parametrize(("hours", "salience"), [(0, 1.0), (1, 0.7), (3, 0.325), (100, 0.2)])
def test_the_reply_has_the_salience_as_of_now(
    services: Services, clock: FakeClock, episode: MemoryRecord, hours: int, salience: float
) -> None:
    clock.advance(hours=hours)

    record = reinforced(episode, services)

    assert record.salience == pytest.approx(salience, abs=1e-9)


def test_the_anchor_moves_to_now(
    services: Services, records: FakeRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    clock.advance(hours=1)

    reinforced(episode, services, actor="agent-7", rationale="led to the fix")

    stored = standing(episode.id, records)
    assert stored.anchor.at_s == epoch_seconds(clock.now)
    assert stored.anchor.salience == pytest.approx(0.7, abs=1e-9)
    assert stored.record.lifecycle.last_reinforced_at == "2026-03-01T10:00:00.25Z"
    entry = stored.trail[-1]
    assert (entry.action, entry.actor, entry.rationale) == (
        "reinforce",
        "agent-7",
        "led to the fix",
    )


def test_what_is_reinforced_every_hour_settles_where_the_gain_makes_up_for_decay(
    services: Services, clock: FakeClock, episode: MemoryRecord
) -> None:
    saliences = []
    for _ in range(60):
        clock.advance(hours=1)
        saliences.append(reinforced(episode, services).salience)

    assert saliences[-1] == pytest.approx(0.4, abs=1e-9)


def test_no_number_of_reinforcements_passes_1(services: Services, episode: MemoryRecord) -> None:
    saliences = {reinforced(episode, services).salience for _ in range(5)}

    assert saliences == {1.0}


def test_the_gain_is_the_records_own(services: Services, clock: FakeClock) -> None:
    asked = full_record(
        lifecycle={"decay": {"half_life_seconds": 3_600, "reinforcement_gain": 0.05}}
    )
    skill = written(ingest_record(asked, call(asked), services))
    clock.advance(hours=1)

    record = reinforced(skill, services)

    assert record.salience == pytest.approx(0.55, abs=1e-9)


def test_the_operator_sets_the_gain_of_what_says_none(clock: FakeClock) -> None:
    services = make_services(now=clock, policy=PolicyDefaults(reinforcement_gain=0.01))
    episode = written(ingest(event(), call(event()), services))
    clock.advance(hours=1)

    record = reinforced(episode, services)

    assert record.salience == pytest.approx(0.51, abs=1e-9)


@pytest.mark.parametrize(
    "report", [event(), tool_output(), observation(), working_state()], ids=lambda each: each.kind
)
def test_a_record_of_any_type_can_be_reinforced(services: Services, report: object) -> None:
    record = written(ingest(report, call(report), services))  # type: ignore[arg-type]  # one of the four

    assert reinforced(record, services).audit_log[-1].action == "reinforce"


def test_a_clock_that_was_set_back_moves_no_anchor_back(
    services: Services, records: FakeRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    born_s = epoch_seconds(clock.now)
    clock.advance(hours=-5)

    record = reinforced(episode, services)

    assert standing(episode.id, records).anchor.at_s == born_s
    assert record.salience == 1.0
