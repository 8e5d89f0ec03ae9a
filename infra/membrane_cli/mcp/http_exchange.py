"""One POST to `/mcp`, and the sentences for an exchange that fails."""

from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import Request

from membrane_cli.connections import Connection
from membrane_cli.http_client import open_request
from membrane_cli.stack_options import API_KEY, URL

PATH = "/mcp"
MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Ten times the largest answer of a function: a server without an end must not fill the memory."""


class HttpAnswer(NamedTuple):
    """A whole answer, whatever the status."""

    status: int
    content_type: str
    content: bytes


class NotAnswered(Exception):
    """No answer came; the message is a sentence for the user."""


class Refused(NotAnswered):
    """Nobody listens at the address, so the message was not sent."""


def post(
    connection: Connection,
    query: str,
    content: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
) -> HttpAnswer:
    """The answer to the message; raises NotAnswered."""
    url = connection.url
    request = Request(  # noqa: S310 - the user's own address
        url + PATH + query,
        method="POST",
        data=content,
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )
    if connection.api_key is not None:
        request.add_unredirected_header("Authorization", f"Bearer {connection.api_key}")
    try:
        with open_request(request, timeout_s) as reply:
            received = reply.read(MAX_ANSWER_BYTES + 1)
            content_type = reply.headers.get_content_type()
            status: int = reply.status
    except URLError as error:
        kind = Refused if isinstance(error.reason, ConnectionRefusedError) else NotAnswered
        raise kind(
            f"nobody answers at {url} ({error.reason}): is the stack up? See {URL}"
        ) from error
    except TimeoutError as error:
        raise NotAnswered(f"{url} gave no answer within {timeout_s:g} s") from error
    except (OSError, HTTPException) as error:
        raise NotAnswered(f"the answer from {url} broke off: {error!r}") from error
    if len(received) > MAX_ANSWER_BYTES:
        raise NotAnswered(f"the answer from {url} is larger than {MAX_ANSWER_BYTES} bytes")
    return HttpAnswer(status, content_type, received)


def sentence_for(url: str, status: int, reason: str | None) -> str:
    """What a status without a JSON-RPC answer means for the user."""
    because = f": {reason}" if reason else ""
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
