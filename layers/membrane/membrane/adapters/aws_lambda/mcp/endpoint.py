"""The endpoint `POST /mcp`: a gateway event to a reply, for any content of the event.

No session and no open stream: any execution environment answers any request.
"""

from collections.abc import Collection, Mapping
from typing import Any

from membrane.adapters.aws_lambda.http.operations import body_of
from membrane.adapters.aws_lambda.http.problems import kind_of, problem
from membrane.adapters.aws_lambda.mcp import protocol
from membrane.adapters.aws_lambda.mcp.methods import Call, Server, run_method
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import MAX_BODY_BYTES, is_surely_within, payload_bytes

ACCEPTED = 202


def refusal_of_origin(
    event: Mapping[str, Any], allowed_origins: Collection[str]
) -> JsonObject | None:
    """The refusal of a web page of another origin; None for any other caller.

    The check needs no caller, so that a page without a key is told the same as a page with a key.
    `allowed_origins` holds the origins of web pages that may ask, such as `https://example.com`.
    """
    try:
        protocol.require_allowed_origin(event.get("headers") or {}, allowed_origins)
    except protocol.McpError as error:
        return _refusal(error, None)
    return None


def answer_mcp(
    event: Mapping[str, Any], server: Server, allowed_origins: Collection[str]
) -> JsonObject:
    """The gateway's reply to a request of an authenticated caller of an allowed origin."""
    request_id = None
    try:
        protocol.require_allowed_origin(event.get("headers") or {}, allowed_origins)
        _require_post(event)
        headers = event.get("headers") or {}
        accepted = protocol.accepted_types(headers)
        sent = protocol.parse_body(_body(event))
        request_id = protocol.id_of(sent)
        message = protocol.message_of(sent)
        if message.id is None:
            return {"statusCode": ACCEPTED, "headers": {}}
        call = _call(message, headers)
        result = run_method(message.method, server, call)
        return _success({"jsonrpc": "2.0", "id": message.id, "result": result}, call, accepted)
    except protocol.McpError as error:
        return _refusal(error, request_id)
    except DomainError as error:
        is_ours = kind_of(error).status >= 500  # noqa: PLR2004 - the class of the status
        code = protocol.INTERNAL_ERROR if is_ours else protocol.INVALID_PARAMS
        return _refusal(protocol.McpError(code, str(error), problem(error)), request_id)


def _require_post(event: Mapping[str, Any]) -> None:
    if event["requestContext"]["http"]["method"] != "POST":
        raise protocol.McpError(
            protocol.INVALID_REQUEST, "send messages by POST", status=protocol.METHOD_NOT_ALLOWED
        )


def _body(event: Mapping[str, Any]) -> str | bytes | None:
    try:
        return body_of(event)
    except InvalidArgument as error:
        raise protocol.McpError(
            protocol.PARSE_ERROR, str(error), status=protocol.BAD_REQUEST
        ) from error


def _call(message: protocol.Message, headers: protocol.Headers) -> Call:
    """The call by a request; raises McpError for headers or `_meta` against the version's rules."""
    meta = protocol.meta_of(message.params)
    version = protocol.version_of(headers, meta)
    if version == protocol.CURRENT:
        protocol.require_capabilities(meta)
        protocol.require_same_as_body(headers, message)
    protocol.require_answers(message.params)
    return Call(message.params, meta, version)


def _success(response: JsonObject, call: Call, accepted: Collection[str]) -> JsonObject:
    """JSON, or events; raises McpError for a reply that Lambda would refuse."""
    steps = _notifications(call)
    if protocol.JSON in accepted and not (steps and protocol.EVENT_STREAM in accepted):
        kind, body = protocol.JSON, compact_json(response)
    else:  # JSON without spaces has no line break, which would end an event
        texts = map(compact_json, (*steps, response))
        kind, body = (
            protocol.EVENT_STREAM,
            "".join(f"event: message\ndata: {each}\n\n" for each in texts),
        )
    if not is_surely_within(body) and payload_bytes(body) > MAX_BODY_BYTES:
        raise protocol.McpError(
            protocol.INTERNAL_ERROR, f"the reply would be larger than {MAX_BODY_BYTES} bytes"
        )
    return {"statusCode": 200, "headers": {"content-type": kind}, "body": body}


def _notifications(call: Call) -> list[JsonObject]:
    """The notifications of the steps; none for a client without a token for progress."""
    token = call.meta.get("progressToken")
    if not protocol.is_id(token):
        return []
    shown = ({"progressToken": token, **step} for step in call.steps)
    method = "notifications/progress"
    return [{"jsonrpc": "2.0", "method": method, "params": params} for params in shown]


def _refusal(error: protocol.McpError, request_id: protocol.RequestId | None) -> JsonObject:
    headers = {"content-type": protocol.JSON}
    if error.status == protocol.METHOD_NOT_ALLOWED:
        headers["allow"] = "POST"
    body = compact_json(protocol.error_message(error, request_id))
    return {"statusCode": error.status, "headers": headers, "body": body}
