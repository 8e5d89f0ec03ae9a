"""Messages of JSON-RPC 2.0: a body to a request or a notification, a result or an error to JSON."""

from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    INVALID_REQUEST,
    PARSE_ERROR,
    McpError,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import (
    MAX_DEPTH,
    JsonObject,
    is_well_formed,
    parse_json,
    require_well_formed,
)

ENVELOPE_LEVELS = 2
"""A message and its params lie around the arguments of a tool, which may have MAX_DEPTH levels."""

NOTIFICATIONS = "notifications/"

RequestId = str | int


class Message(NamedTuple):
    method: str
    params: JsonObject
    """Without the params that are null."""
    id: RequestId | None
    """None for a notification, which is not answered."""


def parse_body(body: str | bytes | None) -> Any:
    """The JSON of a body, whose texts may have lone surrogates; raises McpError."""
    try:
        return parse_json(body or "", MAX_DEPTH + ENVELOPE_LEVELS, refuses_surrogates=False)
    except InvalidArgument as error:
        raise McpError(PARSE_ERROR, str(error), status=BAD_REQUEST) from error


def id_of(sent: Any) -> RequestId | None:
    """The id for the answer to any JSON; None where no valid id can be read."""
    found = sent.get("id") if isinstance(sent, dict) else None
    return found if is_id(found) and is_well_formed(found) else None


def message_of(sent: Any) -> Message:
    """The request or the notification; raises McpError, also for a batch and for a response.

    Raises InvalidArgument with the place of a lone surrogate.
    """
    require_well_formed(sent)
    if isinstance(sent, list):
        raise _not_valid("send one message for each request: batches are not supported")
    if not isinstance(sent, dict):
        raise _not_valid("the message must be a JSON object")
    if sent.get("jsonrpc") != "2.0":
        raise _not_valid('jsonrpc must be "2.0"')
    method, params = sent.get("method"), sent.get("params")
    params = {} if params is None else params
    if not isinstance(method, str):
        raise _not_valid("method must be a string")
    if not isinstance(params, dict):
        raise _not_valid("params must be a JSON object")
    if "id" not in sent and not method.startswith(NOTIFICATIONS):
        raise _not_valid("id is missing: only notifications have none")
    if "id" in sent and not is_id(sent["id"]):
        raise _not_valid("id must be a string or an integer")
    return Message(method, fields_present(**params), sent.get("id"))


def result_message(request_id: RequestId, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_message(error: McpError, request_id: RequestId | None) -> JsonObject:
    """An error; without id if the message was refused before its id could be read."""
    fault = fields_present(code=error.code, message=str(error), data=error.data)
    return {"jsonrpc": "2.0", **fields_present(id=request_id), "error": fault}


def fields_present(**fields: Any) -> JsonObject:
    """The fields of a JSON object; a field of value None is absent."""
    return {name: value for name, value in fields.items() if value is not None}


def notification_message(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _not_valid(why: str) -> McpError:
    return McpError(INVALID_REQUEST, why, status=BAD_REQUEST)
