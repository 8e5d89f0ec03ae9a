"""The OAuth challenge of the MCP route, and the document about the protected resource (RFC 9728).

A Lambda authorizer of API Gateway cannot send the header of a challenge, so that the function of
the route authenticates by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane.adapters.aws_lambda.http.problems import unauthenticated_reply
from membrane.adapters.aws_lambda.invocation import Reply
from membrane.domain.access.bearer_tokens import Unauthenticated
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.access_tokens import AccessTokens

RESOURCE_PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
METADATA_ROUTES = (f"GET {METADATA_PATH}", f"GET {METADATA_PATH}{RESOURCE_PATH}")

_KEPT_S = 300


def bearer_of(event: Mapping[str, Any]) -> str:
    """The `Authorization` header of a request; empty without the header."""
    return str(event["headers"].get("authorization", ""))


def challenge(
    event: Mapping[str, Any], error: Unauthenticated, access_tokens: AccessTokens | None
) -> Reply:
    """The refusal of a caller, with the address of the document about the resource."""
    parameters = {"resource_metadata": f"{_base_url(event)}{METADATA_PATH}{RESOURCE_PATH}"}
    words = _oauth_scopes(access_tokens)
    if words:
        parameters["scope"] = " ".join(words)
    if bearer_of(event):  # RFC 6750, section 3.1: no error code for a request without a token
        parameters["error"] = "invalid_token"
        # RFC 6750 allows no other characters here
        quotable = (each for each in str(error) if " " <= each <= "~" and each not in '"\\')
        parameters["error_description"] = "".join(quotable)
    quoted = ", ".join(f'{name}="{value}"' for name, value in parameters.items())
    return unauthenticated_reply(error, {"www-authenticate": f"Bearer {quoted}"})


def protected_resource(event: Mapping[str, Any], access_tokens: AccessTokens | None) -> Reply:
    """The document that names the resource and, once the operator trusts an issuer, the issuer."""
    document: JsonObject = {
        "resource": f"{_base_url(event)}{RESOURCE_PATH}",
        "bearer_methods_supported": ["header"],
        "resource_name": "Membrane",
    }
    if access_tokens is not None:
        document["authorization_servers"] = [access_tokens.issuer]
    words = _oauth_scopes(access_tokens)
    if words:
        document["scopes_supported"] = words
    headers = {"content-type": "application/json", "cache-control": f"max-age={_KEPT_S}"}
    return {"statusCode": 200, "headers": headers, "body": compact_json(document)}


def _base_url(event: Mapping[str, Any]) -> str:
    """The address of the API, with the stage or the path mapping of a domain, without a final `/`.

    API Gateway names the domain; a `Host` header of the caller has no influence. Only the local
    stack forwards HTTP.
    """
    context = event["requestContext"]
    scheme = "http" if event["headers"].get("x-forwarded-proto") == "http" else "https"
    path = event["routeKey"].partition(" ")[2]
    before = event["rawPath"].removesuffix(path) if event["rawPath"].endswith(path) else ""
    return f"{scheme}://{context['domainName']}{before}"


def _oauth_scopes(access_tokens: AccessTokens | None) -> Sequence[str]:
    """The words of OAuth scopes that the rules ask for, sorted: a client requests the words."""
    if access_tokens is None:
        return []
    return sorted({word for rule in access_tokens.rules for word in rule.words})
