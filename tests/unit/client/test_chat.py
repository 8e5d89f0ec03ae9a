"""Conversations: what a call sends, the reply, and the steps of a stream as they arrive."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing
from itertools import pairwise
from typing import Any, assert_type

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane_client import (
    APIError,
    AsyncMembrane,
    ChatFrame,
    ChatReply,
    ConnectionFailed,
    InvalidCall,
    Membrane,
    MembraneError,
    Route,
    ServerError,
    TimedOut,
    TooManyRequests,
    UnexpectedReply,
)
from membrane_client.core.protocol import Pause, Reply
from tests.builders.filled_stores import an_api, played, sent_by, served, served_async

CALLED = {"tool": "remember", "args": {"text": "tea"}, "result": {"ok": True}}
REPLY: dict[str, Any] = {
    "reply": "Grüße, Ada ☕",
    "tool_log": [CALLED],
    "model": "m",
    "provider": "scripted",
    "intent": "both",
    "intent_source": "classifier",
    "max_tool_rounds": 32,
    "tokens": {"used": 7, "questions": 2},
}
STEPS: Sequence[dict[str, Any]] = (
    {"type": "intent", "route": "both", "intent_source": "classifier"},
    {"type": "llm_round"},
    {"type": "tool_start", "index": 0, "tool": "remember", "args": {"text": "tea"}, "viz": {}},
    {"type": "thought", "words": ["of", "a", "later", "service"]},
    {"type": "reply", "text": "Grüße, Ada ☕"},
    {"type": "done", **REPLY},
)
STOP = {"code": "RESOURCE_EXHAUSTED", "status": 429, "detail": "the day's tokens are used up"}
EVENT_STREAM = {"content-type": "text/event-stream; charset=utf-8"}
OK = Reply(200, {}, json.dumps(REPLY).encode())
BUSY = Reply(429, {"retry-after": "1"}, b'{"code": "RESOURCE_EXHAUSTED", "detail": "busy"}')
UNAVAILABLE = Reply(503, {"retry-after": "1"}, b'{"code": "UNAVAILABLE", "detail": "later"}')


def events(*steps: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(each, ensure_ascii=False)}\n\n".encode() for each in steps)


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A reply's body in chunks; an exception among the chunks is raised in its turn."""

    def __init__(self, *chunks: bytes | Exception) -> None:
        self.chunks = chunks
        self.sent = 0
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self.chunks:
            self.sent += 1
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


def answering(body: Body) -> Callable[[httpx2.Request], httpx2.Response]:
    return lambda _: httpx2.Response(200, headers=EVENT_STREAM, stream=body)


def stream_steps(body: Body) -> list[dict[str, Any]]:
    return [each.raw for each in served(answering(body)).chat_stream("hello")]


def stream_until_error(body: Body) -> tuple[list[str], MembraneError]:
    """The types of the steps before the error, then the error; the same in both forms."""
    types: list[str] = []

    async def converse() -> None:
        async for each in served_async(answering(body)).chat_stream("hello"):
            types.append(each.type)  # noqa: PERF401 - a comprehension would lose all at the error

    with pytest.raises(MembraneError) as failed:
        asyncio.run(converse())
    with pytest.raises(type(failed.value)):
        stream_steps(body)
    return types, failed.value


def test_a_text_is_one_message_of_the_user_and_a_conversation_is_sent_as_given() -> None:
    request, body = sent_by(an_api(user="ada", scope="s").chat("hello", profile="agent"))

    assert (request.method, request.url) == ("POST", "http://memory/v1/chat")
    assert body == {
        "messages": [{"role": "user", "content": "hello"}],
        "profile": "agent",
        "user": "ada",
    }
    conversation = [{"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "tea"}]
    assert sent_by(an_api().chat(conversation))[1]["messages"] == conversation


def test_the_reply_has_the_answer_the_calls_and_why_the_conversation_stopped() -> None:
    _, reply = played(an_api().chat("hello"), OK)
    _, stopped = played(
        an_api().chat("hello"), Reply(200, {}, json.dumps({**REPLY, "stopped": STOP}).encode())
    )

    assert (reply.reply, reply.intent, reply.tokens.used) == ("Grüße, Ada ☕", Route.BOTH, 7)
    assert [(each.tool, each.args, each.result) for each in reply.tool_log] == [
        ("remember", {"text": "tea"}, {"ok": True})
    ]
    assert reply.stopped is None
    assert stopped.stopped is not None
    assert stopped.stopped.status == 429


@pytest.mark.parametrize("refusal", [BUSY, UNAVAILABLE, Reply(429, {}, b"{}")])
def test_a_refusal_without_effects_is_followed_by_a_second_attempt_under_the_same_key(
    refusal: Reply,
) -> None:
    (request, pause, again), reply = played(an_api().chat("hello"), refusal, OK)

    assert isinstance(pause, Pause)
    assert again == request
    assert reply.model == "m"


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionFailed("hung up"),
        TimedOut("late"),
        Reply(408, {}, b"{}"),
        Reply(500, {}, b'{"message": "Internal Server Error"}'),
        Reply(503, {}, b'{"message": "Service Unavailable"}'),
        Reply(503, {}, b'{"code": "UNAVAILABLE", "detail": "no model leads conversations"}'),
        Reply(504, {}, b"{}"),
    ],
    ids=str,
)
def test_a_failure_after_which_tools_may_have_run_is_not_followed_by_a_second_attempt(
    failure: Reply | MembraneError,
) -> None:
    with pytest.raises(MembraneError):
        played(an_api().chat("hello", idempotency_key="own"), failure)


@pytest.mark.parametrize(
    ("timeout", "waits"), [(1.0, (35.0, 310.0)), (400.0, (400.0, 400.0)), (None, (None, None))]
)
def test_the_wait_for_a_conversation_is_long_and_the_wait_for_a_connection_is_the_clients(
    timeout: float | None, waits: Sequence[float | None]
) -> None:
    asked: list[dict[str, float | None]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.extensions["timeout"])
        if request.url.path == "/v1/chat":
            return httpx2.Response(200, json=REPLY)
        return httpx2.Response(200, headers=EVENT_STREAM, content=events(*STEPS))

    client = served(answer, timeout=timeout)
    client.chat("hello")
    list(client.chat_stream("hello"))

    assert tuple(each["read"] for each in asked) == waits
    assert {each["connect"] for each in asked} == {timeout}


def test_a_stream_has_every_step_with_the_whole_reply_at_the_end() -> None:
    frames = [*served(answering(Body(events(*STEPS)))).chat_stream("hello")]

    assert [each.raw for each in frames] == [*STEPS]
    intent, _, start, unknown, text, done = frames
    assert (intent.route, start.tool, start.args) == (Route.BOTH, "remember", {"text": "tea"})
    assert unknown.raw["words"] == ["of", "a", "later", "service"]
    assert (text.text, text.end) == ("Grüße, Ada ☕", None)
    assert done.end is not None
    assert done.end.reply == "Grüße, Ada ☕"


def test_both_forms_stream_the_same_steps() -> None:
    async def converse() -> list[dict[str, Any]]:
        client = served_async(answering(Body(events(*STEPS))))
        return [each.raw async for each in client.chat_stream("hello")]

    assert asyncio.run(converse()) == stream_steps(Body(events(*STEPS)))


def test_both_forms_have_the_types_of_the_definition() -> None:
    def waits(client: Membrane) -> None:
        assert_type(client.chat("hello"), ChatReply)
        assert_type(client.chat_stream("hello"), Generator[ChatFrame])

    async def awaits(client: AsyncMembrane) -> None:
        assert_type(await client.chat("hello"), ChatReply)
        assert_type(client.chat_stream("hello"), AsyncGenerator[ChatFrame])

    assert (callable(waits), callable(awaits)) == (True, True)


@given(st.lists(st.integers(0, len(events(*STEPS))), max_size=30), st.sampled_from(["\n", "\r\n"]))
def test_events_are_the_same_wherever_chunks_split(cuts: list[int], line_end: str) -> None:
    data = events(*STEPS).replace(b"\n", line_end.encode())
    places = [0, *sorted(cuts), len(data)]

    chunks = [data[start:end] for start, end in pairwise(places)]

    assert stream_steps(Body(*chunks)) == [*STEPS]


def test_comments_other_fields_and_several_lines_of_data_are_read() -> None:
    data = b': hello\n\nevent: step\nid: 1\ndata: {"type":\ndata:"done"}\n\n'

    assert stream_steps(Body(data)) == [{"type": "done"}]


def test_a_reply_of_more_than_a_megabyte_is_read() -> None:
    done = {**STEPS[-1], "reply": "x" * 3_000_000}

    assert stream_steps(Body(events(done))) == [done]


def test_a_step_is_given_before_the_next_step_is_sent() -> None:
    body = Body(*(events(each) for each in STEPS))

    frames = served(answering(body)).chat_stream("hello")

    assert body.sent == 0
    assert [(next(frames).type, body.sent) for _ in "ab"] == [("intent", 1), ("llm_round", 2)]


def test_closing_the_iterator_closes_the_connection() -> None:
    body, other = (Body(*(events(each) for each in STEPS)) for _ in "ab")

    async def leave_early() -> None:
        async with aclosing(served_async(answering(other)).chat_stream("hello")) as frames:
            await anext(frames)

    frames = served(answering(body)).chat_stream("hello")
    next(frames)
    frames.close()
    asyncio.run(leave_early())

    assert [(each.sent, each.is_closed) for each in (body, other)] == [(1, True), (1, True)]


def test_an_error_comes_after_all_earlier_steps_with_the_reply_of_the_calls_so_far() -> None:
    failed = {**REPLY, "stopped": STOP, "type": "error", "detail": STOP["detail"], "status": 429}
    body = Body(events(*STEPS[:3], failed))

    types, error = stream_until_error(body)

    assert types == ["intent", "llm_round", "tool_start"]
    assert isinstance(error, TooManyRequests)
    assert (error.code, error.detail) == (STOP["code"], STOP["detail"])
    assert isinstance(error.reply, ChatReply)
    assert [each.tool for each in error.reply.tool_log] == ["remember"]
    assert body.is_closed


def test_an_error_before_any_tool_has_run_has_no_reply() -> None:
    failed = {"type": "error", "detail": "the model is not there", "status": 503}

    _, error = stream_until_error(Body(events({**failed, "request_id": "id-1"})))

    assert isinstance(error, ServerError)
    assert (str(error), error.reply) == ("503: the model is not there", None)
    assert error.request_id == "id-1", "an event has no headers"


@pytest.mark.parametrize(
    ("chunks", "kind"),
    [
        ([events(*STEPS[:-1])], ConnectionFailed),
        ([events(STEPS[-1])[:-1]], ConnectionFailed),
        ([], ConnectionFailed),
        ([events(STEPS[0]), httpx2.ReadError("reset")], ConnectionFailed),
        ([events(STEPS[0]), httpx2.ReadTimeout("late")], TimedOut),
        ([b"data: no JSON\n\n"], UnexpectedReply),
        ([b"data: " + b"[" * 200_000 + b"\n\n"], UnexpectedReply),
        ([b"data: []\n\n"], UnexpectedReply),
        ([b"data: {}\n\n"], UnexpectedReply),
        ([events({"type": "error"})], UnexpectedReply),
    ],
)
def test_a_stream_that_breaks_off_or_has_no_frames_is_an_error(
    chunks: list[bytes | Exception], kind: type[MembraneError]
) -> None:
    body = Body(*chunks)

    _, error = stream_until_error(body)

    assert type(error) is kind
    assert body.is_closed


def test_a_reply_that_is_no_stream_is_unexpected() -> None:
    client = served(lambda _: httpx2.Response(200, json=REPLY))

    with pytest.raises(UnexpectedReply, match="event-stream"):
        list(client.chat_stream("hello"))


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_a_refusal_before_the_stream_is_the_error_of_the_status(status: int) -> None:
    problem = {"code": "CODE", "detail": "a sentence", "errors": [{"field": "f", "message": "m"}]}
    body = Body(json.dumps(problem).encode())

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, stream=body)

    async def converse() -> list[ChatFrame]:
        return [each async for each in served_async(answer, max_retries=0).chat_stream("hello")]

    with pytest.raises(APIError) as refused:
        list(served(answer, max_retries=0).chat_stream("hello"))
    with pytest.raises(type(refused.value)):
        asyncio.run(converse())
    assert (refused.value.status, refused.value.detail) == (status, "a sentence")
    assert refused.value.errors == ({"field": "f", "message": "m"},)
    assert body.is_closed


def test_a_throttled_stream_is_opened_again_and_a_broken_stream_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("membrane_client.core.sending.FIRST_DELAY_S", 0.001)
    keys: list[str] = []
    replies = iter(
        [
            httpx2.Response(429, json={"message": "Too Many Requests"}),
            httpx2.Response(200, headers=EVENT_STREAM, content=events(STEPS[0])),
        ]
    )

    def answer(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["idempotency-key"])
        return next(replies)

    with pytest.raises(ConnectionFailed, match="before the last event"):
        list(served(answer).chat_stream("hello"))
    assert len(keys) == 2
    assert len({*keys}) == 1


STREAM = "https://id.lambda-url.eu-central-1.on.aws/v1/chat/stream"


@pytest.mark.parametrize(
    ("stream_url", "address"),
    [
        (None, "http://memory/v1/chat/stream"),
        (STREAM, STREAM),
        (STREAM.removesuffix("v1/chat/stream"), STREAM),
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765/v1/chat/stream"),
        ("http://[::1]:80/v1/chat/stream/", "http://[::1]:80/v1/chat/stream"),
    ],
)
def test_a_stream_is_asked_for_at_the_api_or_at_the_function_url(
    stream_url: str | None, address: str
) -> None:
    stream = an_api().chat_stream("hello", stream_url=stream_url, idempotency_key="own")

    request, body = sent_by(stream.opening)

    assert (request.method, request.url) == ("POST", address)
    assert request.headers["authorization"] == "Bearer key"
    assert request.headers["idempotency-key"] == "own"
    assert request.headers["accept"] == "text/event-stream"
    assert "stream_url" not in body


@pytest.mark.parametrize(
    "stream_url",
    [
        "",
        "id.on.aws",
        "http://id.on.aws",
        "http://127.0.0.1.on.aws",
        f"{STREAM}?a=b",
        f"{STREAM}#a",
    ],
)
def test_the_key_goes_to_no_address_in_the_clear(stream_url: str) -> None:
    with pytest.raises(InvalidCall, match="stream_url"):
        served(answering(Body())).chat_stream("hello", stream_url=stream_url)


def test_a_call_that_cannot_be_sent_fails_before_the_first_step() -> None:
    with pytest.raises(InvalidCall, match="idempotency_key"):
        served(answering(Body())).chat_stream("hello", idempotency_key="")
