"""The HTTP routes of the function of MCP: MCP itself, the tools, and the metadata for clients."""

from collections.abc import Iterable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.agents.challenge import WELL_KNOWN, challenge, protected_resource
from membrane.adapters.aws_lambda.agents.server import memory_server
from membrane.adapters.aws_lambda.http.gateway import answer_http, caller
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.mcp.endpoint import answer_mcp
from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.tools.requests import Profile
from membrane.usecases.access.known_keys import known_principal
from membrane.usecases.ports.services_tools import ToolServices

PROFILE = "profile"
BAD_REQUEST = 400


def answer_agents(
    event: Mapping[str, Any], operations: Iterable[Operation], services: ToolServices
) -> JsonObject:
    """The reply to a request on a route of the operations, of MCP, or of the metadata."""
    _, _, path = event["routeKey"].partition(" ")
    if path.startswith("/v1/"):
        return answer_http(event, operations, services)
    if path.startswith(WELL_KNOWN):
        return protected_resource(event)
    asked = (event.get("queryStringParameters") or {}).get(PROFILE, Profile.AGENT)
    if asked not in set(Profile):
        words = ", ".join(Profile)
        message = {"error": {"code": -32602, "message": f"profile must be one of: {words}"}}
        return {
            "statusCode": BAD_REQUEST,
            "headers": {"content-type": "application/json"},
            "body": compact_json({"jsonrpc": "2.0", "id": None, **message}),
        }
    principal = _principal(event, services)
    if principal is None:
        return challenge(event, has_token="authorization" in event["headers"])
    return answer_mcp(event, memory_server(services, Profile(asked)), principal)


def _principal(event: Mapping[str, Any], services: ToolServices) -> Principal | None:
    """The caller; an authorizer answers for the caller in a local stack without keys alone."""
    if "authorizer" in event["requestContext"]:
        return caller(event)
    authorization = event["headers"].get("authorization", "")
    return known_principal(authorization, services.known_principals, services)
