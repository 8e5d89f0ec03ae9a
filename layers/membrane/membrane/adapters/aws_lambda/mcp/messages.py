"""JSON-RPC messages: a request, a notification, or an answer that older clients may send."""

from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.mcp.errors import Code, ProtocolError
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json

META = "_meta"
PREFIX = "io.modelcontextprotocol/"
VERSION = f"{PREFIX}protocolVersion"
CAPABILITIES = f"{PREFIX}clientCapabilities"

MessageId = str | int


class Message(NamedTuple):
    """A request, or a notification, which has no id and gets no answer."""

    id: MessageId | None
    method: str
    params: JsonObject

    @property
    def meta(self) -> JsonObject:
        """The metadata of a client of the stateless protocol; empty for an older client."""
        meta = self.params.get(META, {})
        return meta if isinstance(meta, dict) else {}


class Answer(NamedTuple):
    """A result or an error that an older client sends to a request of a server."""


def read_message(body: str | bytes | None) -> Message | Answer:
    """The message in the body of a POST.

    Raises ProtocolError for anything but one message of JSON-RPC 2.0.
    """
    try:
        sent = parse_json(body or "")
    except InvalidArgument as error:
        raise ProtocolError(Code.PARSE_ERROR, str(error)) from error
    if isinstance(sent, list):
        raise ProtocolError(Code.INVALID_REQUEST, "a batch is not taken: send one message")
    if not isinstance(sent, dict) or sent.get("jsonrpc") != "2.0":
        raise ProtocolError(Code.INVALID_REQUEST, 'the body must be an object with jsonrpc "2.0"')
    if "method" not in sent and ("result" in sent or "error" in sent):
        return Answer()
    return Message(_id_of(sent), _method_of(sent), _params_of(sent))


def id_in(body: str | bytes | None) -> MessageId | None:
    """The id of a message that was refused; None for an unreadable id."""
    try:
        sent = parse_json(body or "")
        return _id_of(sent) if isinstance(sent, dict) else None
    except (InvalidArgument, ProtocolError):
        return None


def _id_of(sent: JsonObject) -> MessageId | None:
    if "id" not in sent:
        return None
    given: Any = sent["id"]
    if isinstance(given, bool) or not isinstance(given, (str, int)):
        raise ProtocolError(Code.INVALID_REQUEST, "id must be a string or an integer")
    return given


def _method_of(sent: JsonObject) -> str:
    method = sent.get("method")
    if not isinstance(method, str) or not method:
        raise ProtocolError(Code.INVALID_REQUEST, "method must be a string")
    return method


def _params_of(sent: JsonObject) -> JsonObject:
    params = sent.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(Code.INVALID_REQUEST, "params must be an object")
    return params
