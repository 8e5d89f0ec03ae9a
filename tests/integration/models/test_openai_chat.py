"""Dialogues over HTTP: what is asked, and what the answers and errors of endpoints mean."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import Any

import pytest

from membrane.adapters.https import MAX_REPLY_BYTES, endpoint_at
from membrane.adapters.models.openai_chat import OpenAIChat
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
from membrane.usecases.ports.models import ChatModel
from tests.builders.traces import SCHEMA, question, used_tool
from tests.worlds.chat_endpoint import ChatEndpoint, chat_endpoint, in_turn, says, sends

SECRET = "sk-hidden"
PARTS = [{"type": "thinking"}, {"type": "text", "text": "Tea,"}, {"text": "mostly."}, "x"]
UPSTREAM = "the words of a server behind the endpoint"


@pytest.fixture
def chat() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        yield endpoint


def model_at(chat: ChatEndpoint, secret: str | None = SECRET) -> ChatModel:
    endpoint = endpoint_at(chat.url, allows_loopback=True)
    known = None if secret is None else (lambda: secret)
    return OpenAIChat(endpoint, "some-model", known, monotonic)


def ask(chat: ChatEndpoint, asked: Question | None = None, timeout_s: float = 20) -> Answer:
    return model_at(chat).answer(asked or question(), timeout_s)


def body_of(chat: ChatEndpoint, asked: Question) -> Any:
    """The request that a question becomes."""
    ask(chat, asked)
    return chat.requests[-1][2]


def calls(*found: Any) -> bytes:
    """A reply that calls tools."""
    message = {"role": "assistant", "content": None, "tool_calls": found}
    return json.dumps({"choices": [{"message": message}]}).encode()


def call(arguments: Any, **changes: Any) -> dict[str, Any]:
    """A call of the tool, as the endpoint writes the call."""
    function = {"name": "read", "arguments": arguments}
    return {"id": "t-1", "type": "function", "function": function, **changes}


def error(message: str = UPSTREAM, code: Any = None) -> bytes:
    """The body of a refusal."""
    return json.dumps({"error": {"message": message, "code": code}}).encode()


def test_one_request_has_the_rules_the_dialogue_the_tools_and_the_limits(
    chat: ChatEndpoint,
) -> None:
    ask(chat, question(max_tokens=500, temperature=0.0))

    ((path, headers, body),) = chat.requests
    assert path == "/v1/chat"
    assert headers["authorization"] == "Bearer sk-hidden"
    assert body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": "What do I like?"},
        ],
        "temperature": 0.0,
        "max_tokens": 500,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Reads a topic.",
                    "parameters": SCHEMA,
                },
            }
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
    }


def test_a_question_may_demand_a_call(chat: ChatEndpoint) -> None:
    assert body_of(chat, question(must_call=True))["tool_choice"] == "required"


def test_a_question_without_tools_and_rules_sends_neither(chat: ChatEndpoint) -> None:
    body = body_of(chat, question(system="", tools=(), must_call=True))

    assert body.keys() == {"model", "messages", "temperature", "max_tokens"}
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_without_a_secret_no_authorisation_is_sent(chat: ChatEndpoint) -> None:
    model_at(chat, secret=None).answer(question(), 20)

    assert "authorization" not in chat.requests[0][1]


def test_calls_are_messages_of_the_assistant_and_each_result_is_a_message_of_a_tool(
    chat: ChatEndpoint,
) -> None:
    made = [ToolCall("t-1", "read", {"key": "tea"}), ToolCall("t-2", "read", {})]
    results = [ToolResult("t-1", "1"), ToolResult("t-2", "no", is_error=True)]
    asked = question(
        UserTurn("Hi"), ModelTurn("I will look.", made), ResultsTurn(results), ModelTurn("Tea.")
    )

    assert body_of(chat, asked._replace(system=""))["messages"] == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": "I will look.",
            "tool_calls": [call('{"key":"tea"}'), call("{}", id="t-2")],
        },
        {"role": "tool", "tool_call_id": "t-1", "content": "1"},
        {"role": "tool", "tool_call_id": "t-2", "content": "no"},
        {"role": "assistant", "content": "Tea."},
    ]


def test_unreadable_arguments_of_an_earlier_call_are_repeated_as_an_empty_object(
    chat: ChatEndpoint,
) -> None:
    body = body_of(chat, question(UserTurn("Hi"), *used_tool('{"key": '), system=""))

    assert body["messages"][1]["tool_calls"] == [call("{}")]


def test_an_answer_has_the_text_the_calls_the_tokens_and_the_reported_model(
    chat: ChatEndpoint,
) -> None:
    message = {"content": "I will look.", "tool_calls": [call('{"key": "tea"}')]}
    reply = {
        "model": "some-model-0613",
        "choices": [{"message": message}, {"message": {"content": "second"}}],
        "usage": {"total_tokens": 100},
    }
    chat.answer = sends(json.dumps(reply).encode())

    answer = ask(chat)

    made = (ToolCall("t-1", "read", {"key": "tea"}),)
    assert answer == Answer("I will look.", made, 100, "some-model-0613")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Tea.", "Tea."),
        ("", ""),
        (None, ""),
        (PARTS, "Tea,\nmostly."),
    ],
)
def test_the_text_may_be_absent_or_in_parts(chat: ChatEndpoint, content: Any, text: str) -> None:
    chat.answer = says(content)

    assert ask(chat) == Answer(text, (), None, "some-model")


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 101}, 101),
        ({"prompt_tokens": 90, "completion_tokens": 10}, 100),
        ({"total_tokens": 0}, None),
        ({"total_tokens": "many"}, None),
        (None, None),
    ],
)
def test_tokens_are_as_counted_by_the_endpoint(
    chat: ChatEndpoint, usage: Any, tokens: int | None
) -> None:
    chat.answer = says("Tea.", usage)

    assert ask(chat).tokens == tokens


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"key": "tea"}', {"key": "tea"}),
        ({"key": "tea"}, {"key": "tea"}),
        ("", {}),
        (None, {}),
        ('{"key": ', '{"key": '),
        ('{"key": 1, "key": 2}', '{"key": 1, "key": 2}'),
        ('{"key": NaN}', '{"key": NaN}'),
        ("[1]", "[1]"),
        ([1], "[1]"),
    ],
)
def test_arguments_are_an_object_of_strict_json_or_remain_a_text(
    chat: ChatEndpoint, written: Any, arguments: Any
) -> None:
    chat.answer = sends(calls(call(written)))

    (made,) = ask(chat).calls

    assert made == ToolCall("t-1", "read", arguments)


def test_a_call_without_an_id_is_known_by_its_place(chat: ChatEndpoint) -> None:
    nameless = {"function": {"name": "read"}}
    chat.answer = sends(calls(call("{}", id=None), call("{}", id=""), call("{}"), nameless))

    assert [made.id for made in ask(chat).calls] == ["call_0", "call_1", "t-1", "call_3"]


@pytest.mark.parametrize(
    "wrong", ["read", {}, {"function": "read"}, {"function": {"name": ""}}, {"function": {}}]
)
def test_a_call_of_no_tool_is_garbled(chat: ChatEndpoint, wrong: Any) -> None:
    chat.answer = sends(calls(wrong))

    with pytest.raises(GarbledAnswer, match="without a name"):
        ask(chat)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hidden</html>",
        b"\xff",
        b"{}",
        b'{"choices": []}',
        b'{"choices": ["hidden"]}',
        b'{"choices": [{"message": "hidden"}]}',
        b'{"error": {"message": "hidden"}}',
    ],
)
def test_a_reply_without_a_choice_is_no_answer(chat: ChatEndpoint, body: bytes) -> None:
    chat.answer = sends(body)

    with pytest.raises(Unavailable) as caught:
        ask(chat)

    assert type(caught.value) is Unavailable
    assert str(caught.value) == "the endpoint of the chat model answered no choice"


def test_an_answer_of_more_than_a_mebibyte_is_not_read_to_the_end(chat: ChatEndpoint) -> None:
    chat.answer = sends(b" " * (MAX_REPLY_BYTES + 1))

    with pytest.raises(Unavailable, match="longer than 1 MiB"):
        ask(chat)


@pytest.mark.parametrize(
    ("status", "headers", "failure"),
    [
        (302, [("Location", "http://127.0.0.1/")], NotAsked),
        (400, [], NotAsked),
        (401, [], NotAsked),
        (404, [], NotAsked),
        (408, [], Unavailable),
        (413, [], NotAsked),
        (500, [], Unavailable),
        (503, [], Unavailable),
        (524, [], Unavailable),
    ],
)
def test_an_error_repeats_the_status_and_nothing_of_the_body(
    chat: ChatEndpoint, status: int, headers: Any, failure: type[Exception]
) -> None:
    chat.answer = sends(error(), status, headers)

    with pytest.raises(failure) as caught:
        ask(chat)

    assert type(caught.value) is failure
    assert str(caught.value) == f"the endpoint of the chat model answered {status}"
    assert len(chat.requests) == 1


RETRY_AFTER_7 = [("Retry-After", "7")]


@pytest.mark.parametrize(
    ("status", "headers", "body", "retry_after_s"),
    [
        (429, RETRY_AFTER_7, b"", 7),
        (429, RETRY_AFTER_7, error("Please try again in 3s."), 7),
        (429, [("Retry-After", " 30 ")], b"", 30),
        (429, [("Retry-After", "-1")], b"", 0),
        (429, [("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")], b"", 0),
        (429, [], error("Please try again in 3s."), 3),
        (429, [], error(), 0),
        (429, [], b"<html>", 0),
        (503, RETRY_AFTER_7, b"", 7),
        (400, [], error(code="rate_limit_exceeded"), 0),
        (400, RETRY_AFTER_7, error(code="rate_limit_exceeded"), 7),
        (400, [], error("Rate limit reached. Please try again in 2.01s."), 3),
        (400, [], error("Limit of 6000 tokens per minute (TPM)."), 0),
        (400, [], b'{"error": "rate limit reached, try again in 3 seconds"}', 3),
    ],
)
def test_a_busy_endpoint_may_say_how_long_to_wait(
    chat: ChatEndpoint, status: int, headers: Any, body: bytes, retry_after_s: int
) -> None:
    chat.answer = sends(body, status, headers)

    with pytest.raises(BusyModel) as caught:
        ask(chat)

    assert caught.value.retry_after_s == retry_after_s
    assert str(caught.value) == "the chat model is busy; try again later"


@pytest.mark.parametrize(
    ("wait", "retry_after_s"),
    [
        ("7.66s", 8),
        ("450ms", 1),
        ("20 s", 20),
        ("1m26.4s", 87),
        ("2h3m4s", 7_384),
        ("5m", 300),
        ("1234567890s", 0),
        ("a while", 0),
    ],
)
def test_a_wait_in_words_is_rounded_up_to_seconds(
    chat: ChatEndpoint, wait: str, retry_after_s: int
) -> None:
    chat.answer = sends(error(f"Rate limit reached. Please try again in {wait}."), 429)

    with pytest.raises(BusyModel) as caught:
        ask(chat)

    assert caught.value.retry_after_s == retry_after_s


@pytest.mark.parametrize("code", ["output_parse_failed", "tool_use_failed"])
def test_a_call_that_the_endpoint_could_not_read_is_garbled(chat: ChatEndpoint, code: str) -> None:
    chat.answer = sends(error(code=code), 400)

    with pytest.raises(GarbledAnswer) as caught:
        ask(chat)

    assert UPSTREAM not in str(caught.value)


@pytest.mark.parametrize("code", ["rate_limit_exceeded", "tool_use_failed"])
def test_a_code_counts_only_for_a_bad_request(chat: ChatEndpoint, code: str) -> None:
    chat.answer = sends(error(code=code), 422)

    with pytest.raises(NotAsked, match="422"):
        ask(chat)


@pytest.mark.parametrize("body", [b"[]", b'{"error": 7}', error(code=400), b'{"error": {}}'])
def test_a_bad_request_for_an_unknown_reason_is_refused(chat: ChatEndpoint, body: bytes) -> None:
    chat.answer = sends(body, 400)

    with pytest.raises(NotAsked, match="400"):
        ask(chat)


def test_an_endpoint_that_does_not_answer_in_time_is_unavailable(chat: ChatEndpoint) -> None:
    def wait(_handler: BaseHTTPRequestHandler) -> None:
        chat.over.wait()

    chat.answer = wait

    with pytest.raises(Unavailable, match="the endpoint of the chat model did not") as caught:
        ask(chat, timeout_s=0.2)

    assert not isinstance(caught.value, NotAsked)


@pytest.mark.parametrize("timeout_s", [0, -1.5])
def test_without_time_left_the_model_is_not_asked(chat: ChatEndpoint, timeout_s: float) -> None:
    with pytest.raises(NotAsked, match="no time is left"):
        ask(chat, timeout_s=timeout_s)

    assert not chat.requests


def test_an_endpoint_that_nobody_serves_was_not_asked() -> None:
    with chat_endpoint() as gone:
        pass

    with pytest.raises(NotAsked, match="the endpoint of the chat model cannot be reached"):
        ask(gone)


@pytest.mark.parametrize("code", ["unsupported_parameter", "unsupported_value"])
def test_a_newer_endpoint_is_asked_once_more_in_its_form(chat: ChatEndpoint, code: str) -> None:
    refusal = json.dumps({"error": {"code": code, "message": "use max_completion_tokens"}})
    chat.answer = in_turn([sends(refusal.encode(), 400), says("Tea.")])

    answer = ask(chat, question(max_tokens=500))

    older, newer = (body for _, _, body in chat.requests)
    assert answer.text == "Tea."
    assert older["max_tokens"] == newer["max_completion_tokens"] == 500
    assert not newer.keys() & {"max_tokens", "temperature"}


def test_an_endpoint_that_refuses_both_forms_is_not_asked_again(chat: ChatEndpoint) -> None:
    chat.answer = sends(b'{"error": {"code": "unsupported_parameter"}}', 400)

    with pytest.raises(NotAsked):
        ask(chat)

    assert len(chat.requests) == 2
