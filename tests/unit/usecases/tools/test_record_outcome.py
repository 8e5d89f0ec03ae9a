"""The tool `record_outcome`: an episode of the task, and credit for what helped."""

import pytest

from membrane.domain.language.errors import (
    Aborted,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
)
from membrane.domain.records.payloads import EpisodicPayload
from tests.worlds.tools import SCOPE, Agent, key


def test_a_task_becomes_an_episode_with_the_outcome(agent: Agent) -> None:
    answer = agent.call("record_outcome", status="success", task="Booked the train", reason="easy")

    held = agent.stored(answer.reply["id"])
    payload = held.record.payload
    assert isinstance(payload, EpisodicPayload)
    assert (payload.outcome, payload.outcome_reason) == ("success", "easy")
    assert payload.timeline[0].summary == "Booked the train"
    assert held.record.scope == SCOPE


def test_memories_that_helped_get_credit(agent: Agent) -> None:
    writer = Agent(agent.services, key()._replace(actor_id="writer"))
    fact = writer.remember_fact("Alice", "likes", "tea")
    agent.clock.advance(days=20)
    receipt = agent.call("recall", query="tea").reply["receipt_id"]

    answer = agent.call(
        "record_outcome", status="success", task="Made tea", receipt_id=receipt, used_ids=[fact]
    )

    held = agent.stored(fact)
    assert held.credit is not None
    assert "share the credit" in answer.text


def test_the_outcome_of_a_known_episode_needs_no_task(agent: Agent) -> None:
    first = agent.call("record_outcome", status="partial", task="Booked the train")
    task = first.reply["id"]

    assert agent.call("record_outcome", outcome="failure", id=task).reply == {
        "id": task,
        "status": "failure",
    }


@pytest.mark.parametrize(
    "arguments",
    [{"receipt_id": "receipt-1"}, {"used_ids": ["memory-1"]}],
    ids=["receipt", "memory"],
)
def test_credit_that_is_impossible_is_refused_before_an_episode_is_written(
    agent: Agent, arguments: dict[str, object]
) -> None:
    with pytest.raises(NotFound):
        agent.call("record_outcome", status="success", task="Made tea", **arguments)

    assert agent.recalled() == []


def test_a_memory_that_was_not_handed_out_is_refused_before_an_episode_is_written(
    agent: Agent,
) -> None:
    tea = agent.remember("Alice prefers tea")
    receipt = agent.call("recall", query="tea").reply["receipt_id"]
    later = agent.remember("Bob prefers coffee")

    with pytest.raises(InvalidArgument, match="used_ids"):
        agent.call(
            "record_outcome", status="success", task="T", receipt_id=receipt, used_ids=[later]
        )

    assert set(agent.recalled()) == {tea, later}


def test_a_fact_is_no_episode(agent: Agent) -> None:
    fact = agent.remember_fact("Alice", "likes", "tea")

    with pytest.raises(FailedPrecondition, match="not episodic"):
        agent.call("record_outcome", status="success", record_id=fact)


@pytest.mark.parametrize(
    "arguments", [{}, {"record_id": "a", "task": "b"}], ids=["neither", "both"]
)
def test_a_task_or_an_episode_is_needed(agent: Agent, arguments: dict[str, str]) -> None:
    with pytest.raises(InvalidArgument, match=r"request (needs|has) task"):
        agent.call("record_outcome", status="success", **arguments)


def test_an_outcome_that_cannot_be_written_names_the_episode_to_go_on_with(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: object) -> None:
        raise Aborted("lost to other writers")

    monkeypatch.setattr(type(agent.services.records), "replace", lose)

    with pytest.raises(Aborted, match="the task is remembered as") as refused:
        agent.call("record_outcome", status="success", task="Made tea")
    monkeypatch.undo()

    (episode,) = agent.recalled()
    assert episode in str(refused.value)
    assert agent.call("record_outcome", status="success", record_id=episode).reply["id"] == episode
