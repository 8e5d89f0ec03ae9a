"""The Lambda authorizer of the HTTP API, with simple responses."""

from collections.abc import Mapping
from typing import Any

from membrane.adapters.aws_lambda.invocation import WARM_UP
from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.access.api_keys import authenticate
from membrane.usecases.ports.world import World


def authorize(event: Mapping[str, Any], world: World) -> JsonObject:
    """The authorizer's answer for a key: authorized, and the principal; API Gateway caches it."""
    if event == WARM_UP:
        return {}
    principal = authenticate(event["identitySource"][0], keys=world.keys, now=world.now())
    if principal is None:
        return {"isAuthorized": False}
    return {"isAuthorized": True, "context": authorizer_context(principal)}


def authorizer_context(principal: Principal) -> JsonObject:
    """A principal in the form that functions behind the authorizer read from events."""
    context: JsonObject = {
        "actor_id": principal.actor_id,
        "permissions": sorted(principal.permissions),
        "scopes": list(principal.scopes),
        "max_sensitivity": str(principal.ceiling),
    }
    if principal.user_prefix:
        context |= {
            "user_prefix": principal.user_prefix,
            "user_required": principal.user_required,
        }
    return context
