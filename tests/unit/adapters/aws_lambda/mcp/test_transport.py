"""HTTP around the messages: origins, methods, content types, encodings of the body."""

import base64
import json

import pytest

from membrane.adapters.aws_lambda.mcp.features import Progress, ToolResult
from tests.builders.mcp_requests import META, ask, ask_as_before, send
from tests.fakes.mcp import FakeTools, fake_features

STEPS = ToolResult([], progress=[Progress(1, 2, "half"), Progress(2)])


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "https://ours.example:1"])
def test_a_page_of_another_origin_is_refused_before_anything_else(origin: str) -> None:
    reply = send("not JSON", headers={"origin": origin}, origins=["https://ours.example"])

    assert reply.refusal == (403, -32600)


def test_a_repeated_origin_is_refused() -> None:
    twice = "https://ours.example,https://ours.example"

    assert ask("ping", headers={"origin": twice}, origins=["https://ours.example"]).status == 403


def test_a_page_of_an_allowed_origin_is_answered() -> None:
    reply = ask(
        "tools/list", headers={"origin": " https://ours.example"}, origins={"https://ours.example"}
    )

    assert reply.status == 200


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_messages_are_sent_by_post_alone(verb: str) -> None:
    reply = send(None, verb=verb, headers={"accept": "text/event-stream"})

    assert reply.status == 405
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("text", ["{", "", None, "\ud800", '{"a": 1, "a": 2}', "NaN", "1e999"])
def test_a_body_that_is_not_strict_json_is_a_parse_error_without_id(text: str | None) -> None:
    reply = send(text)

    assert reply.refusal == (400, -32700)
    assert "id" not in reply.json


def test_a_body_may_be_base64() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    encoded = base64.b64encode(json.dumps(body).encode()).decode()

    assert send(encoded, isBase64Encoded=True).result == {}
    assert send("{}", isBase64Encoded=True).refusal == (400, -32700)
    assert send("/w==", isBase64Encoded=True).refusal == (400, -32700)


@pytest.mark.parametrize(
    "accept", ["application/json", "application/*;q=0.5", "*/*", "text/html, Application/JSON"]
)
def test_json_is_sent_to_a_client_that_takes_json(accept: str) -> None:
    reply = ask("tools/list", headers={"accept": accept})

    assert reply.headers["content-type"] == "application/json"


def test_one_event_is_sent_to_a_client_that_takes_events_alone() -> None:
    reply = ask("tools/list", headers={"accept": "text/event-stream"})

    assert reply.headers["content-type"] == "text/event-stream"
    assert [each["id"] for each in reply.events] == [7]


def test_a_client_that_takes_neither_is_refused() -> None:
    assert ask("tools/list", headers={"accept": "text/html"}).refusal == (406, -32600)


def test_the_steps_of_a_tool_come_before_the_response() -> None:
    reply = ask_as_before(
        "tools/call",
        {"name": "echo", "_meta": {"progressToken": "t"}},
        {"accept": "application/json, text/event-stream"},
        features=fake_features(tools=FakeTools(STEPS)),
    )

    first, second, response = reply.events
    assert first["method"] == second["method"] == "notifications/progress"
    assert first["params"] == {"progressToken": "t", "progress": 1, "total": 2, "message": "half"}
    assert second["params"] == {"progressToken": "t", "progress": 2}
    assert response["id"] == "a"


@pytest.mark.parametrize(
    ("token", "accept"),
    [
        ({}, "application/json, text/event-stream"),
        ({"progressToken": True}, "*/*"),
        ({"progressToken": 1}, "application/json"),
    ],
)
def test_a_client_without_token_or_events_gets_no_steps(
    token: dict[str, object], accept: str
) -> None:
    reply = ask(
        "tools/call",
        {"name": "echo"},
        meta={**META, **token},
        headers={"accept": accept},
        features=fake_features(tools=FakeTools(STEPS)),
    )

    assert reply.headers["content-type"] == "application/json"
    assert reply.result["content"] == []
