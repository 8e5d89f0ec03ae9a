"""The rules of 2026-07-28: discovery, metadata, headers that repeat the body, results."""

import base64
from typing import Any

import pytest

from membrane.adapters.aws_lambda.mcp.metadata import SUPPORTED
from tests.builders.mcp_requests import META, ask, send
from tests.fakes.mcp import IDENTITY, LISTS, fake_features

VERSION, CLIENT, CAPABILITIES = META
LISTED = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]


def test_discovery_describes_the_server() -> None:
    result = ask("server/discover").result

    assert result["supportedVersions"] == list(SUPPORTED)
    assert result["instructions"] == "Recall first."
    assert result["capabilities"] == {
        "tools": {},
        "resources": {},
        "prompts": {},
        "completions": {},
    }


def test_a_part_that_is_not_offered_has_neither_capability_nor_methods() -> None:
    features = fake_features(prompts=None, completions=None, instructions=None)

    result = ask("server/discover", features=features).result

    assert result["capabilities"] == {"tools": {}, "resources": {}}
    assert "instructions" not in result
    assert ask("prompts/list", features=features).refusal == (404, -32601)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        *((each, {}) for each in LISTED),
        ("tools/call", {"name": "echo"}),
        ("resources/read", {"uri": "memory://1"}),
        ("prompts/get", {"name": "greet"}),
    ],
)
def test_every_result_is_complete_and_names_the_server(method: str, params: Any) -> None:
    result = ask(method, params).result

    assert result["resultType"] == "complete"
    assert result["_meta"] == {"io.modelcontextprotocol/serverInfo": IDENTITY}


@pytest.mark.parametrize("method", ["server/discover", *LISTED])
def test_lists_say_how_long_they_may_be_kept(method: str) -> None:
    result = ask(method).result

    assert (result["ttlMs"], result["cacheScope"]) == (LISTS.ttl_ms, "private")


def test_a_resource_says_how_long_it_may_be_kept() -> None:
    result = ask("resources/read", {"uri": "memory://1"}).result

    assert (result["ttlMs"], result["cacheScope"]) == (5, "private")


def test_the_result_of_a_tool_is_not_kept() -> None:
    assert "ttlMs" not in ask("tools/call", {"name": "echo"}).result


@pytest.mark.parametrize("missing", [VERSION, CAPABILITIES])
def test_metadata_without_a_required_field_is_refused(missing: str) -> None:
    meta = {name: value for name, value in META.items() if name != missing}

    reply = ask("tools/list", meta=meta)

    assert reply.refusal == (400, -32602)
    assert missing in reply.error["message"]


@pytest.mark.parametrize("meta", ["text", 5, [1], {**META, CAPABILITIES: []}])
def test_metadata_of_a_wrong_type_is_refused(meta: Any) -> None:
    assert ask("tools/list", meta=meta).refusal == (400, -32602)


def test_a_client_need_not_name_itself() -> None:
    meta = {name: value for name, value in META.items() if name != CLIENT}

    assert ask("tools/list", meta=meta).status == 200


def test_an_unknown_version_is_refused_with_the_known_versions() -> None:
    meta = {**META, VERSION: "1900-01-01"}

    reply = ask("tools/list", meta=meta, headers={"mcp-protocol-version": "1900-01-01"})

    assert reply.refusal == (400, -32022)
    assert reply.error["data"] == {"supported": list(SUPPORTED), "requested": "1900-01-01"}


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-protocol-version": None},
        {"mcp-protocol-version": "2025-11-25"},
        {"mcp-protocol-version": "2026-07-28,2026-07-28"},
        {"mcp-method": None},
        {"mcp-method": ""},
        {"mcp-method": "TOOLS/CALL"},
        {"mcp-method": "tools/list"},
        {"mcp-method": "tools/call,tools/call"},
        {"mcp-name": None},
        {"mcp-name": ""},
        {"mcp-name": "Echo"},
        {"mcp-name": "echo,echo"},
        {"mcp-name": "=?base64?ZWNob?="},
        {"mcp-name": "=?base64?ZW!Nobw==?="},
        {"mcp-name": "=?base64?/w==?="},
        {"mcp-name": "=?base64?é?="},
        {"mcp-name": "=?base64?="},
    ],
)
def test_a_header_that_is_missing_or_differs_from_the_body_is_refused(headers: Any) -> None:
    reply = ask("tools/call", {"name": "echo"}, headers=headers)

    assert reply.refusal == (400, -32020)
    assert reply.json["id"] == 7


@pytest.mark.parametrize(
    ("method", "params"),
    [("resources/read", {"uri": "memory://1"}), ("prompts/get", {"name": "greet"})],
)
def test_the_name_is_compared_for_resources_and_prompts(method: str, params: Any) -> None:
    assert ask(method, params).status == 200
    assert ask(method, params, headers={"mcp-name": "other"}).refusal == (400, -32020)


def test_white_space_around_a_header_is_no_part_of_the_value() -> None:
    spaced = {
        "mcp-protocol-version": " 2026-07-28\t",
        "mcp-method": "  tools/call ",
        "mcp-name": "\techo ",
    }

    assert ask("tools/call", {"name": "echo"}, headers=spaced).status == 200


@pytest.mark.parametrize("name", ["été", "echo"])
def test_a_name_may_be_encoded(name: str) -> None:
    encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="

    assert ask("tools/call", {"name": name}, headers={"mcp-name": encoded}).status == 200


def test_an_encoded_name_keeps_its_white_space() -> None:
    encoded = f"=?base64?{base64.b64encode(b' padded ').decode()}?="

    reply = ask("tools/call", {"name": " padded "}, headers={"mcp-name": encoded})

    assert reply.error["message"] == "params.name is not the name of a tool"


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unheard/of", ""]
)
def test_a_method_of_older_versions_and_an_unknown_method_do_not_exist(method: str) -> None:
    reply = ask(method)

    assert reply.refusal == (404, -32601)
    assert reply.json["id"] == 7


def test_a_header_without_metadata_is_not_enough() -> None:
    reply = send(
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        headers={"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"},
    )

    assert reply.refusal == (400, -32602)
