"""The question about the route, and the word in the answer."""

import pytest

from membrane.domain.chat.dialogue import Message, Role
from membrane.domain.chat.intent import question_of_route, route_in, transcript_of
from membrane.domain.chat.requests import Route
from membrane.domain.chat.turns import UserTurn


@pytest.mark.parametrize(
    ("answer", "route"),
    [
        ("query", Route.QUERY),
        ("INGEST.", Route.INGEST),
        ("I would say both", Route.BOTH),
        ("Ingest, not query", Route.INGEST),
        ("querying and ingestion", Route.BOTH),
        ("", Route.BOTH),
        ("I do not know", Route.BOTH),
    ],
)
def test_the_first_whole_word_counts_and_none_is_both(answer: str, route: Route) -> None:
    assert route_in(answer) is route


def test_the_transcript_names_the_speakers() -> None:
    dialogue = [Message(Role.USER, "hello"), Message(Role.ASSISTANT, "hi"), Message(Role.USER, "x")]

    assert transcript_of(dialogue) == "user: hello\n\nassistant: hi\n\nuser: x"


def test_a_long_message_is_cut_at_4000_characters() -> None:
    exact, long = Message(Role.USER, "x" * 4_000), Message(Role.USER, "y" * 4_001)

    assert transcript_of([exact]) == "user: " + "x" * 4_000
    assert transcript_of([long]) == "user: " + "y" * 4_000 + "…"


def test_the_last_8000_characters_of_a_long_transcript_count() -> None:
    dialogue = [Message(Role.USER, letter * 3_990) for letter in "abc"]

    transcript = transcript_of(dialogue)

    assert len(transcript) == 8_001
    assert transcript.startswith("…a")
    assert transcript.endswith("c" * 3_990)


def test_the_question_has_no_tools_and_temperature_0() -> None:
    question = question_of_route([Message(Role.USER, "hello")])

    assert question.turns == [UserTurn("user: hello")]
    assert (question.tools, question.temperature) == ((), 0.0)
