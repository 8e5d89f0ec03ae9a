"""Errors of the protocol: a JSON-RPC code, a sentence, and the HTTP status of the reply."""

from enum import IntEnum

from membrane.domain.language.json_text import JsonObject


class Code(IntEnum):
    """Codes of JSON-RPC 2.0, and of MCP from -32020 on."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    HEADER_MISMATCH = -32020
    MISSING_CAPABILITY = -32021
    UNSUPPORTED_VERSION = -32022


BAD_REQUEST = 400

_STATUS = {Code.METHOD_NOT_FOUND: 404, Code.INVALID_PARAMS: 200, Code.INTERNAL_ERROR: 200}
"""The HTTP status by code; BAD_REQUEST for the other codes."""


class ProtocolError(Exception):
    """A refusal of a message; `str(error)` is the sentence for the caller."""

    def __init__(
        self, code: Code, message: str, data: JsonObject | None = None, *, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status or _STATUS.get(code, BAD_REQUEST)

    def as_json(self) -> JsonObject:
        error: JsonObject = {"code": int(self.code), "message": str(self)}
        return error if self.data is None else {**error, "data": self.data}


def invalid_params(message: str) -> ProtocolError:
    return ProtocolError(Code.INVALID_PARAMS, message)
