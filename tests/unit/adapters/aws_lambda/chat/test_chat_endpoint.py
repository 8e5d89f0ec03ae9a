"""The routes of conversations: one reply, or the steps as events; who asks, and how long."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda.chat.endpoint import HTTP_API_S, RESERVE_S, answer_chat
from membrane.adapters.aws_lambda.invocation import StreamedReply
from membrane.adapters.aws_lambda.routes.chat import CHATS
from membrane.domain.language.errors import Unavailable
from membrane.domain.models.failures import BusyModel
from membrane.usecases.access.api_keys import digest_of
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.services_chat import ChatServices
from tests.fakes.chat_models import FakeChatModel, Step, calls, chatting, says
from tests.fakes.clock import FakeClock
from tests.fakes.keys import FakeKeys
from tests.fakes.operators import Reports
from tests.worlds.tools import key

SECRET = "secret-of-an-agent"
CREATE = ("memory_create_topic", {"title": "Ada", "topic_id": "ada"})
CALLER = {
    "actor_id": "agent",
    "permissions": ["read", "ingest", "revise"],
    "scopes": ["team:a"],
    "max_sensitivity": "low",
}


@dataclass(slots=True)
class Invocation:
    """A context of Lambda's, or of a runtime that streams."""

    streams: bool = False
    left_ms: int = 300_000
    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        """See Context."""
        return self.left_ms


def over(*steps: Step, report: Reports | None = None) -> ChatServices:
    """Services that know one key, with a model that answers in order."""
    keys, clock = FakeKeys(), FakeClock()
    keys.add(ApiKey(digest_of(SECRET), key(), clock()))
    model = FakeChatModel(steps)
    return chatting(model, keys=keys, now=clock, report=report or Reports())


def asked_at(route: str, body: Any = None, **context: Any) -> dict[str, Any]:
    """An event of the HTTP API, with an authorized caller."""
    messages = {"messages": [{"role": "user", "content": "I am Ada"}]}
    return {
        "routeKey": route,
        "rawPath": route.partition(" ")[2],
        "rawQueryString": "",
        "headers": {},
        "body": json.dumps(messages if body is None else body),
        "requestContext": {"http": {"method": "POST"}, "authorizer": {"lambda": CALLER}, **context},
    }


def at_function_url(secret: str = SECRET, path: str = "/v1/chat/stream") -> dict[str, Any]:
    """An event of a function URL, behind which stands no authorizer."""
    event = asked_at(f"POST {path}")
    del event["requestContext"]["authorizer"]
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    return {**event, "routeKey": "$default", "headers": headers}


def frames_in(body: str | bytes) -> list[dict[str, Any]]:
    """The frames of a whole stream."""
    text = body if isinstance(body, str) else body.decode()
    assert text.endswith("\n\n")
    return [json.loads(each.removeprefix("data: ")) for each in text.split("\n\n")[:-1]]


def whole(event: dict[str, Any], services: ChatServices) -> dict[str, Any]:
    """The reply in one piece."""
    reply = answer_chat(event, Invocation(), CHATS, services)
    assert not isinstance(reply, StreamedReply)
    return reply


def stream(event: dict[str, Any], services: ChatServices) -> Iterator[bytes]:
    """The pieces of a streamed reply."""
    reply = answer_chat(event, Invocation(streams=True), CHATS, services)
    assert isinstance(reply, StreamedReply)
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/event-stream")
    return reply.chunks


def test_a_conversation_has_one_reply() -> None:
    reply = whole(asked_at("POST /v1/chat"), over(says("ingest"), calls(CREATE), says("Hi, Ada.")))

    body = json.loads(reply["body"])
    assert reply["statusCode"] == 200
    assert (body["reply"], body["intent"]) == ("Hi, Ada.", "ingest")
    assert body["tool_log"][0]["result"] == {"ok": True, "topic_id": "ada"}
    assert "stopped" not in body


def test_a_conversation_that_ended_early_says_why_and_what_was_done() -> None:
    failure = Unavailable("the chat model did not answer")
    services = over(says("ingest"), calls(CREATE), failure)

    reply = whole(asked_at("POST /v1/chat"), services)

    body = json.loads(reply["body"])
    assert reply["statusCode"] == 200
    assert body["stopped"] == {"code": "UNAVAILABLE", "status": 503, "detail": str(failure)}
    assert len(body["tool_log"]) == 1


def test_a_failure_before_any_tool_is_a_problem() -> None:
    reply = whole(asked_at("POST /v1/chat"), over(BusyModel("the chat model is busy", 30_000)))

    assert reply["statusCode"] == 429
    assert reply["headers"]["retry-after"] == "30000"


def test_without_a_model_the_route_is_not_configured() -> None:
    services = chatting(None, report=Reports())

    reply = whole(asked_at("POST /v1/chat"), services)

    assert reply["statusCode"] == 503
    assert "ChatModel" in json.loads(reply["body"])["detail"]
    assert "retry-after" not in reply["headers"]


def test_a_stream_through_the_http_api_is_sent_whole() -> None:
    services = over(says("ingest"), calls(CREATE), says("Hi, Ada."))

    reply = whole(asked_at("POST /v1/chat/stream"), services)

    frames = frames_in(reply["body"])
    assert [each["type"] for each in frames] == [
        *("intent", "llm_round", "tool_start", "tool_end"),
        *("llm_round", "reply", "done"),
    ]
    assert reply["headers"]["content-type"].startswith("text/event-stream")
    assert frames[-1]["reply"] == "Hi, Ada."
    assert frames[-1]["tool_log"][0]["tool"] == CREATE[0]


def test_each_step_is_sent_before_the_next_is_done() -> None:
    services = over(says("ingest"), calls(CREATE), says("Hi, Ada."))
    model = services.chat_model
    assert isinstance(model, FakeChatModel)

    pieces = stream(asked_at("POST /v1/chat/stream"), services)

    assert model.asked == []
    assert frames_in(next(pieces))[0]["type"] == "intent"
    assert len(model.asked) == 1


def test_a_caller_who_leaves_ends_the_conversation() -> None:
    services = over(says("ingest"), calls(CREATE), says("Hi, Ada."))
    model = services.chat_model
    assert isinstance(model, FakeChatModel)
    pieces = stream(asked_at("POST /v1/chat/stream"), services)
    next(pieces)

    pieces.close()  # type: ignore[attr-defined]  # a generator

    assert list(pieces) == []
    assert len(model.asked) == 1


def test_a_refused_dialogue_is_a_frame_and_a_malformed_request_a_problem() -> None:
    blank = {"messages": [{"role": "user", "content": " "}]}
    services = over(says("query"))

    refused = frames_in(b"".join(stream(asked_at("POST /v1/chat/stream", blank), services)))
    malformed = answer_chat(
        asked_at("POST /v1/chat/stream", {}), Invocation(streams=True), CHATS, services
    )

    assert refused == [
        {
            "type": "error",
            "detail": "At least one non-empty user message is required.",
            "status": 400,
            "code": "INVALID_ARGUMENT",
        }
    ]
    assert isinstance(malformed, dict)
    assert malformed["statusCode"] == 400


def test_an_error_after_tools_ends_the_stream_with_what_was_done() -> None:
    services = over(says("ingest"), calls(CREATE), Unavailable("the chat model did not answer"))

    *_, reply, error = frames_in(b"".join(stream(asked_at("POST /v1/chat/stream"), services)))

    assert reply["type"] == "reply"
    assert (error["type"], error["status"]) == ("error", 503)
    assert error["detail"] == "the chat model did not answer"
    assert error["tool_log"][0]["result"] == {"ok": True, "topic_id": "ada"}


def test_an_error_before_tools_is_the_last_frame() -> None:
    services = over(says("ingest"), Unavailable("the chat model did not answer"))

    *_, error = frames_in(b"".join(stream(asked_at("POST /v1/chat/stream"), services)))

    assert error == {
        "type": "error",
        "status": 503,
        "code": "UNAVAILABLE",
        "detail": "the chat model did not answer",
    }


def test_a_defect_is_the_last_frame_and_counts_as_a_failure_of_the_function() -> None:
    pieces = stream(asked_at("POST /v1/chat/stream"), over(says("ingest"), ZeroDivisionError()))
    intent, round_, last = (next(pieces) for _ in range(3))

    with pytest.raises(ZeroDivisionError):
        next(pieces)

    *_, error = frames_in(intent + round_ + last)
    assert (error["type"], error["status"], error["code"]) == ("error", 500, "INTERNAL")


def test_behind_a_function_url_the_function_authenticates() -> None:
    services = over(says("query"), says("hi"))

    frames = frames_in(b"".join(stream(at_function_url(), services)))

    assert frames[-1]["type"] == "done"


@pytest.mark.parametrize("secret", ["", "wrong"])
def test_a_stranger_is_refused_before_the_body_is_read(secret: str) -> None:
    event = at_function_url(secret)
    del event["body"]

    reply = answer_chat(event, Invocation(streams=True), CHATS, over(says("query")))

    assert isinstance(reply, dict)
    assert reply["statusCode"] == 401
    assert json.loads(reply["body"])["code"] == "UNAUTHENTICATED"
    assert reply["headers"]["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/", "/v1/chat", "/v1/chat/stream/"])
def test_a_function_url_has_one_path(path: str) -> None:
    reply = answer_chat(
        at_function_url(path=path), Invocation(streams=True), CHATS, over(says("query"))
    )

    assert isinstance(reply, dict)
    assert reply["statusCode"] == 404


def test_a_key_that_may_neither_read_nor_ingest_is_refused() -> None:
    event = asked_at("POST /v1/chat/stream")
    event["requestContext"]["authorizer"]["lambda"] = {**CALLER, "permissions": ["revise"]}

    reply = answer_chat(event, Invocation(streams=True), CHATS, over(says("query")))

    assert isinstance(reply, dict)
    assert reply["statusCode"] == 403


@pytest.mark.parametrize(
    ("route", "streams", "left_ms", "waits_s"),
    [
        ("POST /v1/chat", True, 300_000, HTTP_API_S - 2.0),
        ("POST /v1/chat/stream", False, 300_000, HTTP_API_S - 2.0),
        ("POST /v1/chat/stream", True, 300_000, 60.0),
        ("POST /v1/chat/stream", True, 10_000, 10.0 - RESERVE_S - 2.0),
    ],
)
def test_the_way_of_replying_bounds_the_time(
    route: str,
    streams: bool,  # noqa: FBT001 - a row of the table
    left_ms: int,
    waits_s: float,
) -> None:
    services = over(says("query"), says("hi"))

    reply = answer_chat(asked_at(route), Invocation(streams, left_ms), CHATS, services)

    if isinstance(reply, StreamedReply):
        list(reply.chunks)
    assert isinstance(services.chat_model, FakeChatModel)
    assert services.chat_model.timeouts_s[0] == pytest.approx(waits_s, abs=0.1)


def test_operators_hear_of_each_conversation_once() -> None:
    report = Reports()
    services = over(says("query"), says("hi"), report=report)

    list(stream(asked_at("POST /v1/chat/stream"), services))
    whole(asked_at("POST /v1/chat/stream", {}), services)

    assert report.told == [("Chat", "OK"), ("Chat", "INVALID_ARGUMENT")]
