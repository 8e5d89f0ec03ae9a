"""The HTTP routes of the function of MCP: MCP itself, the tools, and the metadata for clients."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from membrane.adapters.aws_lambda.agents.challenge import (
    METADATA_ROUTES,
    bearer_of,
    challenge,
    protected_resource,
)
from membrane.adapters.aws_lambda.agents.server import memory_server
from membrane.adapters.aws_lambda.http.gateway import answer_http, caller
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.http.problems import problem_reply
from membrane.adapters.aws_lambda.invocation import WARM_UP
from membrane.adapters.aws_lambda.mcp.endpoint import answer_mcp, refusal_of_origin
from membrane.domain.access.bearer_tokens import Unauthenticated
from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.requests import Profile
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.usecases.ports.services_bearer import BearerServices

PROFILE = "profile"


def answer_agents(
    event: Mapping[str, Any], operations: Iterable[Operation], services: BearerServices
) -> JsonObject:
    """The reply to a request on a route of the operations, of MCP, or of the metadata."""
    if event == WARM_UP:
        return {}
    route: str = event["routeKey"]
    if route in METADATA_ROUTES:
        return protected_resource(event, services.access_tokens)
    if not route.endswith(" /mcp"):
        return answer_http(event, operations, services)
    foreign = refusal_of_origin(event, services.web_origins)
    if foreign is not None:
        return foreign
    try:
        principal = _principal(event, services)
        server = memory_server(services, _profile(event))
    except Unauthenticated as error:
        return challenge(event, error, services.access_tokens)
    except DomainError as error:
        return problem_reply(error)
    return answer_mcp(event, server, principal, services.web_origins)


def _principal(event: Mapping[str, Any], services: BearerServices) -> Principal:
    """The caller; an authorizer answers for the caller in a local stack without keys alone."""
    if "authorizer" in event["requestContext"]:
        return caller(event, services.guard)
    return authenticate_bearer(
        bearer_of(event),
        keys=services.kept_keys,
        access_tokens=services.access_tokens,
        now=services.now(),
    )


def _profile(event: Mapping[str, Any]) -> Profile:
    """The profile in the query; raises InvalidArgument for an unknown word."""
    asked = dict(parse_qsl(event.get("rawQueryString", ""))).get(PROFILE, Profile.AGENT)
    if asked not in set(Profile):
        raise InvalidArgument(f"profile must be one of: {', '.join(Profile)}").at(PROFILE)
    return Profile(asked)
