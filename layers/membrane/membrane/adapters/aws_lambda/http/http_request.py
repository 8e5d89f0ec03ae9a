"""The parts of an HTTP event, payload format 2.0."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from membrane.domain.access.principals import USER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import MAX_DEPTH, JsonObject, parse_json

IF_MATCH, IF_NONE_MATCH = "if-match", "if-none-match"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class HttpRequest(NamedTuple):
    """The parts of an HTTP event from which a request is assembled."""

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
