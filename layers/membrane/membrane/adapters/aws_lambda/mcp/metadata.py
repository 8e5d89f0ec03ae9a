"""The versions of the protocol, and the `_meta` of messages: version and client, and server."""

from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.headers import VERSION, Headers, header_mismatch, value_of
from membrane.adapters.aws_lambda.mcp.messages import Message
from membrane.domain.language.json_text import JsonObject

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
PROGRESS_TOKEN = "progressToken"  # noqa: S105 - the name of a field


def version_after_handshake(asked: str) -> str:
    """The version to which `initialize` agrees: `asked` if known, else the newest."""
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]


def meta_of(message: Message) -> JsonObject:
    meta = message.params.get("_meta", {})
    if not isinstance(meta, dict):
        raise _not_valid("params._meta must be a JSON object")
    return meta


def version_of(headers: Headers, meta: JsonObject) -> str:
    """The version by header and `_meta`; raises McpError if both differ or if it is unknown."""
    in_header, in_body = value_of(headers, VERSION), meta.get(PROTOCOL_VERSION)
    if in_header is None:
        if in_body is not None:
            raise header_mismatch("the header MCP-Protocol-Version is missing")
        return BEFORE_THE_HEADER
    if in_body not in (None, in_header):
        raise header_mismatch("the header MCP-Protocol-Version differs from the body")
    if in_header not in SUPPORTED:
        supported = {"supported": list(SUPPORTED), "requested": in_header}
        why = "the protocol version is not supported"
        raise McpError(UNSUPPORTED_VERSION, why, supported, status=BAD_REQUEST)
    return in_header


def client_capabilities(meta: JsonObject) -> JsonObject:
    """The capabilities in the `_meta` of the current version, which must name the version, too."""
    if PROTOCOL_VERSION not in meta:
        raise _not_valid(f"params._meta must have {PROTOCOL_VERSION}")
    capabilities = meta.get(CLIENT_CAPABILITIES)
    if not isinstance(capabilities, dict):
        raise _not_valid(f"params._meta must have {CLIENT_CAPABILITIES}, a JSON object")
    return capabilities


def _not_valid(why: str) -> McpError:
    return McpError(INVALID_PARAMS, why, status=BAD_REQUEST)
