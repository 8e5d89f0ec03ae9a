"""JSON-RPC messages of a client, one a line, and the errors that the bridge answers by itself."""

import json
from dataclasses import dataclass
from typing import Any

from membrane.adapters.aws_lambda.mcp.protocol import INVALID_REQUEST, PARSE_ERROR, is_id
from membrane.domain.language.json_text import is_well_formed
from membrane_cli.http_client import json_bytes

NOT_ANSWERED = -32000
"""The stack gave no JSON-RPC answer; the code is in the range that MCP leaves to programs."""

Body = dict[str, Any]


class Refusal(Exception):
    """A line that is not relayed; `answer` is the error for the client."""

    def __init__(self, code: int, message: str, request_id: Any = None) -> None:
        super().__init__(message)
        self.answer = error_answer(request_id, code, message)


@dataclass(frozen=True, slots=True)
class Message:
    """A request, a notification, or the client's response to a request."""

    line: bytes
    body: Body

    @property
    def is_request(self) -> bool:
        return "method" in self.body and "id" in self.body

    @property
    def method(self) -> str:
        return str(self.body.get("method", "response"))

    @property
    def request_id(self) -> str | int | None:
        """The id to answer; None for a message that gets no answer."""
        return self.body["id"] if self.is_request else None


def parse_message(line: bytes) -> Message:
    """The message as sent, but for halves of surrogate pairs; raises Refusal."""
    try:
        body = json_value(line.decode())
        if b"\\u" in line:
            whole = _with_whole_arguments(body) if b"\\\\u" in line else body
            if whole != body or not is_well_formed(body):
                line = json_bytes(whole)
                body = json.loads(line)
    except ValueError as error:
        raise Refusal(PARSE_ERROR, f"the line is not JSON in UTF-8: {error}") from error
    if isinstance(body, list):
        raise Refusal(INVALID_REQUEST, "a batch is not relayed: send one message a line")
    if not isinstance(body, dict):
        raise Refusal(INVALID_REQUEST, "a message is a JSON object")
    request_id = body.get("id")
    if "id" in body and not is_id(request_id):
        raise Refusal(INVALID_REQUEST, "id: expected a text or a whole number")
    if body.get("jsonrpc") != "2.0":
        raise Refusal(INVALID_REQUEST, 'jsonrpc: expected "2.0"', request_id)
    if "method" in body and not isinstance(body["method"], str):
        raise Refusal(INVALID_REQUEST, "method: expected a text", request_id)
    if "method" not in body and body.keys().isdisjoint(("result", "error")):
        raise Refusal(INVALID_REQUEST, "method: missing", request_id)
    return Message(line, body)


def _with_whole_arguments(body: Any) -> Any:
    """The message with U+FFFD for halves of surrogate pairs in the JSON texts of arguments."""
    match body:
        case {"method": "tools/call", "params": {"arguments": arguments, **params}}:
            from membrane_client.core.encoding import (  # noqa: PLC0415 - loads the HTTP client
                whole_arguments,
            )

            return {**body, "params": {**params, "arguments": whole_arguments(arguments)}}
        case _:
            return body


def error_answer(
    request_id: str | int | None, code: int, message: str, status: int | None = None
) -> Body:
    """A JSON-RPC error; `status` is the HTTP status behind the error."""
    error: Body = {"code": code, "message": message}
    if status is not None:
        error["data"] = {"status": status}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def is_same_id(given: Any, wanted: str | int | None) -> bool:
    """Whether the ids are equal in type, too: in Python, `True` equals 1."""
    return type(given) is type(wanted) and given == wanted


def json_value(text: str) -> Any:
    """The value; raises ValueError, also for NaN and the infinities."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
