"""The tokens of a question, and the results that make room."""

import pytest

from membrane.domain.chat.room import MAX_QUESTION_TOKENS, SHORTENED, tokens_of, within_room
from membrane.domain.chat.turns import (
    ModelTurn,
    OfferedTool,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from membrane.domain.language.errors import TooLarge

LONG = "word " * (MAX_QUESTION_TOKENS // 2)


def called(text: str) -> list[Turn]:
    call = ToolCall("1", "recall", {"query": "x"})
    return [ModelTurn("", [call]), ResultsTurn([ToolResult("1", text)])]


def test_every_part_of_a_question_counts() -> None:
    question = Question("system", [UserTurn("hello")])
    tool = OfferedTool("recall", "Search memory.", {"type": "object"})

    assert tokens_of(question) > tokens_of(Question("", question.turns)) > 0
    assert tokens_of(question._replace(tools=[tool])) > tokens_of(question)
    assert tokens_of(question._replace(turns=[*question.turns, *called("abc")])) > tokens_of(
        question
    )


def test_a_question_with_room_stays() -> None:
    question = Question("system", [UserTurn("hello"), *called("short")])

    assert within_room(question) == question


def test_the_oldest_results_are_left_out_first_and_the_newest_stay() -> None:
    question = Question("", [UserTurn("hello"), *called(LONG), *called(LONG), *called(LONG)])

    shorter = within_room(question)

    texts = [each.results[0].text for each in shorter.turns if isinstance(each, ResultsTurn)]
    assert texts == [SHORTENED, SHORTENED, LONG]
    assert tokens_of(shorter) <= MAX_QUESTION_TOKENS


def test_long_arguments_of_older_calls_are_left_out_too() -> None:
    call = ToolCall("1", "remember", {"text": LONG})
    kept: list[Turn] = [ModelTurn("", [call]), ResultsTurn([ToolResult("1", "noted")])]

    shorter = within_room(Question("", [UserTurn("hello"), *kept, *kept, *kept]))

    assert [each.calls[0].arguments for each in shorter.turns if isinstance(each, ModelTurn)] == [
        {"note": SHORTENED},
        {"note": SHORTENED},
        {"text": LONG},
    ]


def test_newest_results_without_room_are_no_fault_of_the_messages() -> None:
    with pytest.raises(TooLarge, match="results of its tools") as refused:
        within_room(Question("", [UserTurn("hello"), *called(LONG + LONG + LONG)]))

    assert refused.value.violations == ()


def test_a_dialogue_that_is_too_long_by_itself_is_refused() -> None:
    with pytest.raises(TooLarge, match="lower intent_turns") as refused:
        within_room(Question("", [UserTurn(LONG), UserTurn(LONG), UserTurn(LONG)]))

    assert refused.value.violations[0].field == "messages"
