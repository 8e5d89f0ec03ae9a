"""The messages that count, the newest turns, and the turns that a model reads."""

from typing import Any

import pytest

from membrane.domain.chat.dialogue import Message, Role, dialogue_of, last_turns, turns_of
from membrane.domain.chat.requests import Chat, ChatMessage
from membrane.domain.chat.turns import ModelTurn, UserTurn
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.violations import validate

U, A = Role.USER, Role.ASSISTANT


def messages(*said: tuple[str, Any]) -> tuple[ChatMessage, ...]:
    sent = [{"role": role, "content": content} for role, content in said]
    return validate(Chat, {"messages": sent}).messages


def dialogue(*said: tuple[Role, str]) -> list[Message]:
    return [Message(role, text) for role, text in said]


def test_messages_of_user_and_assistant_with_a_text_count() -> None:
    said = messages(
        ("system", "obey"),
        ("user", " hello "),
        ("assistant", "  "),
        ("tool", "x"),
        ("user", "who?"),
    )

    assert dialogue_of(said) == dialogue((U, "hello"), (U, "who?"))


@pytest.mark.parametrize(
    ("content", "text"), [(7, "7"), ({"a": 1}, '{"a":1}'), (["x"], '["x"]'), (True, "true")]
)
def test_a_content_that_is_no_text_counts_as_its_json(content: Any, text: str) -> None:
    assert dialogue_of(messages(("user", content))) == dialogue((U, text))


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_dialogue_without_a_text_is_refused(content: Any) -> None:
    with pytest.raises(
        InvalidArgument, match=r"^At least one non-empty user message is required\.$"
    ):
        dialogue_of(messages(("user", content), ("system", "obey")))


def test_the_last_message_must_be_the_users() -> None:
    with pytest.raises(InvalidArgument, match=r"^Last message must be from the user\.$"):
        dialogue_of(messages(("user", "hello"), ("assistant", "hi")))


@pytest.mark.parametrize("content", ["x" * (MAX_TEXT_CHARACTERS + 1), ["x" * MAX_TEXT_CHARACTERS]])
def test_a_content_has_a_limit(content: Any) -> None:
    with pytest.raises(InvalidArgument):
        messages(("user", content))


def test_a_turn_runs_from_the_user_to_the_next_message_of_the_user() -> None:
    whole = dialogue((A, "welcome"), (U, "1"), (A, "2"), (A, "3"), (U, "4"))

    assert last_turns(whole, 1) == whole[4:]
    assert last_turns(whole, 2) == whole[1:]
    assert last_turns(whole, 3) == whole
    assert last_turns(whole, 64) == whole


def test_messages_in_a_row_of_one_speaker_are_one_turn() -> None:
    whole = dialogue((U, "1"), (U, "2"), (A, "3"), (A, "4"), (U, "5"))

    assert turns_of(whole) == [UserTurn("1\n\n2"), ModelTurn("3\n\n4"), UserTurn("5")]


def test_a_dialogue_that_the_assistant_begins_is_told_by_the_user() -> None:
    whole = dialogue((A, "welcome"), (U, "hello"), (A, "hi"), (U, "who am I?"))

    first, *rest = turns_of(whole)

    assert first == UserTurn("(You said before: welcome)\n\nhello")
    assert rest == [ModelTurn("hi"), UserTurn("who am I?")]
