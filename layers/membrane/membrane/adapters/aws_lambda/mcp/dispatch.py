"""Answer a POST with one message of MCP."""

import base64
import binascii
from collections.abc import Callable, Collection, Mapping
from typing import Any

from membrane.adapters.aws_lambda.mcp.errors import Code, ProtocolError
from membrane.adapters.aws_lambda.mcp.features import Features, Outcome, Result
from membrane.adapters.aws_lambda.mcp.headers import (
    is_stateless,
    require_headers,
    require_metadata,
)
from membrane.adapters.aws_lambda.mcp.messages import Answer, Message, id_in, read_message
from membrane.adapters.aws_lambda.mcp.methods import (
    HANDSHAKE_METHODS,
    STATELESS_METHODS,
    handshake_result,
    stateless_result,
)
from membrane.adapters.aws_lambda.mcp.origins import is_foreign
from membrane.domain.language.json_text import JsonObject, compact_json

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

OK, ACCEPTED, FORBIDDEN, NOT_ALLOWED = 200, 202, 403, 405

MAX_METHOD_CHARACTERS = 100
"""Characters of an unknown method in the refusal."""


def answer_mcp(
    event: Mapping[str, Any],
    features: Callable[[], Features],
    origins: Collection[str] = (),
) -> JsonObject:
    """The reply to an HTTP event on the path of MCP; the features are made for a request alone.

    `origins` are the sites whose pages may send requests beside the server's own.
    """
    http, headers = event["requestContext"]["http"], event.get("headers") or {}
    if is_foreign(headers, event["requestContext"]["domainName"], origins):
        return _json_reply(FORBIDDEN, {"error": {"code": -32600, "message": "foreign Origin"}})
    if http["method"] != "POST":
        return {"statusCode": NOT_ALLOWED, "headers": {"allow": "POST"}}
    body = _body(event)
    try:
        message = read_message(body)
        if isinstance(message, Answer) or message.id is None:
            return {"statusCode": ACCEPTED, "headers": {}}
        return _answer(message, headers, features)
    except ProtocolError as error:
        refused = {"id": id_in(body), "error": error.as_json()}
        return _json_reply(error.status, refused)


def _answer(
    message: Message, headers: Mapping[str, str], features: Callable[[], Features]
) -> JsonObject:
    if not is_stateless(message, headers):
        method = HANDSHAKE_METHODS.get(message.method)
        if method is None:
            raise _unknown(message, OK)
        result = method(message, features())
        return _reply(message, handshake_result(result), result, headers)
    require_metadata(message)
    require_headers(message, headers)
    method = STATELESS_METHODS.get(message.method)
    if method is None:
        raise _unknown(message)
    result = method(message, features())
    return _reply(message, stateless_result(message.method, result, message), result, headers)


def _unknown(message: Message, status: int | None = None) -> ProtocolError:
    """The refusal of a method; older clients take a status other than 200 for a broken server."""
    text = f"Method not found: {message.method[:MAX_METHOD_CHARACTERS]}"
    return ProtocolError(Code.METHOD_NOT_FOUND, text, status=status)


def _reply(
    message: Message, shown: JsonObject, result: Result, headers: Mapping[str, str]
) -> JsonObject:
    """JSON; with notifications, a finished event stream for a client that accepts one."""
    answer = {"jsonrpc": "2.0", "id": message.id, "result": shown}
    notifications = result.notifications if isinstance(result, Outcome) else ()
    if not notifications or EVENT_STREAM not in headers.get("accept", ""):
        return _json_reply(OK, answer)
    sent = [*({"jsonrpc": "2.0", **each} for each in notifications), answer]
    body = "".join(f"event: message\ndata: {compact_json(each)}\n\n" for each in sent)
    return {
        "statusCode": OK,
        "headers": {"content-type": EVENT_STREAM, "cache-control": "no-store"},
        "body": body,
    }


def _json_reply(status: int, message: JsonObject) -> JsonObject:
    return {
        "statusCode": status,
        "headers": {"content-type": JSON},
        "body": compact_json({"jsonrpc": "2.0", **message}),
    }


def _body(event: Mapping[str, Any]) -> str | bytes | None:
    body: str | None = event.get("body")
    if not body or not event.get("isBase64Encoded"):
        return body
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        return None
