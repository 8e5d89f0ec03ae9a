"""The tool `forget`: by id, at most ten, restorably, and each memory by itself."""

import pytest

from membrane.domain.language.errors import InvalidArgument
from tests.worlds.tools import Agent


def test_a_forgotten_memory_can_be_restored_and_the_answer_says_how(agent: Agent) -> None:
    tea = agent.remember("Alice prefers tea")

    answer = agent.call("forget", ids=[tea], why="she asked")

    restore = (
        "POST /v1/records/{id}/restore until 2026-03-31T09:00:00.25Z, with a key that has the "
        "permission admin"
    )
    assert answer.reply == {"forgotten": [tea], "restore": restore}
    assert answer.text == f"Forgot 1 memory: {tea}\nTo restore: {restore}."
    assert agent.recalled("tea") == []
    held = agent.stored(tea)
    assert held.record.audit_log[-1].rationale == "she asked"


def test_a_memory_that_cannot_be_forgotten_does_not_keep_the_others(agent: Agent) -> None:
    tea = agent.remember("Alice prefers tea")

    answer = agent.call("forget", ids=["memory-1", tea])

    assert answer.reply["forgotten"] == [tea]
    assert answer.reply["failed"] == [{"id": "memory-1", "error": "record not found"}]
    assert not answer.is_error


def test_the_answer_is_an_error_if_nothing_was_forgotten(agent: Agent) -> None:
    answer = agent.call("forget", id="memory-1")

    assert answer.is_error
    assert answer.text == "Forgot no memories.\nNot forgotten: memory-1: record not found"


@pytest.mark.parametrize("ids", [[], ["a"] * 11, ["a b"], ["all memories of Alice"]])
def test_it_takes_one_to_ten_ids_and_no_words(agent: Agent, ids: list[str]) -> None:
    with pytest.raises(InvalidArgument, match="ids"):
        agent.call("forget", ids=ids)


def test_there_is_no_way_to_erase(agent: Agent) -> None:
    tea = agent.remember("Alice prefers tea")

    with pytest.raises(InvalidArgument, match="erase"):
        agent.call("forget", ids=[tea], erase=True)
