"""API Gateway HTTP API events (payload format 2.0) and replies."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from membrane.adapters.aws_lambda.http import operations
from membrane.adapters.aws_lambda.http.assembling import assemble
from membrane.adapters.aws_lambda.http.problems import problem_reply
from membrane.adapters.aws_lambda.invocation import WARM_UP
from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language import json_text
from membrane.domain.language.errors import DomainError, PermissionDenied
from membrane.domain.language.values import is_surely_within
from membrane.usecases.machinery.calls import ReplyBody, known_values, reply_body, was_reinforced
from membrane.usecases.ports.world import World
from membrane.usecases.records.inline_large_values import inline_large_values


def is_http(event: Mapping[str, Any]) -> bool:
    context = event.get("requestContext")
    return isinstance(context, Mapping) and "http" in context


def answer_http(
    event: Mapping[str, Any], rows: Iterable[operations.Row], world: World
) -> json_text.JsonObject:
    """The reply to a request on a route of the rows; a DomainError becomes a reply, too."""
    if event == WARM_UP:
        return {}
    row = next(found for found in rows if found.route == event["routeKey"])
    headers = event["headers"]
    key = headers.get("idempotency-key")
    try:
        with operations.reporting(row.rpc, world):
            principal = caller(event, world.guard)
            row.require_permission(principal)  # before any parsing of the request
            request = operations.request_of(event)
            asked = request.with_user(assemble(row, request))
            result = operations.perform(row, asked, principal, world, key)
            return _success(row, result, world)
    except DomainError as error:
        is_conditional = operations.IF_MATCH in headers or operations.IF_NONE_MATCH in headers
        return problem_reply(error, is_conditional=is_conditional)


def caller(event: Mapping[str, Any], guard: Guard) -> Principal:
    """The principal from the context of the guard's authorizer.

    A route without authorizer is a fault of the template. Raises PermissionDenied for the context
    of another authorizer, and for a caller to whom no rule gives rights.
    """
    context = event["requestContext"]["authorizer"].get(_CONTEXTS[guard.by])
    if context is None:
        raise PermissionDenied("the request did not pass the authorizer of this deployment")
    if guard.by is not Guarding.KEY:
        from membrane.adapters.aws_lambda.http.guarded_callers import guarded_principal

        return guarded_principal(event, context, guard)
    users = {name: context[name] for name in _USERS if name in context}
    return _principal(
        context["actor_id"],
        _hashable(context["permissions"]),
        _hashable(context["scopes"]),
        context["max_sensitivity"],
        **users,
    )


_CONTEXTS = {Guarding.KEY: "lambda", Guarding.IAM: "iam", Guarding.JWT: "jwt"}
"""The name of each authorizer's context in an event."""

_USERS = ("user_prefix", "user_required")


def _hashable(words: Any) -> Any:
    """A list as a tuple; `principal_of` refuses any other unexpected value."""
    return tuple(words) if isinstance(words, list) else words


_principal = lru_cache(maxsize=1_024)(principal_of)
"""Cached: an environment answers the same callers again and again."""


def _success(row: operations.Row, result: Any, world: World) -> json_text.JsonObject:
    headers = {"content-type": "application/json"}
    status = row.status
    if getattr(result, "replayed", False):
        headers["idempotency-replayed"] = "true"
        status = operations.NO_CONTENT if status == operations.NO_CONTENT else 200
    if was_reinforced(result):
        status = 200
    if isinstance(result, ReplyBody) and result.version is not None:
        headers["etag"] = f'"{result.version}"'
    if status == operations.NO_CONTENT:
        return {"statusCode": operations.NO_CONTENT, "headers": headers}
    return {"statusCode": status, "headers": headers, "body": _body_text(result, world)}


def _body_text(result: Any, world: World) -> str:
    """The body as text; values in the bucket are put in place if there are any."""
    body = reply_body(result)
    met: list[json_text.Printable] = []
    text = json_text.compact_json(body, met)
    if not met and is_surely_within(text):
        return text
    return json_text.compact_json(inline_large_values(body, world, known_values(result)))
