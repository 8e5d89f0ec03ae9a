"""A small client of the HTTP API and of a local stack's own routes, for commands and demo."""

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from membrane.adapters.https import is_loopback
from membrane.domain.language import errors
from membrane.domain.language.errors import DomainError, InvalidArgument, Unavailable
from membrane.domain.language.timestamps import epoch_seconds

Headers = Mapping[str, str]


class Answer(NamedTuple):
    """A response, whatever the status; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: Any
    """Parsed by `call`, and bytes by `exchange`."""


@dataclass(frozen=True, slots=True)
class HttpClient:
    url: str
    api_key: str | None = None
    timeout_s: float = 30

    def call(
        self, method: str, path: str, body: Any = None, headers: Headers | None = None
    ) -> Answer:
        """Raises Unavailable where the API cannot be reached."""
        data = None if body is None else json_bytes(body)
        about = {"content-type": "application/json", **(headers or {})}
        return self._parse_body(self.exchange(method, path, data, about, self.timeout_s))

    def exchange(
        self,
        method: str,
        path: str,
        data: Iterable[bytes] | bytes | None,
        headers: Headers,
        timeout_s: float | None,
        *,
        most_bytes: int | None = None,
    ) -> Answer:
        """The answer as sent, with any body.

        A redirection is an answer, too: to follow would send the key elsewhere. Raises Unavailable
        without a whole answer of at most `most_bytes`, and Unreachable if the API got no whole
        request.
        """
        request = Request(  # noqa: S310 - the operator's own address
            self.url.rstrip("/") + path, method=method, data=data, headers=dict(headers)
        )
        if self.api_key is not None:
            request.add_unredirected_header("authorization", f"Bearer {self.api_key}")
        try:
            with _open(request, timeout_s) as reply:
                body = reply.read() if most_bytes is None else reply.read(most_bytes + 1)
        except URLError as error:
            reason = f"{error.reason}{proxy_of(self.url)}"
            raise Unreachable(f"nobody answers at {self.url}: {reason}") from error
        except (TimeoutError, ConnectionError) as error:  # also of a server that hangs up
            raise Unavailable(f"no answer came from {self.url}{proxy_of(self.url)}") from error
        except IncompleteRead as error:
            raise Unavailable(
                f"the answer from {self.url} broke off{proxy_of(self.url)}"
            ) from error
        except HTTPException as error:
            why = f"the server at {self.url} does not speak HTTP"
            raise Unavailable(f"{why}{proxy_of(self.url)}") from error
        if most_bytes is not None and len(body) > most_bytes:
            raise Unavailable(f"the answer from {self.url} is larger than {most_bytes} bytes")
        named = {name.lower(): value for name, value in reply.headers.items()}
        return Answer(reply.status, named, body)

    def ask(self, method: str, path: str, body: Any = None, headers: Headers | None = None) -> Any:
        """The body of a successful answer; raises DomainError for a status of failure."""
        return self._success(self.call(method, path, body, headers))

    def send(self, method: str, path: str, content: Iterable[bytes], size: int) -> Any:
        """Send `size` bytes, such as of a file, without a time limit; see `ask` for the result."""
        about = {"content-type": "application/octet-stream", "content-length": str(size)}
        return self._success(self._parse_body(self.exchange(method, path, content, about, None)))

    def failure(self, answer: Answer) -> DomainError:
        """The error of a status of failure; without a reason, a proxy may have answered."""
        reason = reason_in(answer.body, answer.headers)
        if not reason:
            reason = f"the answer is {answer.status}, without a reason{proxy_of(self.url)}"
        return _FAILURES.get(answer.status, DomainError)(reason)

    def _success(self, answer: Answer) -> Any:
        if answer.status < 300:  # noqa: PLR2004 - the statuses of success
            return answer.body
        raise self.failure(answer)

    def _parse_body(self, answer: Answer) -> Answer:
        """Raises Unavailable for a body that is not JSON: a foreign server must answer there."""
        try:
            return answer._replace(body=json.loads(answer.body) if answer.body else None)
        except ValueError as error:
            what = f"the answer is {answer.status}, but not JSON"
            raise Unavailable(f"{what}: is that the API?{proxy_of(self.url)}") from error


def json_bytes(body: Any) -> bytes:
    """JSON; half a surrogate pair, as of an emoji that was cut in two, becomes U+FFFD."""
    text = json.dumps(body, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


class Unreachable(Unavailable):
    """No connection to the API: the request was not sent, or not whole."""


class _Redirections(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Proxies(ProxyHandler):
    """No proxy of the environment reaches the loopback interface of this machine."""

    def proxy_open(self, request: Request, *named: Any) -> Any:
        if is_loopback(urlsplit(request.full_url).hostname or ""):
            return None
        return super().proxy_open(request, *named)


_OPENER = build_opener(_Proxies, _Redirections)


def _open(request: Request, timeout_s: float | None) -> Any:
    """The reply, also for a status that urllib raises as an error, such as a redirection."""
    try:
        return _OPENER.open(request, timeout=timeout_s)
    except HTTPError as reply:
        return reply


def open_link(url: str, timeout_s: float) -> Any:
    """The content behind a link without a key; raises OSError, also for a status of failure."""
    return build_opener(_Proxies).open(url, timeout=timeout_s)


_FAILURES: Mapping[int, type[DomainError]] = {
    400: InvalidArgument,
    404: errors.NotFound,
    413: InvalidArgument,
    429: errors.ResourceExhausted,
    503: Unavailable,
    504: Unavailable,
}


def reason_in(body: Any, headers: Mapping[str, str]) -> str | None:
    """The reason in the service's problem body, or in the gateway's, with the id of the request."""
    match body:
        case {"detail": str(reason)} | {"message": str(reason)}:
            request_id = headers.get("apigw-requestid")
            return f"{reason} (request_id {request_id})" if request_id else reason
        case _:
            return None


def proxy_of(url: str) -> str:
    """The end of a sentence about a failure that a proxy may have made; empty without a proxy."""
    from membrane_client.core.addresses import environment_proxy  # noqa: PLC0415 - failures alone ask

    proxy = environment_proxy(url)
    return f" (the environment names the proxy {proxy})" if proxy else ""


def now_s(client: HttpClient) -> float:
    """Epoch seconds by the clock that a local stack shows to an admin key, else the machine's."""
    with suppress(Unavailable):
        match client.call("GET", "/_dev/clock"):
            case Answer(status=HTTPStatus.OK, body={"now": str(now)}):
                return epoch_seconds(datetime.fromisoformat(now))
            case _:
                pass
    return time.time()
