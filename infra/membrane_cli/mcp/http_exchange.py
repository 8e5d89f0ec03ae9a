"""One POST to `/mcp`, and the sentences for an exchange that fails."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from http import HTTPStatus

from membrane.domain.language.errors import Unavailable
from membrane_cli.connections import Connection
from membrane_cli.http_client import HttpClient, Reply, Unreachable, proxy_of
from membrane_cli.options import API_KEY, URL

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
    """The answer to the message, whatever the status, whole within `timeout_s`.

    Raises the errors of `exchange`.
    """
    about = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **headers,
    }
    client = HttpClient(*connection)

    def exchange() -> Reply:
        return client.exchange(
            "POST", PATH + query, content, about, timeout_s, most_bytes=MAX_ANSWER_BYTES
        )

    try:
        return _within(timeout_s, exchange)
    except Unreachable as error:
        raise Unreachable(f"{error}; is the stack up? See {URL}") from error
    except TimeoutError as error:
        why = f"no answer came from {client.url}{proxy_of(client.url)}"
        raise Unavailable(why) from error


def _within(timeout_s: float, exchange: Callable[[], Reply]) -> Reply:
    """The reply; raises TimeoutError, and the errors of the exchange.

    The limit of a socket bounds each wait for bytes alone, so the exchange has a thread of its own,
    which ends with the connection.
    """
    replied: Future[Reply] = Future()

    def run() -> None:
        try:
            replied.set_result(exchange())
        except BaseException as error:  # noqa: BLE001 - raised again where the reply is awaited
            replied.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return replied.result(timeout_s)


def sentence_for(url: str, status: int, reason: str | None) -> str:
    """What a status without a JSON-RPC answer means; a proxy gives no reason."""
    if reason:
        return _meaning(url, status, f": {reason}")
    return f"{_meaning(url, status, '')}{proxy_of(url)}"


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
