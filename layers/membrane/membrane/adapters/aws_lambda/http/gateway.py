"""API Gateway HTTP API events (payload format 2.0) and replies."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from membrane.adapters.aws_lambda.http.operations import Operation, perform, reporting
from membrane.adapters.aws_lambda.http.problems import problem_reply
from membrane.adapters.aws_lambda.invocation import WARM_UP
from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.users import USER
from membrane.domain.language.errors import DomainError, InvalidArgument, PermissionDenied
from membrane.domain.language.json_text import (
    MAX_DEPTH,
    Body,
    JsonObject,
    Printable,
    compact_json,
    parse_json,
)
from membrane.domain.records.sizes import is_surely_within
from membrane.usecases.machinery.calls import ReplyBody, known_values, reply_body, was_reinforced
from membrane.usecases.ports.services import Services
from membrane.usecases.records.inline_large_values import inline_large_values

NO_CONTENT = 204
IF_MATCH, IF_NONE_MATCH = "if-match", "if-none-match"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class HttpRequest(NamedTuple):
    """The parts of an HTTP event from which an operation assembles the request."""

    body: str | bytes | None
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    has_user: bool = False
    """Whether the query may name the user: a GET or DELETE may have no body."""
    headers: Mapping[str, str] = NO_HEADERS
    """By lower-case name."""

    def json_body(self, levels: int = MAX_DEPTH, *, refuses_surrogates: bool = True) -> Any:
        """The body as JSON of at most `levels` levels; raises InvalidArgument without a body."""
        if not self.body:
            raise InvalidArgument("the request needs a JSON body")
        return parse_json(self.body, levels, refuses_surrogates=refuses_surrogates)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def once(self, name: str) -> str | None:
        """The value of a query parameter; raises InvalidArgument for a repeated parameter."""
        values = self.values(name)
        if len(values) > 1:
            raise InvalidArgument(f"{name} may be given once")
        return values[0] if values else None

    def require_query_within(self, allowed: Iterable[str]) -> None:
        """Raises InvalidArgument for a query parameter that the route does not have."""
        known = {*allowed, USER} if self.has_user else set(allowed)
        if any(name not in known for name, _ in self.query):
            names = ", ".join(sorted(known)) or "none"
            raise InvalidArgument(f"unknown query parameter; this route takes: {names}")

    def with_user(self, asked: JsonObject) -> JsonObject:
        """The request's JSON with the user from the query."""
        user = self.once(USER) if self.has_user else None
        if user is None:
            return asked
        if USER in asked:
            raise InvalidArgument(f"{USER} stands in the query; the body must have none")
        return {**asked, USER: user}


def is_http(event: Mapping[str, Any]) -> bool:
    context = event.get("requestContext")
    return isinstance(context, Mapping) and "http" in context


def answer_http(
    event: Mapping[str, Any], operations: Iterable[Operation], services: Services
) -> JsonObject:
    """The reply to a request on a route of the operations; a DomainError becomes a reply, too."""
    if event == WARM_UP:
        return {}
    operation = next(found for found in operations if found.route == event["routeKey"])
    headers = event["headers"]
    key = headers.get("idempotency-key")
    try:
        with reporting(operation.rpc, services):
            principal = caller(event, services.guard)
            operation.require_permission(principal)  # before any parsing of the request
            request = request_of(event)
            asked = request.with_user(operation.assemble(request))
            result = perform(operation, asked, principal, services, key)
            return _success(operation, result, services)
    except DomainError as error:
        is_conditional = IF_MATCH in headers or IF_NONE_MATCH in headers
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


def request_of(event: Mapping[str, Any]) -> HttpRequest:
    """The parts of the event; raises InvalidArgument."""
    try:
        pairs = parse_qsl(event.get("rawQueryString", ""), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise InvalidArgument("the query string is not valid") from error
    has_user = event["routeKey"].startswith(("GET ", "DELETE "))
    path = event.get("pathParameters") or {}
    return HttpRequest(body_of(event), path, tuple(pairs), has_user, event["headers"])


def body_of(event: Mapping[str, Any]) -> str | bytes | None:
    body: str | None = event.get("body")
    if not body or not event.get("isBase64Encoded"):
        return body
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise InvalidArgument("the body is not valid base64") from error


def _success(operation: Operation, result: Any, services: Services) -> JsonObject:
    headers = {"content-type": "application/json"}
    status = operation.status
    if getattr(result, "replayed", False):
        headers["idempotency-replayed"] = "true"
        status = NO_CONTENT if status == NO_CONTENT else 200
    if was_reinforced(result):
        status = 200
    if isinstance(result, ReplyBody) and result.version is not None:
        headers["etag"] = f'"{result.version}"'
    if status == NO_CONTENT:
        return {"statusCode": NO_CONTENT, "headers": headers}
    return _reply(status, headers, _body_text(reply_body(result), result, services))


def _body_text(body: Body, result: Any, services: Services) -> str:
    """The body as text; values in the bucket are put in place if there are any."""
    met: list[Printable] = []
    text = compact_json(body, met)
    if not met and is_surely_within(text):
        return text
    return compact_json(inline_large_values(body, services, known_values(result)))


def _reply(status: int, headers: Mapping[str, str], body: str) -> JsonObject:
    return {"statusCode": status, "headers": dict(headers), "body": body}
