"""The messages in an answer over HTTP: one as JSON, or several as a finished event stream."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from membrane_cli.http_client import Reply, reason_in
from membrane_cli.mcp.http_exchange import sentence_for
from membrane_cli.mcp.messages import (
    NOT_ANSWERED,
    Body,
    Message,
    error_answer,
    is_same_id,
    json_value,
)

EVENT_STREAM = "text/event-stream"

_LINE_END = re.compile(r"\r\n|\r|\n")


def messages_for(request: Message, answer: Reply, url: str) -> Sequence[Body]:
    """The notifications in the answer, followed by the response to the request.

    Where the answer has no response, an error takes the place of the response.
    """
    found = [each for each in _messages_in(answer) if each.get("jsonrpc") == "2.0"]
    notes = [each for each in found if "method" in each]
    for each in found:
        if "method" not in each and _answers(each, request):
            return [*notes, {**each, "id": request.request_id}]
    return [*notes, _failure(request, answer, url)]


def _answers(response: Body, request: Message) -> bool:
    """Whether the response is for the request; an error may lack the id."""
    if is_same_id(response.get("id"), request.request_id):
        return "result" in response or "error" in response
    return response.get("id") is None and "error" in response


def _failure(request: Message, answer: Reply, url: str) -> Body:
    return error_answer(request.request_id, NOT_ANSWERED, sentence_of(answer, url), answer.status)


def sentence_of(answer: Reply, url: str) -> str:
    """What an answer without a JSON-RPC message means for the user."""
    reason = reason_in(_json_in(answer.body.decode(errors="replace")), answer.headers)
    return sentence_for(url, answer.status, reason)


def _messages_in(answer: Reply) -> Iterator[Body]:
    """The JSON objects in the answer; texts that are not JSON are left out."""
    text = answer.body.decode(errors="replace")
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    for each in _events(text) if media_type == EVENT_STREAM else [text]:
        body = _json_in(each)
        if isinstance(body, dict):
            yield body


def _events(text: str) -> Iterator[str]:
    """The data of each event; the last event may lack the blank line."""
    data: list[str] = []
    for line in [*_LINE_END.split(text), ""]:
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
