"""The protocol layer of MCP behind HTTP, and the pins of the suite that checks the layer."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]

Reply = tuple[int, http.client.HTTPMessage, str]


@pytest.fixture(scope="module")
def connection() -> Iterator[http.client.HTTPConnection]:
    command = [sys.executable, "-m", "tests.mcp.server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = urlsplit(server.stdout.readline().strip())
        assert address.hostname
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        yield connection
        connection.close()
        server.terminate()


def test_a_client_of_before_shakes_hands_and_calls_a_tool(
    connection: http.client.HTTPConnection,
) -> None:
    asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}

    _, headers, body = post(connection, message("initialize", asked))
    accepted = post(connection, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    status, _, text = post(connection, message("tools/call", {"name": "test_simple_text"}))

    assert json.loads(body)["result"]["protocolVersion"] == "2025-11-25"
    assert "mcp-session-id" not in headers
    assert (accepted[0], accepted[2]) == (202, "")
    assert status == 200
    assert "simple text response" in text


def test_the_steps_of_a_tool_are_events(connection: http.client.HTTPConnection) -> None:
    params = {"name": "test_tool_with_progress", "_meta": {"progressToken": 1}}

    _, headers, body = post(connection, message("tools/call", params))

    assert headers["content-type"] == "text/event-stream"
    assert body.count("event: message") == 4


def test_a_client_without_token_or_events_gets_no_steps(
    connection: http.client.HTTPConnection,
) -> None:
    called = {"name": "test_tool_with_progress"}
    with_token = message("tools/call", {**called, "_meta": {"progressToken": 1}})

    for sent, accept in (
        (message("tools/call", called), "application/json, text/event-stream"),
        (with_token, "application/json"),
    ):
        _, headers, body = post(connection, sent, accept=accept)
        assert headers["content-type"] == "application/json"
        assert json.loads(body)["result"]["content"]


ELICITS, SAMPLES = "test_streaming_elicitation", "test_missing_capability"
CURRENT = "2026-07-28"


def call_now(connection: http.client.HTTPConnection, tool: str, **more: Any) -> tuple[int, Any]:
    """Status and answer of a call of the current version, with the capabilities given."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientCapabilities": more.pop("capabilities", {}),
    }
    headers = {"mcp-protocol-version": CURRENT, "mcp-method": "tools/call", "mcp-name": tool}
    sent = message("tools/call", {"name": tool, "_meta": meta, **more})
    status, _, body = post(connection, sent, accept="application/json", **headers)
    return status, json.loads(body)


def test_a_tool_asks_the_client_and_goes_on_with_the_answer(
    connection: http.client.HTTPConnection,
) -> None:
    can: dict[str, Any] = {"capabilities": {"elicitation": {}}}
    _, asked = call_now(connection, ELICITS, **can)
    answers = {"user_name": {"action": "accept", "content": {"name": "Ada"}}}
    _, done = call_now(connection, ELICITS, inputResponses=answers, **can)
    tool = "test_input_required_result_request_state"
    _, state = call_now(connection, tool, **can)

    assert asked["result"]["resultType"] == "input_required"
    assert asked["result"]["inputRequests"]["user_name"]["method"] == "elicitation/create"
    assert "ttlMs" not in asked["result"]
    assert "Hello, Ada!" in json.dumps(done["result"]["content"])
    assert state["result"]["requestState"]


@pytest.mark.parametrize(
    ("tool", "capability"),
    [
        (ELICITS, "elicitation"),
        (SAMPLES, "sampling"),
        ("test_input_required_result_list_roots", "roots"),
    ],
)
def test_a_client_is_not_asked_for_what_it_cannot(
    connection: http.client.HTTPConnection, tool: str, capability: str
) -> None:
    status, now = call_now(connection, tool)
    before_status, _, text = post(connection, message("tools/call", {"name": tool}))

    assert (status, now["error"]["code"]) == (400, -32021)
    assert now["error"]["data"] == {"requiredCapabilities": {capability: {}}}
    assert before_status == 200
    assert CURRENT in text
    assert "-32600" in text


def test_a_stream_cannot_be_opened(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/mcp", headers={"accept": "text/event-stream"})
    reply = connection.getresponse()
    reply.read()

    assert (reply.status, reply.headers["allow"]) == (405, "POST")


def message(method: str, params: object) -> object:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def post(
    connection: http.client.HTTPConnection,
    body: object,
    accept: str = "application/json, text/event-stream",
    **headers: str,
) -> Reply:
    connection.request("POST", "/mcp", json.dumps(body), {"accept": accept, **headers})
    reply = connection.getresponse()
    return reply.status, reply.headers, reply.read().decode()
