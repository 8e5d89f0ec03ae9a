"""The refusals of the protocol: one exception, and the codes of JSON-RPC and of MCP.

Codes from -32020 to -32099 belong to the specification of MCP; no other code of the range is used.
"""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

RESOURCE_NOT_FOUND = -32002
"""An absent resource, for versions with a handshake; the current version has INVALID_PARAMS."""

OK = 200
BAD_REQUEST = 400
FORBIDDEN = 403
NOT_FOUND = 404
METHOD_NOT_ALLOWED = 405
NOT_ACCEPTABLE = 406


class McpError(Exception):
    """A request that is answered with an error of JSON-RPC; the message is for the caller."""

    def __init__(self, code: int, message: str, data: Any = None, *, status: int = OK) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status
        """The HTTP status of the reply."""
