"""Reinforcing brings a record's salience to now, adds its gain and moves its anchor."""

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.requests import DeleteRecord, Reinforce
from membrane.domain.records.records import MemoryRecord
from membrane.domain.revision.requests import Retract
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
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
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


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
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
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
    services: Services, records: TableRecords, clock: FakeClock, episode: MemoryRecord
) -> None:
    born_s = epoch_seconds(clock.now)
    clock.advance(hours=-5)

    record = reinforced(episode, services)

    assert standing(episode.id, records).anchor.at_s == born_s
    assert record.salience == 1.0


def about(entity: MemoryRecord, services: Services, **fields: object) -> MemoryRecord:
    """A record about the entity."""
    to_entity = {"predicate": "mentions_entity", "target_id": entity.id}
    request = full_record(**{"scope": "project:alpha", "relations": [to_entity], **fields})
    return written(ingest_record(request, call(request), services))


def actions(record: MemoryRecord, records: TableRecords) -> list[str]:
    return [str(each.action) for each in standing(record.id, records).trail]


def test_use_of_a_record_is_use_of_its_entities_once_a_day(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    bob = add_entity("Bob", services)
    note = about(bob, services)
    clock.advance(days=20)

    for _ in range(3):
        reinforced(note, services)

    assert actions(note, records) == ["create", "reinforce", "reinforce", "reinforce"]
    assert actions(bob, records) == ["create", "reinforce"]
    assert standing(bob.id, records).trail[-1].rationale == f"used with {note.id}"
    clock.advance(days=2)
    reinforced(note, services)
    assert actions(bob, records) == ["create", "reinforce", "reinforce"]


@pytest.mark.parametrize("change_it", [Retract, DeleteRecord])
def test_an_entity_that_is_gone_is_in_the_way_of_no_use(
    services: Services,
    records: TableRecords,
    clock: FakeClock,
    change_it: type[Retract] | type[DeleteRecord],
) -> None:
    bob = add_entity("Bob", services)
    note = about(bob, services)
    change(change_it(id=bob.id, rationale="a mistake"), services)
    before = actions(bob, records)
    clock.advance(days=20)

    reinforced(note, services)

    assert actions(bob, records) == before


def test_a_use_changes_no_entity_that_the_key_may_not_write(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    bob = add_entity("Bob", services, scope="")
    note = about(bob, services)
    clock.advance(days=20)
    request = Reinforce(id=note.id)

    change(request, services, ALPHA)

    assert actions(note, records) == ["create", "reinforce"]
    assert actions(bob, records) == ["create"]
