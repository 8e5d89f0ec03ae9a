"""Evidence that goes: a trace goes with any step, a skill is learned again from what is left."""

import pytest

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, add_release, end
from tests.builders.requests import change
from tests.worlds.captures import services_over
from tests.worlds.stores import Store


def stored(record_id: str, services: Services) -> StoredRecord:
    held = services.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def learn(store: Store, services: Services, *threads: str) -> str:
    """The skill that was learned from a release of each thread."""
    for number, thread in enumerate(threads):
        add_release(thread, f"1.{number}", services)
    store.clock.advance(hours=1)
    (skill_id,) = consolidate_all(services).skills
    return skill_id


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_counts_a_deleted_trace_no_longer(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    sources = [source.ref for source in stored(skill_id, services).record.provenance.sources]

    change(DeleteRecord(id=sources[0], erase=erase, rationale="law"), services)

    skill = stored(skill_id, services)
    assert [source.ref for source in skill.record.provenance.sources] == sources[1:]
    payload = skill.record.payload
    assert isinstance(payload, CompetencePayload)
    assert payload.performance is not None
    assert payload.performance.success_count == 2


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_with_too_few_traces_left_goes(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2")
    sources = [source.ref for source in stored(skill_id, services).record.provenance.sources]

    change(DeleteRecord(id=sources[0], erase=erase, rationale="law"), services)

    held = services.records.load(skill_id)
    assert held is not None
    if erase:
        assert held.tombstone is not None
        assert held.tombstone.is_erased
    else:
        assert isinstance(held, StoredRecord)
        assert is_retracted(held.record.payload)


@pytest.mark.parametrize("erase", [False, True])
def test_a_deleted_step_takes_the_trace_along(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    steps = add_release("t-1", "1.0", services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces

    change(DeleteRecord(id=steps[2].id, erase=erase, rationale="law"), services)

    trace = services.records.load(trace_id)
    assert trace is not None
    assert trace.tombstone is not None
    assert trace.tombstone.is_erased == erase


def test_a_skill_that_a_caller_deleted_does_not_come_back(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2")
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)
    add_release("t-3", "1.3", services)
    add_release("t-4", "1.4", services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert (done.skills, done.grown) == ([], [])
    assert len(done.unmatched) == 2


def test_a_late_outcome_reaches_the_trace_and_is_learned_from(store: Store) -> None:
    services = services_over(store)
    learn(store, services, "t-1", "t-2")
    task = add_event("t-3", "Release version 1.7 of the parser", services)
    add_call("t-3", "run_tests", {"suite": "unit"}, {"passed": 2}, services)
    add_call("t-3", "build", {"tag": "1.7"}, {"image": "p"}, services)
    add_call("t-3", "deploy", {"image": "p"}, {"ok": True}, services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    assert consolidate_all(services).grown == []

    end(task.id, services, OutcomeStatus.FAILURE)
    done = consolidate_all(services)

    payload = stored(trace_id, services).record.payload
    assert isinstance(payload, EpisodicPayload)
    assert payload.outcome is OutcomeStatus.FAILURE
    assert len(done.grown) == 1
    assert consolidate_all(services).grown == []
