"""Dialogues with a model of Bedrock's: one Converse request for each question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from membrane.adapters.models.bedrock_chat import BedrockChat
from membrane.domain.chat.turns import (
    Answer,
    ModelTurn,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    UserTurn,
)
from membrane.domain.language.errors import Unavailable
from membrane.domain.model_failures import BusyModel, GarbledAnswer, NotAsked
from tests.builders.traces import SCHEMA, question, used_tool
from tests.worlds.stubbed_bedrock import StubbedBedrock

if TYPE_CHECKING:
    from membrane.usecases.ports.models import ChatModel

MODEL = "eu.some.model-v1:0"


@pytest.fixture
def bedrock() -> Iterator[StubbedBedrock]:
    bedrock = StubbedBedrock()
    with bedrock.stub:
        yield bedrock
        bedrock.stub.assert_no_pending_responses()


def ask(bedrock: StubbedBedrock, asked: Question | None = None, timeout_s: float = 60) -> Answer:
    model: ChatModel = BedrockChat(lambda _timeout_s: bedrock.client, MODEL)
    return model.answer(asked or question(), timeout_s)


def messages(bedrock: StubbedBedrock, asked: Question) -> Any:
    """The messages that a question becomes."""
    bedrock.answers({"text": "ok"})
    ask(bedrock, asked)
    return bedrock.requests[-1]["messages"]


def use(arguments: Any, call_id: str = "t-1") -> dict[str, Any]:
    """A use of the tool, as Converse writes the use."""
    return {"toolUse": {"toolUseId": call_id, "name": "read", "input": arguments}}


def result(content: str = '{"found": 1}') -> dict[str, Any]:
    """The result of the use, as Converse reads the result."""
    blocks = [{"text": content}] if content else []
    return {"toolResult": {"toolUseId": "t-1", "content": blocks}}


def test_the_model_is_known_by_its_id() -> None:
    model: ChatModel = BedrockChat(lambda _timeout_s: pytest.fail("a client was made"), MODEL)

    assert (model.provider, model.name) == ("bedrock", MODEL)


def test_one_request_has_the_rules_the_dialogue_the_tools_and_the_limits(
    bedrock: StubbedBedrock,
) -> None:
    bedrock.answers({"text": "Tea."})

    ask(bedrock, question(max_tokens=500, temperature=0.0))

    assert bedrock.requests == [
        {
            "modelId": MODEL,
            "system": [{"text": "rules"}],
            "messages": [{"role": "user", "content": [{"text": "What do I like?"}]}],
            "inferenceConfig": {"maxTokens": 500, "temperature": 0.0},
            "toolConfig": {
                "tools": [
                    {
                        "toolSpec": {
                            "name": "read",
                            "description": "Reads a topic.",
                            "inputSchema": {"json": SCHEMA},
                        }
                    }
                ],
            },
        }
    ]


def test_a_question_may_demand_a_call(bedrock: StubbedBedrock) -> None:
    bedrock.answers(use({}))

    ask(bedrock, question(must_call=True))

    assert bedrock.requests[0]["toolConfig"]["toolChoice"] == {"any": {}}


def test_a_question_without_tools_and_rules_sends_neither(bedrock: StubbedBedrock) -> None:
    bedrock.answers({"text": "Tea."})

    ask(bedrock, question(system="", tools=(), must_call=True))

    assert bedrock.requests[0].keys() == {"modelId", "messages", "inferenceConfig"}


def test_calls_and_their_results_are_blocks_of_alternating_messages(
    bedrock: StubbedBedrock,
) -> None:
    asked = question(UserTurn("Hi"), *used_tool({"key": "tea"}, "I will look."))

    assert messages(bedrock, asked) == [
        {"role": "user", "content": [{"text": "Hi"}]},
        {"role": "assistant", "content": [{"text": "I will look."}, use({"key": "tea"})]},
        {"role": "user", "content": [result()]},
    ]


def test_all_results_of_a_turn_are_in_one_message(bedrock: StubbedBedrock) -> None:
    calls = [ToolCall("t-1", "read", {}), ToolCall("t-2", "read", {})]
    results = ResultsTurn([ToolResult("t-1", "1"), ToolResult("t-2", "2")])

    _, model, answered = messages(bedrock, question(UserTurn("Hi"), ModelTurn("", calls), results))

    assert model["content"] == [use({}, "t-1"), use({}, "t-2")]
    assert [block["toolResult"]["toolUseId"] for block in answered["content"]] == ["t-1", "t-2"]


def test_neighbouring_messages_of_the_user_become_one_message(bedrock: StubbedBedrock) -> None:
    asked = question(UserTurn("Hi"), *used_tool({}), UserTurn("Quick!"), UserTurn("Now!"))

    *_, last = messages(bedrock, asked)

    assert last == {
        "role": "user",
        "content": [result(), {"text": "Quick!"}, {"text": "Now!"}],
    }


def test_no_block_is_blank(bedrock: StubbedBedrock) -> None:
    call = ModelTurn(" \n", [ToolCall("t-1", "read", {})])
    nothing = ResultsTurn([ToolResult("t-1", "")])

    _, model, answered = messages(bedrock, question(UserTurn("Hi"), call, nothing))

    assert model["content"] == [use({})]
    assert answered["content"] == [result(content="")]


def test_a_turn_without_content_is_no_message(bedrock: StubbedBedrock) -> None:
    asked = question(UserTurn("Hi"), ModelTurn(""), UserTurn("Are you there?"))

    assert messages(bedrock, asked) == [
        {"role": "user", "content": [{"text": "Hi"}, {"text": "Are you there?"}]}
    ]


def test_unreadable_arguments_of_an_earlier_call_are_repeated_as_an_empty_object(
    bedrock: StubbedBedrock,
) -> None:
    _, model, _ = messages(bedrock, question(UserTurn("Hi"), *used_tool('{"key": ')))

    assert model["content"] == [use({})]


def test_an_answer_has_the_text_the_calls_and_the_tokens(bedrock: StubbedBedrock) -> None:
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm."}}}
    bedrock.answers(thought, {"text": "I will"}, {"text": "look."}, use({"key": "tea"}))

    answer = ask(bedrock)

    calls = (ToolCall("t-1", "read", {"key": "tea"}),)
    assert answer == Answer("I will\nlook.", calls, 1_000, MODEL)


def test_an_empty_answer_is_an_answer(bedrock: StubbedBedrock) -> None:
    bedrock.answers()

    assert ask(bedrock) == Answer("", (), 1_000, MODEL)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"key": "\ud800"}, '{"key": "\\ud800"}'), ({"key": float("inf")}, '{"key": Infinity}')],
)
def test_arguments_that_are_no_strict_json_remain_a_text(
    bedrock: StubbedBedrock, arguments: Any, text: str
) -> None:
    bedrock.answers(use(arguments))

    (call,) = ask(bedrock).calls

    assert call.arguments == text


@pytest.mark.parametrize(
    "reason",
    [
        "max_tokens",
        "model_context_window_exceeded",
        "malformed_tool_use",
        "malformed_model_output",
    ],
)
def test_a_call_that_breaks_off_or_cannot_be_read_is_garbled(
    bedrock: StubbedBedrock, reason: str
) -> None:
    bedrock.answers({"text": "I will look."}, use({}), reason=reason)

    with pytest.raises(GarbledAnswer, match=f"the chat model .*{reason}"):
        ask(bedrock)


def test_a_malformed_answer_without_a_call_is_garbled(bedrock: StubbedBedrock) -> None:
    bedrock.answers(reason="malformed_tool_use")

    with pytest.raises(GarbledAnswer):
        ask(bedrock)


@pytest.mark.parametrize("reason", ["max_tokens", "stop_sequence"])
def test_a_text_that_breaks_off_is_the_answer(bedrock: StubbedBedrock, reason: str) -> None:
    bedrock.answers({"text": "You like"}, reason=reason)

    assert ask(bedrock).text == "You like"


@pytest.mark.parametrize("reason", ["guardrail_intervened", "content_filtered"])
def test_a_filtered_answer_is_the_text_that_came_and_calls_nothing(
    bedrock: StubbedBedrock, reason: str
) -> None:
    bedrock.answers({"text": "I must not say."}, use({}), reason=reason)

    assert ask(bedrock) == Answer("I must not say.", (), 1_000, MODEL)


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, BusyModel),
        ("ServiceQuotaExceededException", 400, BusyModel),
        ("ModelNotReadyException", 429, NotAsked),
        ("ModelTimeoutException", 408, Unavailable),
        ("InternalServerException", 500, Unavailable),
        ("ServiceUnavailableException", 503, Unavailable),
        ("ModelErrorException", 424, Unavailable),
        ("AccessDeniedException", 403, NotAsked),
        ("ValidationException", 400, NotAsked),
        ("ResourceNotFoundException", 404, NotAsked),
    ],
)
def test_a_refusal_says_whether_the_model_is_busy_and_may_have_taken_tokens(
    bedrock: StubbedBedrock, code: str, status: int, error: type[Exception]
) -> None:
    bedrock.refuses(code, status)

    with pytest.raises(error, match="the chat model") as caught:
        ask(bedrock)

    assert type(caught.value) is error
    assert code in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("headers", "retry_after_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0),
        ({}, 0),
    ],
)
def test_a_busy_model_may_say_how_long_to_wait(
    bedrock: StubbedBedrock, headers: dict[str, str], retry_after_s: int
) -> None:
    bedrock.refuses("ThrottlingException", 429, headers)

    with pytest.raises(BusyModel) as caught:
        ask(bedrock)

    assert caught.value.retry_after_s == retry_after_s


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (EndpointConnectionError(endpoint_url="https://bedrock"), NotAsked),
        (ConnectTimeoutError(endpoint_url="https://bedrock"), NotAsked),
        (NoCredentialsError(), NotAsked),
        (ReadTimeoutError(endpoint_url="https://bedrock"), Unavailable),
        (ConnectionClosedError(endpoint_url="https://bedrock"), Unavailable),
    ],
)
def test_a_model_out_of_reach_took_no_tokens_and_a_silent_model_may_have(
    failure: Exception, error: type[Exception]
) -> None:
    def fail(_timeout_s: float) -> Any:
        raise failure

    with pytest.raises(Unavailable) as caught:
        BedrockChat(fail, MODEL).answer(question(), 60)

    assert type(caught.value) is error


@pytest.mark.parametrize("timeout_s", [0, -1.5])
def test_without_time_left_the_model_is_not_asked(
    bedrock: StubbedBedrock, timeout_s: float
) -> None:
    with pytest.raises(NotAsked, match="no time is left"):
        ask(bedrock, timeout_s=timeout_s)

    assert not bedrock.requests
