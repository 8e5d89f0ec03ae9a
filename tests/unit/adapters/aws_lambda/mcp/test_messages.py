"""Messages of JSON-RPC: which are taken, which are refused, and no input that breaks the server."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.aws_lambda.mcp.metadata import SUPPORTED
from membrane.domain.language.json_text import MAX_DEPTH
from tests.builders.mcp_requests import META, ask, send

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ([PING], "batches"),
        ([], "batches"),
        ("ping", "object"),
        (None, "object"),
        ({**PING, "jsonrpc": "1.0"}, "jsonrpc"),
        ({**PING, "jsonrpc": 2.0}, "jsonrpc"),
        ({"jsonrpc": "2.0", "id": 1}, "method"),
        ({**PING, "method": ["ping"]}, "method"),
        ({**PING, "params": []}, "params"),
        ({**PING, "id": None}, "id"),
        ({**PING, "id": True}, "id"),
        ({**PING, "id": 1.5}, "id"),
        ({**PING, "id": {}}, "id"),
        ({"jsonrpc": "2.0", "method": "tools/call"}, "id"),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "method"),
    ],
)
def test_any_other_json_is_an_invalid_request(message: Any, names: str) -> None:
    reply = send(json.dumps(message))

    assert reply.refusal == (400, -32600)
    assert names in reply.error["message"]


@pytest.mark.parametrize("request_id", [0, -1, "", "a", 2**70, "été"])
def test_the_answer_has_the_id_of_the_request(request_id: str | int) -> None:
    refused = send(json.dumps({**PING, "id": request_id, "params": []}))

    assert send(json.dumps({**PING, "id": request_id})).json["id"] == request_id
    assert refused.json["id"] == request_id


@pytest.mark.parametrize(
    "headers", [{}, {"mcp-protocol-version": "2026-07-28"}, {"mcp-protocol-version": "2025-06-18"}]
)
@pytest.mark.parametrize("name", ["initialized", "cancelled", "unheard-of"])
def test_a_notification_is_accepted_without_a_body(headers: dict[str, str], name: str) -> None:
    reply = send(f'{{"jsonrpc": "2.0", "method": "notifications/{name}"}}', headers=headers)

    assert (reply.status, reply.body) == (202, "")


def test_arguments_may_be_nested_as_deeply_as_in_the_http_api() -> None:
    def nested(levels: int) -> Any:
        return {"name": "echo", "arguments": json.loads('{"a":' * levels + "1" + "}" * levels)}

    assert ask("tools/call", nested(MAX_DEPTH)).status == 200
    assert ask("tools/call", nested(MAX_DEPTH + 1)).refusal == (400, -32700)
    assert send("[" * 100_000).refusal == (400, -32700)


def test_a_large_message_is_answered() -> None:
    words = "word " * 1_000_000

    assert ask("tools/call", {"name": "echo", "arguments": {"text": words}}).status == 200


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
METHODS = [
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list"),
    *("resources/templates/list", "resources/read", "prompts/list", "prompts/get"),
    *("completion/complete", "unheard/of"),
]
FIELDS = [
    *("name", "uri", "arguments", "cursor", "ref", "argument", "context", "protocolVersion"),
    *("inputResponses", "requestState", "_meta"),
]
PARAMS = st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from(["echo", "memory://1"]))


@given(body=st.text() | JSON.map(json.dumps))
def test_no_body_breaks_the_server(body: str) -> None:
    assert send(body).status in (202, 400)


@given(
    method=st.sampled_from(METHODS),
    params=PARAMS,
    has_meta=st.booleans(),
    version=st.sampled_from([*SUPPORTED, "1900-01-01", ""]),
    name=st.sampled_from(["echo", "memory://1", "=?base64?ZWNobw==?=", "=?base64?é?="]),
)
def test_no_params_and_no_headers_break_the_server(
    method: str, params: dict[str, Any], *, has_meta: bool, version: str, name: str
) -> None:
    meta = {"_meta": META} if has_meta else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **meta}}
    headers = {"mcp-protocol-version": version, "mcp-method": method, "mcp-name": name}

    reply = send(json.dumps(message), headers=headers)

    assert reply.status in (200, 400, 404)
    assert reply.json["id"] == 1
    assert ("result" in reply.json) != ("error" in reply.json)
