"""Consolidation across scopes that breaks off, or meets itself or an erasure, at any call."""

from collections.abc import Sequence

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import Aborted
from membrane.domain.language.vocabulary import OutcomeStatus, Permission
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.wiring.world import World
from tests.builders.requests import change
from tests.builders.traces import add_release
from tests.worlds.captures import Act, CaptureStage, alive
from tests.worlds.depth import steps
from tests.worlds.endings import amid
from tests.worlds.every_call import MOST_STEPS, disturbed
from tests.worlds.faults import Killed, Moment, die
from tests.worlds.learned import LearnedState, learned_in
from tests.worlds.revision import held_in, revising
from tests.worlds.stores import Store

FIGURES = (2, 1)
"""Successes and failures of the only skill in the end."""

OWNER_OF_A = principal_of("owner-of-a", Permission, ["a"], "hyper")


def crossing(services: World) -> World:
    return services.but(learning_policy=LearningPolicy(crosses_scopes=True))


def state_of(stage: CaptureStage) -> LearnedState:
    return learned_in(held_in(stage.table))


def step_ids(stage: CaptureStage, thread: str) -> Sequence[str]:
    return [
        held.id
        for held in alive(held_in(stage.table))
        if getattr(held.record.payload, "thread_id", "") == thread
    ]


def prepare(services: World, table: Store) -> Sequence[Act]:
    """A release in each of three scopes, the last of which failed."""
    add_release("t-1", "1.2", services, scope="a")
    add_release("t-2", "1.3", services, scope="b")
    add_release("t-3", "1.4", services, OutcomeStatus.FAILURE, scope="c")
    table.clock.advance(hours=1)
    return [lambda: consolidate_all(crossing(services))]


def require_complete(state: LearnedState) -> None:
    assert not state.waiting_steps
    assert not state.waiting_traces
    assert len(state.traces) == 3
    assert [*state.skills.values()] == [FIGURES]


def test_a_run_killed_at_any_call_is_completed_by_the_next_run() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts

    for _ in disturbed(stage, act, die, Killed, least=10):
        state_of(stage)

        act()

        require_complete(state_of(stage))


def test_two_runs_at_once_count_everything_once() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts
    other = crossing(revising(stage.table))

    for _ in disturbed(stage, act, lambda: consolidate_all(other), Aborted, least=10):
        act()

        require_complete(state_of(stage))


def test_a_step_that_its_owner_erases_meanwhile_leaves_no_use() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts
    services = revising(stage.table)
    step_id = next(iter(step_ids(stage, "t-1")))

    def erase() -> None:
        change(DeleteRecord(id=step_id, erase=True, rationale="law"), services, OWNER_OF_A)

    for step in steps():
        stage.begin()
        moment = Moment(step, erase)
        with amid(stage.table, moment):
            act()
        if not moment.has_come:
            break
        act()

        after = state_of(stage)
        assert all(step_id not in found for found in after.traces.values())
        assert not after.skills, f"a single success is left after step {step}"
    assert 10 < step < MOST_STEPS


def prepare_own_skill(services: World, table: Store) -> Sequence[Act]:
    """A skill of scope a, and a further release in each of two scopes."""
    for number in (1, 2, 3):
        add_release(f"t-{number}", f"1.{number}", services, scope="a")
        if number == 2:
            table.clock.advance(hours=1)
            consolidate_all(crossing(services))
    add_release("t-4", "1.4", services, scope="b")
    table.clock.advance(hours=1)
    return [lambda: consolidate_all(crossing(services))]


def test_a_skill_dismissed_meanwhile_keeps_the_traces_of_its_scope_back() -> None:
    stage = CaptureStage.of(prepare_own_skill)
    (act,) = stage.acts
    services = revising(stage.table)
    (skill_id,) = state_of(stage).skills

    def dismiss() -> None:
        change(DeleteRecord(id=skill_id, rationale="wrong"), services, OWNER_OF_A)

    for step in steps():
        stage.begin()
        moment = Moment(step, dismiss)
        with amid(stage.table, moment):
            act()
        if not moment.has_come:
            break
        act()

        after = state_of(stage)
        assert not after.waiting_traces
        assert set(after.skills) <= {skill_id}, f"a skill across scopes after step {step}"
