"""The planted skills and plans of an agent's tasks are learned, in one run or as tasks end."""

from collections.abc import Callable, Sequence
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.states import is_retracted
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from tests.builders.planted_traces import (
    PLANS,
    SKILLS,
    TRACES,
    Planting,
    Score,
    plan_score,
    planted,
    skill_score,
)
from tests.builders.replays import replay
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services
from tests.worlds.captures import alive
from tests.worlds.learned import learned_in

HELD_BACK = range(300, 306)
"""Seeds of which nothing was chosen."""

GOAL = 0.9


class World:
    """A store of its own, with an agent's tasks."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.records = FakeRecords(self.clock)
        self.services = make_services(records=self.records, now=self.clock)

    def scores(self, planting: Planting) -> tuple[Score, Score]:
        """The scores of the skills and of the plans in the store."""
        held = self.services.records.load_all([*self.records.places])
        learned_in(held)
        payloads = [
            each.record.payload for each in alive(held) if not is_retracted(each.record.payload)
        ]
        skills = [each for each in payloads if isinstance(each, CompetencePayload)]
        plans = [each for each in payloads if isinstance(each, PlanGraphPayload)]
        return skill_score(skills, planting), plan_score(plans, planting)


def learn_at_once(planting: Planting) -> World:
    world = World()
    for each in planting.evidence:
        replay(each, world.services, world.clock)
    world.clock.advance(hours=1)
    done = consolidate_all(world.services)
    assert not done.failed
    assert len(done.traces) == TRACES
    return world


def learn_as_tasks_end(planting: Planting) -> World:
    """Consolidate every thread when the outcome comes, and the scope once every 20 threads."""
    world = World()
    for number, each in enumerate(planting.evidence, 1):
        replay(each, world.services, world.clock)
        assert not consolidate_thread("team", each.record_id, world.services).failed
        if number % 20 == 0:
            world.clock.advance(hours=1)
            assert not consolidate_all(world.services).failed
    return world


def lowest_mean(found: Sequence[Score]) -> float:
    return min(mean(each.precision for each in found), mean(each.recall for each in found))


@pytest.mark.parametrize("learn", [learn_at_once, learn_as_tasks_end])
def test_nine_in_ten_are_found_and_nine_in_ten_found_ones_were_planted(
    learn: Callable[[Planting], World],
) -> None:
    plantings = [planted(seed) for seed in HELD_BACK]

    skills, plans = zip(*(learn(each).scores(each) for each in plantings), strict=True)

    assert lowest_mean(skills) >= GOAL
    assert lowest_mean(plans) >= GOAL


@given(st.integers(min_value=1_000))
@settings(max_examples=3, deadline=None)
def test_two_more_runs_write_nothing_whatever_the_seed(seed: int) -> None:
    planting = planted(seed)
    world = learn_at_once(planting)
    skills, plans = world.scores(planting)
    before = world.records.everything()

    for _ in range(2):
        world.clock.advance(days=0.01)
        done = consolidate_all(world.services)
        assert [*done.traces, *done.skills, *done.grown, *done.unmatched] == []

    assert world.records.everything() == before
    assert skills.recall >= 4 / SKILLS
    assert plans.recall >= 2 / PLANS
