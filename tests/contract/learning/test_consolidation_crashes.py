"""Consolidation that breaks off, meets itself, or meets deletions, at any call of the store."""

from collections.abc import Callable, Sequence

import pytest
from botocore.exceptions import ReadTimeoutError

from membrane.domain.language.errors import Aborted, Unavailable
from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import facts_derived_by
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_release, triple
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, observation
from tests.worlds.capture_stage import Act, CaptureStage
from tests.worlds.captures import alive, of_type
from tests.worlds.depth import cases, steps
from tests.worlds.endings import amid
from tests.worlds.every_call import MOST_STEPS, disturbed
from tests.worlds.faults import ADDRESS, Killed, Moment, die
from tests.worlds.learned import LearnedState, learned_in
from tests.worlds.revision import CONTESTED, held_in, revising
from tests.worlds.stores import Store

STATED = triple("pump", 2, "holds")
FIGURES = (2, 1)
"""Successes and failures of the only skill in the end."""


def prepare(services: Services, table: Store) -> Sequence[Act]:
    """Three releases, one of which failed, and a thread like no other, whose result is a fact."""
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services, OutcomeStatus.FAILURE)
    add_release("t-3", "1.4", services)
    add_call("t-4", "pump", {"litres": 2}, STATED, services, status="success")
    table.clock.advance(hours=1)
    return [lambda: consolidate_all(services)]


def state_of(stage: CaptureStage) -> LearnedState:
    return learned_in(held_in(stage.table))


def time_out() -> None:
    raise ReadTimeoutError(endpoint_url=ADDRESS)


@pytest.mark.parametrize("breaking", cases([die, time_out], [die]))
def test_a_run_broken_off_at_any_call_is_completed_by_the_next_run(
    breaking: Callable[[], None],
) -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts

    endings = (Killed, Unavailable, ReadTimeoutError)
    for step in disturbed(stage, act, breaking, *endings, least=10):
        state_of(stage)

        act()

        require_complete(state_of(stage))
        before = stage.table.everything()
        act()
        assert stage.table.everything() == before, f"a third run wrote after step {step}"


def test_two_runs_at_once_count_everything_once() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts
    other = revising(stage.table)

    for _ in disturbed(stage, act, lambda: consolidate_all(other), Aborted, least=10):
        act()

        require_complete(state_of(stage))


def prepare_facts(services: Services, table: Store) -> Sequence[Act]:
    """A thread whose result states a known fact, two new ones, and one that contests the other."""
    known = observation(subject="pump", predicate="likes", object="oil", scope="team")
    ingest(known, call(known), services)
    stated = [
        triple("pump", "oil", "likes"),
        triple("pump", "water", "likes"),
        STATED,
        triple("pump", "left", CONTESTED),
        triple("pump", "right", CONTESTED),
    ]
    add_call("t-1", "pump", {"litres": 2}, stated, services, status="success")
    table.clock.advance(hours=1)
    return [lambda: consolidate_all(services)]


def facts_in(stage: CaptureStage) -> Sequence[tuple[object, ...]]:
    """Object, version, pieces of evidence and status of each fact; a trace is evidence linked."""
    held = held_in(stage.table)
    facts = of_type(held, MemoryType.SEMANTIC)
    links = {
        (each.id, to) for each in alive(held) for to in facts_derived_by(each.record.relations)
    }
    found = list[tuple[object, ...]]()
    for each in facts:
        payload = each.record.payload
        assert isinstance(payload, SemanticPayload)
        status = payload.revision.status if payload.revision else None
        by_traces = {ref.source_id for ref in payload.evidence if ref.source_id in held}
        assert by_traces == {source for source, to in links if to == each.id}
        found.append((payload.object, each.version, len(payload.evidence), status))
    return sorted(found, key=repr)


@pytest.mark.parametrize("breaking", cases([die, time_out], [time_out]))
def test_facts_of_a_run_broken_off_at_any_call_count_once(breaking: Callable[[], None]) -> None:
    stage = CaptureStage.of(prepare_facts)
    (act,) = stage.acts
    stage.begin()
    act()
    whole = facts_in(stage)
    assert len(whole) == 5

    for step in disturbed(stage, act, breaking, Killed, Unavailable, ReadTimeoutError, least=10):
        act()

        assert facts_in(stage) == whole, f"broken off at step {step}"


def test_facts_of_two_runs_at_once_count_once() -> None:
    stage = CaptureStage.of(prepare_facts)
    (act,) = stage.acts
    other = revising(stage.table)
    stage.begin()
    act()
    whole = facts_in(stage)

    for step in disturbed(stage, act, lambda: consolidate_all(other), Aborted, least=10):
        act()

        assert facts_in(stage) == whole, f"disturbed at step {step}"


@pytest.mark.parametrize("erase", [False, True])
def test_a_step_deleted_meanwhile_leaves_neither_its_trace_nor_a_use(*, erase: bool) -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts
    services = revising(stage.table)
    step_id = next(iter(step_ids(stage, "t-1")))

    def delete() -> None:
        change(DeleteRecord(id=step_id, erase=erase, rationale="law"), services)

    for step in steps():
        stage.begin()
        moment = Moment(step, delete)
        with amid(stage.table, moment):
            act()
        if not moment.has_come:
            break
        act()

        after = state_of(stage)
        assert all(step_id not in found for found in after.traces.values())
        assert not after.waiting_steps
        assert not after.skills, f"a single success is left after step {step}"
    assert 10 < step < MOST_STEPS


def test_a_sweep_meanwhile_prunes_steps_and_brings_nothing_back() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts

    def sweep() -> None:
        stage.table.clock.advance(days=2)
        assert not sweep_due(revising(stage.table), lambda: False).failures

    for step in steps():
        stage.begin()
        now = stage.table.clock.now
        moment = Moment(step, sweep)
        with amid(stage.table, moment):
            act()
        act()
        state_of(stage)
        stage.table.clock.now = now
        if not moment.has_come:
            break
    assert 10 < step < MOST_STEPS


def require_complete(state: LearnedState) -> None:
    assert not state.waiting_steps
    assert not state.waiting_traces
    assert len(state.traces) == 4
    assert [*state.skills.values()] == [FIGURES]


def step_ids(stage: CaptureStage, thread: str) -> Sequence[str]:
    return [
        held.id
        for held in alive(held_in(stage.table))
        if getattr(held.record.payload, "thread_id", "") == thread
    ]
