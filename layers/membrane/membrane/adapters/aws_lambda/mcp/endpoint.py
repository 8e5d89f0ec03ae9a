"""The endpoint `POST /mcp`: a gateway event to a reply, for any content of the event.

No session and no open stream: any execution environment answers any request.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from membrane.adapters.aws_lambda.http.http_request import body_of
from membrane.adapters.aws_lambda.http.problems import kind_of, problem
from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_ALLOWED,
    PARSE_ERROR,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.features import CallerT_contra, Exchange, Features, Progress
from membrane.adapters.aws_lambda.mcp.headers import (
    EVENT_STREAM,
    JSON,
    Headers,
    accepted_types,
    require_allowed_origin,
    require_same_as_body,
)
from membrane.adapters.aws_lambda.mcp.messages import (
    Message,
    RequestId,
    error_message,
    fields_present,
    id_of,
    is_id,
    message_of,
    notification_message,
    parse_body,
    result_message,
)
from membrane.adapters.aws_lambda.mcp.metadata import (
    CURRENT,
    PROGRESS_TOKEN,
    client_capabilities,
    meta_of,
    version_of,
)
from membrane.adapters.aws_lambda.mcp.methods import Answer, Call, run_method
from membrane.adapters.aws_lambda.mcp.params import objects_of, optional_text
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.records.sizes import MAX_BODY_BYTES, is_surely_within, payload_bytes

ACCEPTED = 202


def answer_mcp(
    event: Mapping[str, Any],
    features: Features[CallerT_contra],
    caller: CallerT_contra,
    allowed_origins: Collection[str] = (),
) -> JsonObject:
    """The gateway's reply to a request of an authenticated caller.

    `allowed_origins` holds the origins of web pages that may ask, such as `https://example.com`.
    """
    request_id = None
    try:
        headers = event.get("headers") or {}
        require_allowed_origin(headers, allowed_origins)
        _require_post(event)
        accepted = accepted_types(headers)
        sent = parse_body(_body(event))
        request_id = id_of(sent)
        message = message_of(sent)
        if message.id is None:
            return {"statusCode": ACCEPTED, "headers": {}}
        call = _call(message, headers, features, caller)
        return _success(run_method(message.method, call), message.id, call, accepted)
    except McpError as error:
        return _refusal(error, request_id)
    except DomainError as error:
        return _refusal(_mcp_error(error), request_id)


def refusal_of_origin(
    event: Mapping[str, Any], allowed_origins: Collection[str] = ()
) -> JsonObject | None:
    """The refusal of a web page of another origin; None for any other caller.

    The check needs no caller, so that a page without a key is told the same as a page with a key.
    """
    try:
        require_allowed_origin(event.get("headers") or {}, allowed_origins)
    except McpError as error:
        return _refusal(error, None)
    return None


def _require_post(event: Mapping[str, Any]) -> None:
    if event["requestContext"]["http"]["method"] != "POST":
        raise McpError(INVALID_REQUEST, "send messages by POST", status=METHOD_NOT_ALLOWED)


def _body(event: Mapping[str, Any]) -> str | bytes | None:
    try:
        return body_of(event)
    except InvalidArgument as error:
        raise McpError(PARSE_ERROR, str(error), status=BAD_REQUEST) from error


def _call(message: Message, headers: Headers, features: Features[Any], caller: Any) -> Call:
    """The call by a request; raises McpError for headers or `_meta` against the version's rules."""
    meta = meta_of(message)
    version = version_of(headers, meta)
    capabilities: JsonObject = {}
    if version == CURRENT:
        capabilities = client_capabilities(meta)
        require_same_as_body(headers, message)
    params = message.params
    exchange = Exchange(
        meta,
        capabilities,
        objects_of(params, "inputResponses"),
        optional_text(params, "requestState"),
    )
    return Call(params, version, features, caller, exchange)


def _success(
    answer: Answer, request_id: RequestId, call: Call, accepted: Collection[str]
) -> JsonObject:
    """JSON; events if the client takes no JSON or asked for the steps of a tool.

    Raises McpError for a reply that Lambda would refuse.
    """
    response = result_message(request_id, answer.result)
    steps = progress_messages(answer.progress, call.exchange.meta.get(PROGRESS_TOKEN))
    if JSON in accepted and not (steps and EVENT_STREAM in accepted):
        kind, body = JSON, compact_json(response)
    else:
        kind, body = EVENT_STREAM, event_stream((*steps, response))
    if not is_surely_within(body) and payload_bytes(body) > MAX_BODY_BYTES:
        raise McpError(INTERNAL_ERROR, f"the reply would be larger than {MAX_BODY_BYTES} bytes")
    return _reply(200, kind, body)


def _refusal(error: McpError, request_id: RequestId | None) -> JsonObject:
    reply = _reply(error.status, JSON, compact_json(error_message(error, request_id)))
    if error.status == METHOD_NOT_ALLOWED:
        reply["headers"]["allow"] = "POST"
    return reply


def _mcp_error(error: DomainError) -> McpError:
    """A refusal by the product, with the problem document of the HTTP API."""
    is_ours = kind_of(error).status >= 500  # noqa: PLR2004 - the class of the status
    code = INTERNAL_ERROR if is_ours else INVALID_PARAMS
    return McpError(code, str(error), problem(error))


def _reply(status: int, kind: str, body: str) -> JsonObject:
    return {"statusCode": status, "headers": {"content-type": kind}, "body": body}


def event_stream(messages: Iterable[JsonObject]) -> str:
    """The messages as events; JSON without spaces has no line break."""
    return "".join(f"event: message\ndata: {compact_json(each)}\n\n" for each in messages)


def progress_messages(steps: Sequence[Progress], token: Any) -> Sequence[JsonObject]:
    """The notifications of the steps; none for a client without a token for progress."""
    return [_progress_message(each, token) for each in steps] if is_id(token) else []


def _progress_message(step: Progress, token: RequestId) -> JsonObject:
    params = fields_present(
        progressToken=token, progress=step.progress, total=step.total, message=step.message
    )
    return notification_message("notifications/progress", params)
