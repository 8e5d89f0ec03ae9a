"""The protocol beneath the methods: messages of JSON-RPC 2.0, headers, versions and params.

Codes from -32020 to -32099 belong to the specification of MCP; no other code of the range is used.
Every function whose name begins with `require`, and every reader, may raise McpError.
"""

import base64
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from membrane.domain.language import json_text
from membrane.domain.language.errors import InvalidArgument

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

OK = 200
BAD_REQUEST = 400
FORBIDDEN = 403
NOT_FOUND = 404
METHOD_NOT_ALLOWED = 405
NOT_ACCEPTABLE = 406

CURRENT = "2026-07-28"
"""Every request of the version names the version and the client's capabilities."""

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""

BEFORE_THE_HEADER = "2025-03-26"
"""The version of a request without version: the header is younger than the version."""

SUPPORTED = (CURRENT, *HANDSHAKE_VERSIONS)

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods of which the header Mcp-Name repeats a param."""

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

_RANGES = {JSON: {JSON, "application/*", "*/*"}, EVENT_STREAM: {EVENT_STREAM, "text/*", "*/*"}}

_ENVELOPE_LEVELS = 2
"""A message and its params lie around the arguments of a tool, which may have MAX_DEPTH levels."""

RequestId = str | int
Headers = Mapping[str, str]
"""Names in lower case; the gateway joins the values of a repeated header by commas."""


class McpError(Exception):
    """A request that is answered with an error of JSON-RPC; the message is for the caller."""

    def __init__(self, code: int, message: str, data: Any = None, *, status: int = OK) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status
        """The HTTP status of the reply."""


class Message(NamedTuple):
    method: str
    params: json_text.JsonObject
    """Without the params that are null."""
    id: RequestId | None
    """None for a notification, which is not answered."""


# --- messages ---------------------------------------------------------------------------------


def parse_body(body: str | bytes | None) -> Any:
    """The JSON of a body, whose texts may have lone surrogates."""
    try:
        return json_text.parse_json(
            body or "", json_text.MAX_DEPTH + _ENVELOPE_LEVELS, refuses_surrogates=False
        )
    except InvalidArgument as error:
        raise McpError(PARSE_ERROR, str(error), status=BAD_REQUEST) from error


def is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def id_of(sent: Any) -> RequestId | None:
    """The id for the answer to any JSON; None where no valid id can be read."""
    found = sent.get("id") if isinstance(sent, dict) else None
    return found if is_id(found) and json_text.is_well_formed(found) else None


def message_of(sent: Any) -> Message:
    """The request or the notification; raises McpError, also for a batch and for a response.

    Raises InvalidArgument with the place of a lone surrogate.
    """
    json_text.require_well_formed(sent)
    if isinstance(sent, list):
        raise _invalid_request("send one message for each request: batches are not supported")
    if not isinstance(sent, dict):
        raise _invalid_request("the message must be a JSON object")
    if sent.get("jsonrpc") != "2.0":
        raise _invalid_request('jsonrpc must be "2.0"')
    method, params = sent.get("method"), sent.get("params")
    params = {} if params is None else params
    if not isinstance(method, str):
        raise _invalid_request("method must be a string")
    if not isinstance(params, dict):
        raise _invalid_request("params must be a JSON object")
    if "id" not in sent and not method.startswith("notifications/"):
        raise _invalid_request("id is missing: only notifications have none")
    if "id" in sent and not is_id(sent["id"]):
        raise _invalid_request("id must be a string or an integer")
    return Message(method, fields_present(**params), sent.get("id"))


def error_message(error: McpError, request_id: RequestId | None) -> json_text.JsonObject:
    """An error; without id if the message was refused before its id could be read."""
    fault = fields_present(code=error.code, message=str(error), data=error.data)
    return {"jsonrpc": "2.0", **fields_present(id=request_id), "error": fault}


def fields_present(**fields: Any) -> json_text.JsonObject:
    """The fields of a JSON object; a field of value None is absent."""
    return {name: value for name, value in fields.items() if value is not None}


def _invalid_request(why: str, status: int = BAD_REQUEST) -> McpError:
    return McpError(INVALID_REQUEST, why, status=status)


# --- headers ----------------------------------------------------------------------------------


def require_allowed_origin(headers: Headers, allowed: Collection[str]) -> None:
    """Refuse a web page of another origin, against DNS rebinding; only browsers send one."""
    origin = _header(headers, "origin")
    if origin is not None and origin not in allowed:
        raise _invalid_request("the header Origin is not allowed", FORBIDDEN)


def accepted_types(headers: Headers) -> frozenset[str]:
    """JSON, event streams or both, by the client's choice; raises McpError for neither."""
    accept = headers.get("accept", "*/*").lower().split(",")
    ranges = {each.split(";")[0].strip() for each in accept}
    taken = frozenset(kind for kind, names in _RANGES.items() if names & ranges)
    if not taken:
        why = f"the header Accept must have {JSON} or {EVENT_STREAM}"
        raise _invalid_request(why, NOT_ACCEPTABLE)
    return taken


def require_same_as_body(headers: Headers, message: Message) -> None:
    """Refuse a header that differs from the field of the body that the header repeats."""
    _require_same("Mcp-Method", _header(headers, "mcp-method"), message.method)
    if field := NAMED_BY.get(message.method):
        name = _header(headers, "mcp-name")
        _require_same("Mcp-Name", name and _decode(name), text_of(message.params, field))


def version_of(headers: Headers, meta: json_text.JsonObject) -> str:
    """The version by header and `_meta`; raises McpError if both differ or if it is unknown."""
    in_header, in_body = _header(headers, "mcp-protocol-version"), meta.get(PROTOCOL_VERSION)
    if in_header is None:
        if in_body is not None:
            raise _mismatch("the header MCP-Protocol-Version is missing")
        return BEFORE_THE_HEADER
    if in_body not in (None, in_header):
        raise _mismatch("the header MCP-Protocol-Version differs from the body")
    if in_header not in SUPPORTED:
        supported = {"supported": list(SUPPORTED), "requested": in_header}
        why = "the protocol version is not supported"
        raise McpError(UNSUPPORTED_VERSION, why, supported, status=BAD_REQUEST)
    return in_header


def _header(headers: Headers, name: str) -> str | None:
    value = headers.get(name)
    return value and value.strip()


def _mismatch(why: str) -> McpError:
    return McpError(HEADER_MISMATCH, why, status=BAD_REQUEST)


def _require_same(name: str, sent: str | None, in_body: str) -> None:
    if sent is None:
        raise _mismatch(f"the header {name} is missing")
    if sent != in_body:
        raise _mismatch(f"the header {name} differs from the body")


def _decode(value: str) -> str:
    """The value of a header, which may be encoded by the sentinel form `=?base64?…?=`."""
    start, end = "=?base64?", "?="
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(start) : -len(end)], validate=True).decode()
    except ValueError as error:
        raise _mismatch("the header Mcp-Name is not valid base64 of UTF-8") from error


# --- params -----------------------------------------------------------------------------------


def meta_of(params: json_text.JsonObject) -> json_text.JsonObject:
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise _invalid_params("params._meta must be a JSON object", BAD_REQUEST)
    return meta


def require_capabilities(meta: json_text.JsonObject) -> None:
    """Refuse the `_meta` of a request of the current version that lacks version or capabilities."""
    if PROTOCOL_VERSION not in meta:
        raise _invalid_params(f"params._meta must have {PROTOCOL_VERSION}", BAD_REQUEST)
    if not isinstance(meta.get(CLIENT_CAPABILITIES), dict):
        why = f"params._meta must have {CLIENT_CAPABILITIES}, a JSON object"
        raise _invalid_params(why, BAD_REQUEST)


def require_answers(params: json_text.JsonObject) -> None:
    """Refuse answers of the user, and the state sent back with the answers, of a wrong type."""
    answers = object_of(params, "inputResponses")
    for name in answers:
        object_of(answers, name, "params.inputResponses")
    optional_text(params, "requestState")


def text_of(params: json_text.JsonObject, name: str, path: str = "params") -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise _invalid_params(f"{path}.{name} must be a string")
    return value


def optional_text(params: json_text.JsonObject, name: str) -> str | None:
    return text_of(params, name) if name in params else None


def object_of(
    params: json_text.JsonObject, name: str, path: str = "params"
) -> json_text.JsonObject:
    """The object of the name; an absent object is empty."""
    value = params.get(name, {})
    if not isinstance(value, dict):
        raise _invalid_params(f"{path}.{name} must be a JSON object")
    return value


def texts_of(params: json_text.JsonObject, name: str, path: str = "params") -> Mapping[str, str]:
    """The object of the name, of which every value is a string; null is no value."""
    values = fields_present(**object_of(params, name, path))
    return {key: text_of(values, key, f"{path}.{name}") for key in values}


def _invalid_params(why: str, status: int = OK) -> McpError:
    return McpError(INVALID_PARAMS, why, status=status)
