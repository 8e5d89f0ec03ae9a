"""How much of planted skills and plans is found among noise."""

from collections.abc import Iterator, Sequence
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.plans import new_plan
from membrane.domain.learning.skills import new_skill
from tests.builders.planted_traces import (
    PLANS,
    SKILLS,
    TRACES,
    Planting,
    Score,
    learned,
    plan_score,
    planted,
    skill_score,
)

HELD_BACK = range(100, 108)
"""Plantings from which nothing was chosen; the thresholds are from the plantings 0 to 19."""

GOAL = 0.9


def scores(plantings: Sequence[Planting], lot: int) -> Iterator[tuple[Score, Score]]:
    """The scores of the skills and of the plans that are learned in lots."""
    for planting in plantings:
        found = learned(planting.evidence, lot=lot)
        yield skill_score(found.skills, planting), plan_score(found.plans, planting)


def lowest_mean(found: Sequence[Score]) -> float:
    return min(mean(each.precision for each in found), mean(each.recall for each in found))


@pytest.mark.parametrize("lot", [TRACES, 10], ids=["at once", "in lots of ten"])
def test_nine_in_ten_are_found_and_nine_in_ten_found_ones_were_planted(lot: int) -> None:
    skills, plans = zip(*scores([planted(seed) for seed in HELD_BACK], lot), strict=True)

    assert lowest_mean(skills) >= GOAL
    assert lowest_mean(plans) >= GOAL


@given(st.integers(min_value=1_000))
@settings(max_examples=5)
def test_hardly_a_planted_skill_is_missed_whatever_the_seed(seed: int) -> None:
    """A single planting has only six skills and three plans: one error in each is 5/6 and 2/3."""
    ((skills, plans),) = scores([planted(seed)], TRACES)

    assert skills.recall >= 4 / SKILLS
    assert plans.recall >= 2 / PLANS


def test_a_planting_is_drawn_from_its_seed() -> None:
    planting = planted(1)

    assert planting == planted(1)
    assert planting.evidence != planted(2).evidence
    assert (len(planting.evidence), len(planting.skills)) == (TRACES, SKILLS)
    assert len(planting.plans) == PLANS


def test_a_skill_that_was_not_planted_counts_against_the_precision() -> None:
    planting = planted(1)
    planting.skills.clear()

    assert skill_score(learned(planting.evidence).skills, planting) == Score(0.0, 1.0)


def test_learning_again_from_a_group_gives_the_same() -> None:
    groups = groups_of(planted(1).evidence)

    for group in groups:
        assert new_skill(group) == new_skill(group[::-1])
        assert new_plan(group) == new_plan(group[::-1])
