"""The HTTP routes of the function of MCP: MCP itself, the tools, and the metadata for clients.

A Lambda authorizer of API Gateway cannot send the header of an OAuth challenge, so that the route
of MCP authenticates by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from membrane.adapters.aws_lambda.agents.memory_server import MemoryServer
from membrane.adapters.aws_lambda.http.gateway import answer_http, caller
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.http.problems import problem_reply, unauthenticated_reply
from membrane.adapters.aws_lambda.invocation import WARM_UP, Reply
from membrane.adapters.aws_lambda.mcp.endpoint import answer_mcp, refusal_of_origin
from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import Unauthenticated
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.tools.requests import Profile
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.usecases.ports.keys import AccessTokens
from membrane.usecases.ports.world import World

RESOURCE_PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
METADATA_ROUTES = (f"GET {METADATA_PATH}", f"GET {METADATA_PATH}{RESOURCE_PATH}")

_KEPT_S = 300


def answer_agents(event: Mapping[str, Any], rows: Iterable[Row], world: World) -> JsonObject:
    """The reply to a request on a route of the rows, of MCP, or of the metadata."""
    if event == WARM_UP:
        return {}
    route: str = event["routeKey"]
    if route in METADATA_ROUTES:
        return _protected_resource(event, world.access_tokens)
    if not route.endswith(" /mcp"):
        return answer_http(event, rows, world)
    foreign = refusal_of_origin(event, world.web_origins)
    if foreign is not None:
        return foreign
    try:
        server = MemoryServer(world, _principal(event, world), _profile(event))
    except Unauthenticated as error:
        return _challenge(event, error, world.access_tokens)
    except DomainError as error:
        return problem_reply(error)
    return answer_mcp(event, server, world.web_origins)


def _principal(event: Mapping[str, Any], world: World) -> Principal:
    """The caller; an authorizer answers for the caller in a local stack without keys alone."""
    if "authorizer" in event["requestContext"]:
        return caller(event, world.guard)
    return authenticate_bearer(_bearer_of(event), world)


def _bearer_of(event: Mapping[str, Any]) -> str:
    """The `Authorization` header of a request; empty without the header."""
    return str(event["headers"].get("authorization", ""))


def _profile(event: Mapping[str, Any]) -> Profile:
    """The profile in the query; raises InvalidArgument for an unknown word."""
    asked = dict(parse_qsl(event.get("rawQueryString", ""))).get("profile", Profile.AGENT)
    if asked not in set(Profile):
        raise InvalidArgument(f"profile must be one of: {', '.join(Profile)}").at("profile")
    return Profile(asked)


def _challenge(
    event: Mapping[str, Any], error: Unauthenticated, access_tokens: AccessTokens | None
) -> Reply:
    """The refusal of a caller, with the address of the document about the resource."""
    parameters = {"resource_metadata": f"{_base_url(event)}{METADATA_PATH}{RESOURCE_PATH}"}
    words = _oauth_scopes(access_tokens)
    if words:
        parameters["scope"] = " ".join(words)
    if _bearer_of(event):  # RFC 6750, section 3.1: no error code for a request without a token
        parameters["error"] = "invalid_token"
        # RFC 6750 allows no other characters here
        quotable = (each for each in str(error) if " " <= each <= "~" and each not in '"\\')
        parameters["error_description"] = "".join(quotable)
    quoted = ", ".join(f'{name}="{value}"' for name, value in parameters.items())
    return unauthenticated_reply(error, {"www-authenticate": f"Bearer {quoted}"})


def _protected_resource(event: Mapping[str, Any], access_tokens: AccessTokens | None) -> Reply:
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
