"""The tool `working_state`: saves with a state, reads without."""

import pytest

from membrane.domain.language.errors import InvalidArgument, NotFound, PermissionDenied
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from tests.worlds.tools import Agent, key


def test_a_saved_state_is_read_by_the_thread(agent: Agent) -> None:
    saved = agent.call(
        "working_state",
        thread_id="t1",
        state="executing",
        summary="Built the index",
        next_steps=["test it"],
        open_questions="which size?",
    )

    read = agent.call("working_state", thread="t1")

    assert read.reply == {
        **saved.reply,
        "context_summary": "Built the index",
        "next_actions": ["test it"],
        "open_questions": ["which size?"],
    }
    assert read.text.startswith('Searched scope "team:a". The last state is ')
    assert read.text.endswith(
        '{"state":"executing","when":"2026-03-01T09:00:00.25Z","context_summary":"Built the index",'
        '"next_actions":["test it"],"open_questions":["which size?"]}'
    )


def test_the_last_of_several_states_is_read(agent: Agent) -> None:
    agent.call("working_state", thread_id="t1", state="planning")
    agent.clock.advance(seconds=1)
    agent.call("working_state", thread_id="t1", state="done")

    assert agent.call("working_state", thread_id="t1").reply["state"] == "done"


def test_a_thread_without_a_state_is_not_found(agent: Agent) -> None:
    with pytest.raises(NotFound, match="thread not found"):
        agent.call("working_state", thread_id="t1")


def test_content_without_a_state_is_refused_and_not_read(agent: Agent) -> None:
    with pytest.raises(InvalidArgument, match="needs state to save a working state"):
        agent.call("working_state", thread_id="t1", summary="Built the index")


def test_a_long_state_stays_within_the_budget(agent: Agent) -> None:
    words = [f"{number} tea and cake" * 20 for number in range(100)]
    state = {"state": "waiting", "next_actions": words, "open_questions": words}
    agent.call("working_state", thread_id="t1", context_summary="tea " * 9_000, **state)

    answer = agent.call("working_state", thread_id="t1")

    assert tokens_in(answer.text) <= MAX_TEXT_TOKENS
    assert answer.reply["next_actions"][-1].endswith("more")


def test_reading_needs_read_and_saving_needs_ingest(agent: Agent) -> None:
    reader, writer = Agent(agent.services, key("read")), Agent(agent.services, key("ingest"))
    writer.call("working_state", thread_id="t1", state="done")

    assert reader.call("working_state", thread_id="t1").reply["state"] == "done"
    with pytest.raises(PermissionDenied, match="ingest is required"):
        reader.call("working_state", thread_id="t1", state="done")
    with pytest.raises(PermissionDenied, match="read is required"):
        writer.call("working_state", thread_id="t1")
