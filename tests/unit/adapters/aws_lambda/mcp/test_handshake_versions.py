"""Clients of 2025-11-25 and before: the handshake without session, and results as of then."""

import pytest

from membrane.adapters.aws_lambda.mcp.features import InputRequired
from membrane.adapters.aws_lambda.mcp.metadata import HANDSHAKE_VERSIONS
from tests.builders.mcp_requests import OLD, ask_as_before
from tests.fakes.mcp import IDENTITY, FakeTools, fake_features


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_the_handshake_agrees_to_a_known_version_and_opens_no_session(version: str) -> None:
    reply = ask_as_before("initialize", {"protocolVersion": version, "capabilities": {}}, {})

    assert "mcp-session-id" not in reply.headers
    assert reply.result == {
        "protocolVersion": version,
        "serverInfo": IDENTITY,
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}},
        "instructions": "Recall first.",
    }


@pytest.mark.parametrize("asked", ["2026-07-28", "2099-01-01", ""])
def test_the_handshake_offers_the_newest_version_for_any_other(asked: str) -> None:
    result = ask_as_before("initialize", {"protocolVersion": asked}, {}).result

    assert result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 1}])
def test_a_handshake_without_version_is_refused(params: dict[str, object]) -> None:
    reply = ask_as_before("initialize", params, {})

    assert reply.refusal == (200, -32602)
    assert "params.protocolVersion" in reply.error["message"]


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, None])
def test_requests_of_every_version_are_answered(version: str | None) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}

    assert ask_as_before("ping", headers=headers).result == {}
    assert ask_as_before("tools/list", headers=headers).result.keys() == {"tools"}


def test_a_session_of_another_server_is_ignored() -> None:
    reply = ask_as_before("ping", headers={**OLD, "mcp-session-id": "x", "last-event-id": "1"})

    assert reply.result == {}


def test_an_unknown_version_is_refused() -> None:
    reply = ask_as_before("ping", headers={"mcp-protocol-version": "2024-10-07"})

    assert reply.refusal == (400, -32022)


@pytest.mark.parametrize("method", ["server/discover", "logging/setLevel", "resources/subscribe"])
def test_an_unknown_method_is_an_error_in_a_sound_reply(method: str) -> None:
    assert ask_as_before(method).refusal == (200, -32601)


def test_an_absent_resource_has_the_code_of_then() -> None:
    reply = ask_as_before("resources/read", {"uri": "memory://absent"})

    assert reply.refusal == (200, -32002)
    assert reply.error["data"] == {"uri": "memory://absent"}


def test_results_have_no_fields_of_the_current_version() -> None:
    assert ask_as_before("tools/call", {"name": "echo"}).result.keys() == {"content"}
    assert ask_as_before("resources/read", {"uri": "memory://1"}).result.keys() == {"contents"}


def test_a_tool_that_asks_the_user_says_which_version_can() -> None:
    asking = FakeTools(InputRequired({"name": {"method": "roots/list", "params": {}}}))

    reply = ask_as_before("tools/call", {"name": "echo"}, features=fake_features(tools=asking))

    assert reply.refusal == (200, -32600)
    assert "2026-07-28" in reply.error["message"]
