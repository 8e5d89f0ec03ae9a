"""JSON-RPC messages, one a line, and the POST to `/mcp` with the messages in its answer."""

import base64
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.mcp import protocol
from membrane.adapters.aws_lambda.mcp.protocol import INVALID_REQUEST, PARSE_ERROR, is_id
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import is_well_formed
from membrane_cli import http_client
from membrane_cli.connections import Connection
from membrane_cli.http_client import Answer, Unreachable, proxy_of
from membrane_cli.options import API_KEY, URL

NOT_ANSWERED = -32000
"""The stack gave no JSON-RPC answer; the code is in the range that MCP leaves to programs."""
Body = dict[str, Any]


class Message(NamedTuple):
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


def parse_message(line: bytes) -> Message | Body:
    """The message as sent, but for halves of surrogate pairs; or an error for the client."""
    try:
        body = json_value(line.decode())
        if b"\\u" in line:
            whole = _with_whole_arguments(body) if b"\\\\u" in line else body
            if whole != body or not is_well_formed(body):
                line = http_client.json_bytes(whole)
                body = json.loads(line)
    except ValueError as error:
        return error_answer(None, PARSE_ERROR, f"the line is not JSON in UTF-8: {error}")
    if isinstance(body, list):
        why = "a batch is not relayed: send one message a line"
        return error_answer(None, INVALID_REQUEST, why)
    if not isinstance(body, dict):
        return error_answer(None, INVALID_REQUEST, "a message is a JSON object")
    request_id = body.get("id")
    if "id" in body and not is_id(request_id):
        return error_answer(None, INVALID_REQUEST, "id: expected a text or a whole number")
    if body.get("jsonrpc") != "2.0":
        return error_answer(request_id, INVALID_REQUEST, 'jsonrpc: expected "2.0"')
    if "method" in body and not isinstance(body["method"], str):
        return error_answer(request_id, INVALID_REQUEST, "method: expected a text")
    if "method" not in body and body.keys().isdisjoint(("result", "error")):
        return error_answer(request_id, INVALID_REQUEST, "method: missing")
    return Message(line, body)


def _with_whole_arguments(body: Any) -> Any:
    """The message with U+FFFD for halves of surrogate pairs in the JSON texts of arguments."""
    match body:
        case {"method": "tools/call", "params": {"arguments": arguments, **params}}:
            from membrane_client.core import encoding  # noqa: PLC0415 - loads the HTTP client

            whole = encoding.whole_arguments(arguments)
            return {**body, "params": {**params, "arguments": whole}}
        case _:
            return body


def error_answer(request_id: Any, code: int, message: str, status: int | None = None) -> Body:
    """A JSON-RPC error; `status` is the HTTP status behind the error."""
    error: Body = {"code": code, "message": message}
    if status is not None:
        error["data"] = {"status": status}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def json_value(text: str) -> Any:
    """The value; raises ValueError, also for NaN and the infinities."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


PATH = "/mcp"


def post(
    connection: Connection, content: bytes, headers: Mapping[str, str], query: str, timeout_s: float
) -> Answer:
    """The answer to the message, whatever the status, whole within `timeout_s`.

    The limit of a socket bounds each wait for bytes alone, so the exchange has a thread of its own,
    which ends with the connection. The most bytes are ten times the largest answer of a function:
    a server without an end must not fill the memory.
    """
    accepted = f"application/json, {protocol.EVENT_STREAM}"
    about = {"content-type": "application/json", "accept": accepted, **headers}
    client, replied = http_client.HttpClient(*connection), Future[Answer]()
    send = partial(client.exchange, "POST", PATH + query, content, about, timeout_s)

    def run() -> None:
        try:
            replied.set_result(send(most_bytes=64 * 1024 * 1024))
        except BaseException as error:  # noqa: BLE001 - raised again where the reply is awaited
            replied.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return replied.result(timeout_s)
    except Unreachable as error:
        raise Unreachable(f"{error}; is the stack up? See {URL}") from error
    except TimeoutError as error:
        why = f"no answer came from {client.url}{proxy_of(client.url)}"
        raise Unavailable(why) from error


def _meaning(url: str, status: int, because: str) -> str:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return f"{url} wants a valid key{because}; set {API_KEY}, or give --api-key"
        case HTTPStatus.FORBIDDEN:
            return f"{url} refuses the key{because}; see {API_KEY} and `membrane keys list`"
        case HTTPStatus.NOT_FOUND:
            return (
                f"{url} has no {PATH}: --url and {URL} name the API without {PATH}, and the "
                "stack must be new enough to have the route"
            )
        case _ if status < HTTPStatus.MULTIPLE_CHOICES:
            return f"{url} answers {status}, without a JSON-RPC answer: is that a stack's API?"
        case _:
            return f"{url} answers {status}{because}"


def messages_for(request: Message, answer: Answer, url: str) -> Sequence[Body]:
    """The notifications in the answer, then the response to the request, or an error.

    Ids are equal in type, too: in Python, `True` equals 1. The id of an error may lack.
    """
    found = [each for each in _messages_in(answer) if each.get("jsonrpc") == "2.0"]
    notes, wanted = [each for each in found if "method" in each], request.request_id
    for each in found:
        given = each.get("id")
        is_own = type(given) is type(wanted) and given == wanted
        if "method" not in each and (
            ("error" in each and (is_own or given is None)) or ("result" in each and is_own)
        ):
            return [*notes, {**each, "id": wanted}]
    why = sentence_of(answer, url)
    return [*notes, error_answer(wanted, NOT_ANSWERED, why, answer.status)]


def sentence_of(answer: Answer, url: str) -> str:
    reason = http_client.reason_in(_json_in(answer.body.decode(errors="replace")), answer.headers)
    if reason:
        return _meaning(url, answer.status, f": {reason}")
    return f"{_meaning(url, answer.status, '')}{proxy_of(url)}"  # a proxy gives no reason


def _messages_in(answer: Answer) -> Iterator[Body]:
    """The JSON objects in the answer; texts that are not JSON are left out."""
    text = answer.body.decode(errors="replace")
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    for each in _events(text) if media_type == protocol.EVENT_STREAM else [text]:
        body = _json_in(each)
        if isinstance(body, dict):
            yield body


def _events(text: str) -> Iterator[str]:
    """The data of each event; the last event may lack the blank line."""
    data: list[str] = []
    for line in [*re.split(r"\r\n|\r|\n", text), ""]:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data.clear()


def _json_in(text: str) -> Any:
    try:
        return json_value(text)
    except ValueError:
        return None


def headers_of(body: Body, agreed_version: str | None) -> Mapping[str, str]:
    """The headers by name; `agreed_version` is for a client that does not name a version."""
    params = body.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(protocol.PROTOCOL_VERSION) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        named = agreed_version if body.get("method") != "initialize" else None
        return {} if named is None else {"MCP-Protocol-Version": header_value(named)}
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": body.get("method")}
    headers["Mcp-Name"] = params.get(protocol.NAMED_BY.get(str(body.get("method")), ""))
    return {name: header_value(text) for name, text in headers.items() if isinstance(text, str)}


def header_value(text: str) -> str:
    """The text itself, or in the encoding of MCP where a header cannot carry the text."""
    if re.fullmatch(r"(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?", text):
        return text
    encoded = base64.b64encode(text.encode(errors="surrogatepass")).decode()
    return f"=?base64?{encoded}?="
