"""One POST to `/mcp`, and the sentences for an exchange that fails."""

from collections.abc import Mapping
from http import HTTPStatus

from membrane_cli.connections import Connection
from membrane_cli.http_client import HttpClient, Reply, Unreachable
from membrane_cli.stack_options import API_KEY, URL

PATH = "/mcp"
MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Ten times the largest answer of a function: a server without an end must not fill the memory."""


def post(
    connection: Connection,
    query: str,
    content: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
) -> Reply:
    """The whole answer to the message, whatever the status; raises the errors of `exchange`."""
    about = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **headers,
    }
    client = HttpClient(*connection)
    try:
        return client.exchange(
            "POST", PATH + query, content, about, timeout_s, most_bytes=MAX_ANSWER_BYTES
        )
    except Unreachable as error:
        raise Unreachable(f"{error}; is the stack up? See {URL}") from error


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
