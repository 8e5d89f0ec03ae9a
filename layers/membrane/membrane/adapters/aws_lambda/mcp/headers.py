"""The headers of a stateless request, which repeat version, method and name of the message."""

import base64
import binascii
from collections.abc import Mapping

from membrane.adapters.aws_lambda.mcp.errors import BAD_REQUEST, Code, ProtocolError
from membrane.adapters.aws_lambda.mcp.messages import CAPABILITIES, VERSION, Message
from membrane.adapters.aws_lambda.mcp.versions import STATELESS, SUPPORTED

PROTOCOL_VERSION = "mcp-protocol-version"
METHOD = "mcp-method"
NAME = "mcp-name"

_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""By method the parameter that the header `Mcp-Name` repeats."""

_ENCODED = ("=?base64?", "?=")


def is_stateless(message: Message, headers: Mapping[str, str]) -> bool:
    """Whether the client speaks the stateless version; raises ProtocolError for an unknown version.

    A message without any version is from a client that has initialized, or that is about to.
    """
    sent, header = message.meta.get(VERSION), headers.get(PROTOCOL_VERSION)
    if sent is not None:
        _require_equal("MCP-Protocol-Version", header, sent)
    if header is not None and header not in SUPPORTED:
        data = {"supported": [*SUPPORTED], "requested": header[:100]}
        raise ProtocolError(Code.UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return header == STATELESS


def require_headers(message: Message, headers: Mapping[str, str]) -> None:
    """Raises ProtocolError for a header that is missing or differs from the message."""
    _require_equal("Mcp-Method", headers.get(METHOD), message.method)
    parameter = _NAMED_BY.get(message.method)
    if parameter is not None:
        _require_equal("Mcp-Name", _name_value(headers.get(NAME)), message.params.get(parameter))


def require_metadata(message: Message) -> None:
    """Raises ProtocolError for a request without the metadata of each stateless request."""
    missing = [name for name in (VERSION, CAPABILITIES) if name not in message.meta]
    if missing or not isinstance(message.meta[CAPABILITIES], dict):
        text = f"params._meta needs {missing[0] if missing else f'{CAPABILITIES} as an object'}"
        raise ProtocolError(Code.INVALID_PARAMS, text, status=BAD_REQUEST)


def _require_equal(name: str, header: str | None, sent: object) -> None:
    """White space around a value is no part of the value (RFC 9110, 5.5)."""
    if header is None:
        raise ProtocolError(Code.HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    if header.strip(" \t") != sent:
        text = f"Header mismatch: {name} differs from the value in the body"
        raise ProtocolError(Code.HEADER_MISMATCH, text)


def _name_value(header: str | None) -> str | None:
    """The value of a header that may be encoded, because a header holds visible ASCII alone."""
    begin, end = _ENCODED
    value = "" if header is None else header.strip(" \t")
    if not (value.startswith(begin) and value.endswith(end)):
        return header
    try:
        encoded = value.removeprefix(begin).removesuffix(end)
        return base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, ValueError) as error:
        text = "Header mismatch: Mcp-Name is not valid base64 of UTF-8"
        raise ProtocolError(Code.HEADER_MISMATCH, text) from error
