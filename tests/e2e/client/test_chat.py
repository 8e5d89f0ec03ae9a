"""Conversations of the client with a running service whose model is a script."""

from collections.abc import Iterator

import pytest

from membrane_client import APIError, Membrane, Route
from tests.e2e.stack import dev


@pytest.fixture(scope="module")
def talker() -> Iterator[Membrane]:
    with (
        dev("--parameter", "ChatModel=scripted") as stack,
        Membrane(stack.url, stack.secret) as client,
    ):
        yield client


def test_a_fact_of_a_conversation_is_known_to_the_next_conversation(talker: Membrane) -> None:
    kept = talker.chat("Ada likes tea", intent_override="ingest")
    answer = talker.chat([{"role": "user", "content": "What does Ada like?"}])

    assert kept.tool_log
    assert answer.intent == Route.QUERY
    assert "tea" in answer.reply


def test_the_steps_of_a_stream_end_with_the_reply(talker: Membrane) -> None:
    frames = [*talker.chat_stream("/memory_list_topics {}")]

    assert [each.type for each in frames[:3]] == ["intent", "llm_round", "tool_start"]
    assert frames[-1].end is not None
    assert [each.tool for each in frames[-1].end.tool_log] == ["memory_list_topics"]


def test_messages_without_a_question_are_refused_in_both_ways(talker: Membrane) -> None:
    with pytest.raises(APIError, match="user message") as refused:
        talker.chat([])
    with pytest.raises(type(refused.value), match="user message"):
        list(talker.chat_stream([]))
