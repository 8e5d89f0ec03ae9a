"""The OAuth challenge, and the document about the protected resource."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from membrane.adapters.aws_lambda.agents.challenge import (
    METADATA_ROUTES,
    bearer_of,
    challenge,
    protected_resource,
)
from membrane.domain.access.bearer_tokens import Claims, Unauthenticated
from membrane.usecases.ports.access_tokens import AccessTokens
from membrane.wiring.token_rules import token_rules
from tests.builders.token_rules import RULE

EXPIRED = Unauthenticated("the access token has expired")
METADATA = "https://api.example/.well-known/oauth-protected-resource/mcp"


class NoVerifier:
    """A TokenVerifier that no reply may ask."""

    def verify(self, _token: str) -> Claims:
        """See TokenVerifier."""
        raise AssertionError


def trusting(*whens: Mapping[str, Any]) -> AccessTokens:
    rules = token_rules([{**RULE, "when": when} for when in whens])
    return AccessTokens("https://id.example/", rules, NoVerifier())


def event(route: str = "POST /mcp", path: str | None = None, **headers: str) -> dict[str, Any]:
    """An event of the route, at the domain api.example."""
    return {
        "routeKey": route,
        "rawPath": path or route.split(" ")[1],
        "headers": {"host": "evil.example", **headers},
        "requestContext": {"domainName": "api.example", "stage": "$default"},
    }


def document(event: Mapping[str, Any], trusted: AccessTokens | None = None) -> dict[str, Any]:
    reply = protected_resource(event, trusted)
    assert reply["statusCode"] == 200
    assert reply["headers"]["content-type"] == "application/json"
    return dict(json.loads(reply["body"]))


def test_a_request_without_a_token_is_told_where_the_document_is() -> None:
    error = Unauthenticated("a token is required")

    reply = challenge(event(), error, None)

    assert reply["statusCode"] == 401
    assert reply["headers"]["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'
    assert reply["headers"]["content-type"] == "application/problem+json"
    assert json.loads(reply["body"]) == {
        "title": "Not authenticated",
        "status": 401,
        "code": "UNAUTHENTICATED",
        "detail": "a token is required",
    }


def test_a_refused_token_is_an_error_with_its_reason() -> None:
    reply = challenge(event(authorization="Bearer a.b.c"), EXPIRED, None)

    assert reply["headers"]["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", error="invalid_token", '
        'error_description="the access token has expired"'
    )


def test_the_reason_cannot_leave_its_quotes() -> None:
    error = Unauthenticated('the claim a", b="c\\\r\nX: é is missing')

    value = challenge(event(authorization="Bearer a"), error, None)["headers"]["www-authenticate"]

    assert value.endswith('error_description="the claim a, b=cX:  is missing"')


def test_a_client_learns_which_scopes_the_rules_ask_for() -> None:
    trusted = trusting({"scope": "memory.write"}, {"scp": "memory.read"}, {"groups": "agents"})

    value = challenge(event(), EXPIRED, trusted)["headers"]["www-authenticate"]

    assert value.endswith(', scope="memory.read memory.write"')
    assert document(event(), trusted)["scopes_supported"] == ["memory.read", "memory.write"]


@pytest.mark.parametrize("route", METADATA_ROUTES)
def test_the_document_names_the_resource_and_the_trusted_issuer(route: str) -> None:
    assert document(event(route), trusting({})) == {
        "resource": "https://api.example/mcp",
        "bearer_methods_supported": ["header"],
        "resource_name": "Membrane",
        "authorization_servers": ["https://id.example/"],
    }


def test_without_a_trusted_issuer_the_document_names_none() -> None:
    assert "authorization_servers" not in document(event(METADATA_ROUTES[0]))


def test_addresses_have_the_stage_of_the_api() -> None:
    at_stage = event(METADATA_ROUTES[0], "/prod/.well-known/oauth-protected-resource")

    assert document(at_stage)["resource"] == "https://api.example/prod/mcp"
    value = challenge(event(path="/prod/mcp"), EXPIRED, None)["headers"]["www-authenticate"]
    assert "https://api.example/prod/.well-known/oauth-protected-resource/mcp" in value


def test_the_local_stack_has_addresses_of_http() -> None:
    assert document(event(**{"x-forwarded-proto": "http"}))["resource"] == "http://api.example/mcp"
    assert document(event(**{"x-forwarded-proto": "x"}))["resource"] == "https://api.example/mcp"


def test_the_bearer_is_the_authorization_header() -> None:
    assert bearer_of(event(authorization="Bearer key")) == "Bearer key"
    assert bearer_of(event()) == ""
