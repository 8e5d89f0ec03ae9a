"""Headers of a request: the origin, the accepted content, and the copies of fields of the body."""

import base64
from collections.abc import Collection, Mapping

from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    FORBIDDEN,
    HEADER_MISMATCH,
    INVALID_REQUEST,
    NOT_ACCEPTABLE,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.messages import Message
from membrane.adapters.aws_lambda.mcp.params import text_of

Headers = Mapping[str, str]
"""Names in lower case; the gateway joins the values of a repeated header by commas."""

VERSION = "mcp-protocol-version"
METHOD = "mcp-method"
NAME = "mcp-name"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods of which the header Mcp-Name repeats a param."""

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

_RANGES = {
    JSON: {JSON, "application/*", "*/*"},
    EVENT_STREAM: {EVENT_STREAM, "text/*", "*/*"},
}

_ENCODED = ("=?base64?", "?=")


def require_allowed_origin(headers: Headers, allowed: Collection[str]) -> None:
    """Raises McpError for a web page of another origin, against DNS rebinding.

    Programs other than browsers send no origin.
    """
    origin = value_of(headers, "origin")
    if origin is not None and origin not in allowed:
        raise McpError(INVALID_REQUEST, "the header Origin is not allowed", status=FORBIDDEN)


def accepted_types(headers: Headers) -> frozenset[str]:
    """JSON, event streams or both, by the client's choice; raises McpError for neither."""
    accept = headers.get("accept", "*/*").lower().split(",")
    ranges = {each.split(";")[0].strip() for each in accept}
    taken = frozenset(kind for kind, names in _RANGES.items() if names & ranges)
    if not taken:
        why = f"the header Accept must have {JSON} or {EVENT_STREAM}"
        raise McpError(INVALID_REQUEST, why, status=NOT_ACCEPTABLE)
    return taken


def require_same_as_body(headers: Headers, message: Message) -> None:
    """Raises McpError if a header differs from the field of the body that the header repeats."""
    _require_same("Mcp-Method", value_of(headers, METHOD), message.method)
    if field := NAMED_BY.get(message.method):
        name = value_of(headers, NAME)
        _require_same("Mcp-Name", name and _decode(name), text_of(message.params, field))


def value_of(headers: Headers, name: str) -> str | None:
    """The value of a header without the white space around it."""
    value = headers.get(name)
    return value and value.strip()


def header_mismatch(why: str) -> McpError:
    return McpError(HEADER_MISMATCH, why, status=BAD_REQUEST)


def _require_same(name: str, sent: str | None, in_body: str) -> None:
    if sent is None:
        raise header_mismatch(f"the header {name} is missing")
    if sent != in_body:
        raise header_mismatch(f"the header {name} differs from the body")


def _decode(value: str) -> str:
    """The value of a header, which may be encoded by the sentinel form `=?base64?…?=`."""
    start, end = _ENCODED
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(start) : -len(end)], validate=True).decode()
    except ValueError as error:
        raise header_mismatch("the header Mcp-Name is not valid base64 of UTF-8") from error
