"""The HTTP API: routes, the authorizer, CORS, and events in payload format 2.0."""

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from membrane.adapters.aws_lambda.authorizer import authorizer_context
from membrane.adapters.aws_lambda.http.problems import headers_of, problem
from membrane.adapters.aws_lambda.invocation import StreamedReply
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import MAX_PAYLOAD_BYTES
from membrane_local.account import ACCOUNT, OWNER
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError
from membrane_local.http_messages import Request, Response
from membrane_local.refusals import TemplateError
from membrane_local.template import FUNCTION, Template

NOT_FOUND = Response.of_json(404, {"message": "Not Found"})
UNAUTHORIZED = Response.of_json(401, {"message": "Unauthorized"})
FORBIDDEN = Response.of_json(403, {"message": "Forbidden"})
FAILED = Response.of_json(500, {"message": "Internal Server Error"})
TIMED_OUT = Response.of_json(503, {"message": "Service Unavailable"})

REQUEST_ID = "apigw-requestid"
"""The header of every reply with the id of the request, which the function's log lines have."""

_STREAM = {"POST /v1/chat/stream": "chat"}
_OPEN = {
    "GET /health": "health",
    "POST /mcp": "mcp",
    "GET /mcp": "mcp",
    "DELETE /mcp": "mcp",
    "GET /.well-known/oauth-protected-resource": "mcp",
    "GET /.well-known/oauth-protected-resource/mcp": "mcp",
}
"""The routes that are no rows, with the folders of their functions; _OPEN without an authorizer."""


@dataclass(frozen=True, slots=True)
class Route:
    key: str
    function: str
    is_open: bool
    pattern: re.Pattern[str]
    """Of the method and the path: `{id}` takes one segment, `{path+}` the rest of the path."""

    @classmethod
    def of(cls, key: str, function: str = "", *, is_open: bool = False) -> "Route":
        single = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(key))
        pattern = re.sub(r"\\{(\w+)\\\+\\}$", r"(?P<\1>.+)", single)
        return cls(key, function, is_open, re.compile(pattern))

    @property
    def precedence(self) -> tuple[bool, int]:
        """The order in which the API tries its routes: whole paths, `{id}`, then `{path+}`.

        Of several greedy routes the longest comes first.
        """
        is_greedy = self.key.endswith("+}")
        return is_greedy, -len(self.key) if is_greedy else self.key.count("{")

    def match(self, method: str, raw_path: str) -> dict[str, str] | None:
        """The decoded path parameters; None without a match."""
        found = self.pattern.fullmatch(f"{method} {raw_path}")
        if found is None:
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}


def routes_of(template: Template) -> tuple[Route, ...]:
    """The routes to the functions of the template, in the order of precedence.

    Raises TemplateError for a route of the template without a row.
    """
    functions = {each.folder.name: each.logical_id for each in template.functions}
    folders = _OPEN | {row.route: row.function for row in ROWS} | _STREAM
    unknown = sorted(set(_keys_in(template)) - folders.keys())
    if unknown:
        raise TemplateError(f"the template's route {unknown[0]} has no row, so nothing answers it")
    routes = [
        Route.of(key, functions[folder], is_open=key in _OPEN)
        for key, folder in folders.items()
        if folder in functions
    ]
    return tuple(sorted(routes, key=lambda route: route.precedence))


def _keys_in(template: Template) -> Iterator[str]:
    """The keys of the routes that the template's functions have."""
    for function in template.properties_of(FUNCTION).values():
        for event in function.get("Events", {}).values():
            if event["Type"] == "HttpApi":
                asked = event["Properties"]
                yield f"{asked['Method'].upper()} {asked['Path']}"


@dataclass(frozen=True)
class Gateway:
    functions: Functions
    routes: tuple[Route, ...]
    requires_keys: bool = True

    def answer(self, request: Request) -> Response:
        """The function's response, else the gateway's own.

        The response of a streamed reply has no body: the request's `emit` has sent the pieces.
        """
        cors = self.functions.template.cors
        headers = _cors_headers(cors, request)
        asks_before = {"origin", "access-control-request-method"} <= request.headers.keys()
        if cors and request.method == "OPTIONS" and asks_before:
            return Response(204, headers | (_preflight_headers(cors) if headers else {}), b"")
        headers[REQUEST_ID] = request.request_id
        response = self._answer(_emitting_with(headers, request))
        return replace(response, headers={**response.headers, **headers})

    def _answer(self, request: Request) -> Response:
        for route in self.routes:
            path = route.match(request.method, request.raw_path)
            if path is not None:
                return self._answer_on(route, path, request)
        return NOT_FOUND

    def principal_context(self, request: Request) -> Mapping[str, Any] | Response:
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

    def _answer_on(self, route: Route, path: Mapping[str, str], request: Request) -> Response:
        """The response of the function; the reader of the stream waits for requests of ingest."""
        try:
            is_open = route.is_open and self.requires_keys
            context = {} if is_open else self.principal_context(request)
            if isinstance(context, Response):
                return context
            event = self._event(route, path, request, context)
            is_ingest = route.key.startswith("POST /v1/ingest")
            with self.functions.ingests.under_way() if is_ingest else nullcontext():
                return _response(self.functions.invoke(route.function, event, emit=request.emit))
        except FunctionError:
            return FAILED
        except PayloadTooLargeError:
            return too_large(request)

    def _event(
        self, route: Route, path: Mapping[str, str], request: Request, context: Mapping[str, Any]
    ) -> dict[str, Any]:
        now = self.functions.clock.now()
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": route.key,
            "rawPath": unquote(request.raw_path),
            "rawQueryString": request.raw_query,
            "headers": {**request.headers, "x-forwarded-proto": "http"},
            "requestContext": {
                "accountId": ACCOUNT,
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
        if path:
            event["pathParameters"] = dict(path)
        return event | _body(request.body)


def too_large(request: Request) -> Response:
    """In AWS the gateway refuses an oversized body with a body of its own."""
    error = TooLarge(f"a request and its reply may each have {MAX_PAYLOAD_BYTES} bytes at most")
    body = {**problem(error), "request_id": request.request_id}
    return with_request_id(Response.of_json(413, body, headers_of(error)), request)


def with_request_id(response: Response, request: Request) -> Response:
    """The response with the id of the request, as API Gateway adds the id to every reply."""
    return replace(response, headers={**response.headers, REQUEST_ID: request.request_id})


def _preflight_headers(cors: Mapping[str, Any]) -> dict[str, str]:
    return {
        "access-control-allow-methods": ",".join(cors["AllowMethods"]),
        "access-control-allow-headers": ",".join(cors["AllowHeaders"]),
        "access-control-max-age": str(cors["MaxAge"]),
    }


def _cors_headers(cors: Mapping[str, Any], request: Request) -> dict[str, str]:
    """The headers that let a page read the reply; empty for a caller of another origin."""
    origin = request.headers.get("origin", "")
    if origin not in cors.get("AllowOrigins", ()):
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": ",".join(cors["ExposeHeaders"]),
    }


def _emitting_with(headers: Mapping[str, str], request: Request) -> Request:
    """The request, of which a streamed reply has the headers, too."""
    emit = request.emit
    if emit is None:
        return request

    def emit_with_headers(reply: StreamedReply) -> None:
        emit(reply._replace(headers={**reply.headers, **headers}))

    return replace(request, emit=emit_with_headers)


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
