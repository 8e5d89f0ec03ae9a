"""Usefulness in answers: a part of the score and of the reply, for records with credit alone."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.search.score import Weights
from tests.worlds.credit import AGENT, RIVAL, CreditWorld
from tests.worlds.retrieval import ids, receipt_of

TASK: dict[str, Any] = {"task_descriptor": "what does the user like", "memory_types": ["semantic"]}


@pytest.fixture
def world() -> CreditWorld:
    """Two facts that suit a task alike."""
    world = CreditWorld()
    for record_id in ("ale", "tea"):
        world.fact(record_id, payload={"object": "drinks"})
    return world


def reweighted(world: CreditWorld, weight: float) -> None:
    weights = Weights(usefulness=weight, salience=0.0)
    world.memory.services = replace(world.memory.services, weights=weights)


@pytest.mark.parametrize(
    ("status", "order"), [("success", ["tea", "ale"]), ("failure", ["ale", "tea"])]
)
def test_a_useful_record_rises_and_a_useless_one_sinks(
    world: CreditWorld, status: str, order: list[str]
) -> None:
    reweighted(world, 0.2)
    for agent in (AGENT, RIVAL):
        world.episode = world.episode_of(agent)
        world.ends(status, agent, used_ids=["tea"])

    assert ids(world.memory.retrieve(**TASK)) == order


@pytest.mark.parametrize("weight", [0.0, 0.2, 1_000.0])
def test_the_weight_moves_nothing_in_a_store_without_credit(
    world: CreditWorld, weight: float
) -> None:
    before = world.memory.retrieve(**TASK)

    world.memory.services = replace(world.memory.services, weights=Weights(usefulness=weight))

    after = world.memory.retrieve(**TASK)
    assert after.scores == before.scores
    one, other = (receipt_of(each, world.memory).explained for each in (before, after))
    assert one == other


def test_a_score_stays_between_zero_and_one_under_any_weight(world: CreditWorld) -> None:
    for status, record_id in (("success", "tea"), ("failure", "ale")):
        world.ends(status, used_ids=[record_id])
    reweighted(world, 1_000.0)

    answer = world.memory.retrieve(**TASK)

    assert answer.scores is not None
    assert 0.0 == answer.scores["ale"] < answer.scores["tea"] <= 1.0


def test_the_receipt_explains_the_part(world: CreditWorld) -> None:
    world.ends(used_ids=["tea"])

    explained = receipt_of(world.memory.retrieve(**TASK), world.memory).explained

    parts = {each.record_id: each.parts for each in explained}
    assert parts["tea"]["usefulness"] == pytest.approx(2 / 3, abs=1e-4)
    assert "usefulness" not in parts["ale"]


@pytest.mark.parametrize("view", ["full", "brief"])
def test_a_record_with_credit_shows_its_usefulness(world: CreditWorld, view: str) -> None:
    world.ends("failure", used_ids=["tea"])

    found = {each["id"]: each for each in world.memory.retrieve(**TASK, view=view).records}

    assert found["tea"]["usefulness"] == {
        "successes": 0.0,
        "failures": 1.0,
        "used": 1,
        "last_used_at": "2026-03-01T09:00:00.25Z",
        "mean": pytest.approx(1 / 3, abs=1e-6),
        "width": pytest.approx((1 / 18) ** 0.5, abs=1e-6),
    }
    assert "usefulness" not in found["ale"]


def test_a_past_state_has_no_usefulness(world: CreditWorld) -> None:
    before = world.memory.clock()
    world.memory.clock.advance(hours=1)
    world.ends(used_ids=["tea"])

    asked: dict[str, Any] = {"subject": "user", "predicate": "likes", "as_of": rfc3339(before)}
    past = world.memory.retrieve(memory_types=["semantic"], **asked)

    assert len(past.records) == 2
    assert all("usefulness" not in each for each in past.records)
