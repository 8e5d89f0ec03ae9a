"""The HTTP API: routes, the authorizer, and events in payload format 2.0."""

import base64
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from membrane.adapters.aws_lambda.authorizer import authorizer_context
from membrane.adapters.aws_lambda.http.problems import headers_of, problem
from membrane.adapters.aws_lambda.invocation import StreamedReply
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.sizes import MAX_PAYLOAD_BYTES
from membrane_local.account import OWNER
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError
from membrane_local.http.cors import (
    Configuration,
    preflight_response,
    reply_headers,
)
from membrane_local.http_messages import Emit, Request, Response

NOT_FOUND = Response.of_json(404, {"message": "Not Found"})
UNAUTHORIZED = Response.of_json(401, {"message": "Unauthorized"})
FORBIDDEN = Response.of_json(403, {"message": "Forbidden"})
FAILED = Response.of_json(500, {"message": "Internal Server Error"})
TIMED_OUT = Response.of_json(503, {"message": "Service Unavailable"})

REQUEST_ID = "apigw-requestid"
"""The header of every reply with the id of the request, which the function's log lines have."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the API with the function behind the route."""

    key: str
    function: str
    is_open: bool

    @property
    def is_ingest(self) -> bool:
        """Whether the reader of the table's stream waits for requests to the route."""
        return self.key.startswith("POST /v1/ingest")

    @property
    def precedence(self) -> tuple[bool, int]:
        """The order in which the API tries its routes: whole paths, `{id}`, then `{path+}`.

        Of several greedy routes the longest comes first.
        """
        is_greedy = self.key.endswith("+}")
        return is_greedy, -len(self.key) if is_greedy else self.key.count("{")

    def match(self, method: str, raw_path: str) -> dict[str, str] | None:
        """The decoded path parameters; None without a match.

        `{id}` takes one segment, `{path+}` at the end the rest of the path.
        """
        wanted, template = self.key.split(" ", 1)
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
        pattern = re.sub(r"\\{(\w+)\\\+\\}$", r"(?P<\1>.+)", pattern)
        found = re.fullmatch(pattern, raw_path) if method == wanted else None
        if found is None:
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}


@dataclass(frozen=True)
class Gateway:
    """Answers requests with the template's functions."""

    functions: Functions
    requires_keys: bool = True

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The routes in the order of precedence."""
        routes = [
            Route(key, function.logical_id, is_open)
            for function in self.functions.template.functions
            for keys, is_open in ((function.open_routes, True), (function.closed_routes, False))
            for key in keys
        ]
        return tuple(sorted(routes, key=lambda route: route.precedence))

    @cached_property
    def cors(self) -> Configuration:
        return self.functions.template.cors

    def answer(self, request: Request) -> Response:
        """The function's response, else the gateway's own.

        The response of a streamed reply has no body: the request's `emit` has sent the pieces.
        """
        preflight = preflight_response(self.cors, request)
        if preflight is not None:
            return preflight
        headers = {**reply_headers(self.cors, request), REQUEST_ID: request.request_id}
        response = self._answer(_emitting_with(headers, request))
        return replace(response, headers={**response.headers, **headers})

    def _answer(self, request: Request) -> Response:
        for route in self.routes:
            parameters = route.match(request.method, request.raw_path)
            if parameters is not None:
                return self._answer_on(route, parameters, request)
        return NOT_FOUND

    def principal_context(self, request: Request) -> Mapping[str, Any] | Response:
        """The authorizer's context, or the refusal."""
        if not self.requires_keys:
            return authorizer_context(OWNER)
        header = request.headers.get("authorization", "")
        if not header:
            return UNAUTHORIZED
        event = {
            "version": "2.0",
            "type": "REQUEST",
            "identitySource": [header],
            "headers": {**request.headers, "x-forwarded-proto": "http"},
        }
        try:
            answer = self.functions.invoke(self.functions.template.authorizer_id, event)
        except FunctionError:
            return FAILED
        return dict(answer["context"]) if answer["isAuthorized"] else FORBIDDEN

    def _answer_on(self, route: Route, parameters: Mapping[str, str], request: Request) -> Response:
        try:
            is_open = route.is_open and self.requires_keys
            context = {} if is_open else self.principal_context(request)
            if isinstance(context, Response):
                return context
            event = self._event(route, parameters, request, context)
            with self._counted_if_ingest(route):
                return _response(self._reply(route.function, event, request))
        except FunctionError:
            return FAILED
        except PayloadTooLargeError:
            return too_large(request)

    def _reply(self, function: str, event: Mapping[str, Any], request: Request) -> Any:
        if request.emit is None:
            return self.functions.invoke(function, event)
        return self.functions.invoke_streaming(function, event, request.emit)

    def _counted_if_ingest(self, route: Route) -> AbstractContextManager[None]:
        return self.functions.ingests.under_way() if route.is_ingest else nullcontext()

    def _event(
        self,
        route: Route,
        parameters: Mapping[str, str],
        request: Request,
        context: Mapping[str, Any],
    ) -> dict[str, Any]:
        now = self.functions.clock.now()
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": route.key,
            "rawPath": unquote(request.raw_path),
            "rawQueryString": request.raw_query,
            "headers": {**request.headers, "x-forwarded-proto": "http"},
            "requestContext": {
                "accountId": "000000000000",
                "apiId": "local",
                "domainName": request.headers.get("host", ""),
                "http": {
                    "method": request.method,
                    "path": unquote(request.raw_path),
                    "protocol": "HTTP/1.1",
                    "sourceIp": "127.0.0.1",
                    "userAgent": request.headers.get("user-agent", ""),
                },
                "requestId": request.request_id,
                "routeKey": route.key,
                "stage": "$default",
                "time": rfc3339(now),
                "timeEpoch": int(epoch_seconds(now) * 1000),
            },
            "isBase64Encoded": False,
        }
        if context:
            event["requestContext"]["authorizer"] = {"lambda": dict(context)}
        if parameters:
            event["pathParameters"] = dict(parameters)
        return event | _body(request.body)


def too_large(request: Request) -> Response:
    """In AWS the gateway refuses an oversized body with a body of its own."""
    error = TooLarge(f"a request and its reply may each have {MAX_PAYLOAD_BYTES} bytes at most")
    body = {**problem(error), "request_id": request.request_id}
    return with_request_id(Response.of_json(413, body, headers_of(error)), request)


def with_request_id(response: Response, request: Request) -> Response:
    """The response with the id of the request, as API Gateway adds the id to every reply."""
    return replace(response, headers={**response.headers, REQUEST_ID: request.request_id})


def _emitting_with(headers: Mapping[str, str], request: Request) -> Request:
    """The request, of which a streamed reply has the headers, too."""
    emit = request.emit
    return request if emit is None else replace(request, emit=_with_headers(headers, emit))


def _with_headers(headers: Mapping[str, str], emit: Emit) -> Emit:
    def emit_with_headers(reply: StreamedReply) -> None:
        emit(reply._replace(headers={**reply.headers, **headers}))

    return emit_with_headers


def _body(body: bytes) -> dict[str, Any]:
    """The body as text, or as base64 for bytes that are not UTF-8, like API Gateway's."""
    if not body:
        return {}
    try:
        return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}


def _response(reply: Mapping[str, Any]) -> Response:
    headers = {name.lower(): str(value) for name, value in reply.get("headers", {}).items()}
    return Response(reply["statusCode"], headers, reply.get("body", "").encode())
