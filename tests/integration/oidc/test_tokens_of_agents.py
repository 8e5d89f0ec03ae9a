"""Access tokens at POST /mcp: from the challenge to a record in the scope of the token."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, Reply, api_over
from tests.worlds.oidc_issuer import AUDIENCE, DISCOVERY, OidcIssuer, oidc_issuer, other_key
from tests.worlds.quick_folders import quick_folder

WELL_KNOWN = "/.well-known/oauth-protected-resource"
RULE = {
    "when": {"scope": "memory"},
    "actor": "{sub}",
    "permissions": ["ingest", "read", "revise"],
    "scopes": ["user:{sub}"],
    "max_sensitivity": "medium",
}


@dataclass(frozen=True, slots=True)
class Stack:
    """A local stack that trusts an issuer."""

    api: Api
    issuer: OidcIssuer

    def token(self, **changes: Any) -> str:
        return self.issuer.token(**{"scope": "memory", **changes})

    def list_tools(self, bearer: str) -> Reply:
        return self.ask(bearer, "tools/list", {})

    def ask(self, bearer: str, method: str, params: Mapping[str, Any]) -> Reply:
        """One message; the empty bearer sends no header."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"accept": "application/json", "mcp-protocol-version": "2025-11-25"}
        return self.api.post("/mcp", message, key=bearer, headers=headers)

    def call(self, bearer: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers."""
        reply = self.ask(bearer, "tools/call", {"name": tool, "arguments": arguments})
        assert reply.status == 200, reply.body
        return dict(reply.body["result"])


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with oidc_issuer() as issuer, quick_folder() as folder:
        parameters = {
            "OidcIssuer": issuer.url,
            "OidcAudience": AUDIENCE,
            "OidcRights": json.dumps([RULE]),
        }
        options = DevOptions(store=str(folder / "memory.db"), parameters=parameters)
        with api_over(options) as api:
            yield Stack(api, issuer)


def test_without_a_token_a_client_learns_where_to_get_one(stack: Stack) -> None:
    refused = stack.list_tools("")

    assert refused.status == 401
    assert refused.headers["www-authenticate"] == (
        f'Bearer resource_metadata="http://127.0.0.1{WELL_KNOWN}/mcp", scope="memory"'
    )
    for path in (WELL_KNOWN, f"{WELL_KNOWN}/mcp"):
        document = stack.api.get(path, key="").body
        assert document == {
            "resource": "http://127.0.0.1/mcp",
            "resource_name": "Membrane",
            "bearer_methods_supported": ["header"],
            "authorization_servers": [stack.issuer.url],
            "scopes_supported": ["memory"],
        }


def test_a_token_and_a_key_open_the_same_endpoint(stack: Stack) -> None:
    assert stack.list_tools(stack.token()).status == 200
    assert stack.list_tools(stack.api.secret).status == 200


def test_a_token_remembers_in_the_scope_of_its_subject_alone(stack: Stack) -> None:
    stack.call(stack.token(), "remember", text="Ana keeps the spare key at the bakery")

    mine = stack.call(stack.token(), "recall", query="Where is the spare key?")
    others = stack.call(stack.token(sub="eve"), "recall", query="Where is the spare key?")

    assert "bakery" in json.dumps(mine)
    assert "bakery" not in json.dumps(others)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": 1}, "the access token has expired"),
        ({"aud": "https://other.example"}, "the access token is for a different audience"),
        ({"scope": "openid"}, "no rule gives rights to the claims of the caller"),
        ({"sub": "ana:*"}, "the claim sub of the caller must be a text of"),
        ({"key": other_key()}, "the access token is not signed by the issuer"),
    ],
    ids=["expired", "audience", "no rule", "a prefix as a claim", "a stranger's key"],
)
def test_the_client_of_a_refused_token_learns_the_reason(
    stack: Stack, changes: dict[str, Any], reason: str
) -> None:
    refused = stack.list_tools(stack.token(**changes))

    assert refused.status == 401
    challenge = refused.headers["www-authenticate"]
    assert f'error="invalid_token", error_description="{reason}' in challenge


def test_a_token_opens_no_other_route(stack: Stack) -> None:
    assert stack.api.get("/v1/records", key=stack.token()).status == 403


def test_an_issuer_that_does_not_answer_is_no_refusal_of_the_token(stack: Stack) -> None:
    published = stack.issuer.documents.pop(DISCOVERY)
    stack.api.functions.start_afresh()

    reply = stack.list_tools(stack.token())

    assert reply.status == 503
    assert reply.headers["retry-after"]
    assert reply.body["code"] == "UNAVAILABLE"
    stack.issuer.documents[DISCOVERY] = published
    stack.api.functions.start_afresh()
    assert stack.list_tools(stack.token()).status == 200
