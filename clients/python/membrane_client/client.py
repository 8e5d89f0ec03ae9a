"""The clients: the calls of both, and the sending of requests."""

import copy
import os
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import aclosing, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

import httpx2

from membrane_client.calls import Calls
from membrane_client.core.addresses import environment_proxy, is_loopback
from membrane_client.core.api import Options
from membrane_client.core.parameters import User
from membrane_client.core.protocol import Answer, Event, Pause, Reply, Request, Steps, Stream
from membrane_client.core.sync_and_async import Asynchronous, Synchronous, require_known
from membrane_client.errors import (
    ConnectionFailed,
    InvalidCall,
    MembraneError,
    TimedOut,
    UnexpectedReply,
)
from membrane_client.operations import Routes

if TYPE_CHECKING:
    from membrane_client.core.event_loops import ClientPerLoop

T = TypeVar("T")
C = TypeVar("C")
E = TypeVar("E", bound=Event)
H = TypeVar("H", httpx2.Client, httpx2.AsyncClient)

_DIRECT: Mapping[str, None] = dict.fromkeys(
    f"all://{host}"
    for host in (
        *("localhost", "localhost.", "127.0.0.1", "127.0.0.0/8"),
        *("[::1]/128", "[::ffff:127.0.0.0]/104"),  # a network: an address has many spellings
    )
)
"""No proxy of the environment reaches the loopback interface of this machine."""


class CallOptions(TypedDict, total=False):
    """The options of all calls; the defaults are in `Options`."""

    user: User
    scope: str | None
    timeout: float | None
    max_retries: int
    read_your_writes: bool


class ClientOptions(CallOptions, total=False):
    """The options of `with_options`."""

    url: str
    api_key: str | None


_OPTIONS = ClientOptions.__optional_keys__ | {"http_client"}
"""The names of all options of a client."""


class Membrane(Calls, Synchronous):
    """The memory, for synchronous code.

    `url` and `api_key` may come from MEMBRANE_URL and MEMBRANE_API_KEY. `user` and `scope` hold for
    every call without a user or scope; under a user, `scope` is left out. `timeout` is in seconds,
    for each phase of an attempt alone: to connect, to send, and to wait for the next bytes. A
    failed attempt is repeated `max_retries` times. With `read_your_writes`, retrievals see the
    client's own writes before the index does. Threads may share a client. `close` leaves a given
    `http_client` open. Raises InvalidCall without a url or a key, and for a url or a key that no
    request can have.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http_client: httpx2.Client | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        require_known(type(self).__name__, options, _OPTIONS)
        self._api = _api(url, api_key, options)
        self._is_own = http_client is None
        self._http = http_client or _http_client(self._api.options.url, httpx2.Client)

    def with_options(
        self, *, http_client: httpx2.Client | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """A client with changed options; connections and tokens are shared."""
        return _copy(self, _api=_with_changes(self._api, options), _http=http_client or self._http)

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        answer: Answer = None
        try:
            while True:
                answer = self._answer(steps.send(answer))
        except StopIteration as end:
            result: T = end.value
            return result

    def _answer(self, step: Request | Pause) -> Answer:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        _require_open(self._http)
        try:
            return self._open(step) if step.is_streamed else self._exchange(step)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return _failure(error)

    def _exchange(self, request: Request) -> Reply:
        return _reply(self._http.request(**_arguments(request)))

    def _open(self, request: Request) -> Reply:
        response = self._http.send(self._http.build_request(**_arguments(request)), stream=True)
        if response.is_success:
            return _open_reply(response)
        with closing(response):
            response.read()
        return _reply(response)

    def _events(self, stream: Stream[E]) -> Generator[E]:
        with closing(self._run(stream.opening).connection) as response:
            try:
                for event in httpx2.EventSource(response, max_event_size=None):
                    read = stream.read(event.data)
                    yield read
                    if read.is_last:
                        return
            except httpx2.RequestError as error:
                raise _failure(error) from error
        raise ConnectionFailed(_CUT_OFF)


class AsyncMembrane(Calls, Asynchronous):
    """The memory, for asynchronous code; everything else is as in `Membrane`."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http_client: httpx2.AsyncClient | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        require_known(type(self).__name__, options, _OPTIONS)
        self._api = _api(url, api_key, options)
        self._is_own = http_client is None
        self._http = http_client or _client_per_loop(self._api.options.url)

    def with_options(
        self, *, http_client: httpx2.AsyncClient | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """A client with changed options; connections and tokens are shared."""
        return _copy(self, _api=_with_changes(self._api, options), _http=http_client or self._http)

    async def close(self) -> None:
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _run(self, steps: Steps[T]) -> T:
        answer: Answer = None
        try:
            while True:
                answer = await self._answer(steps.send(answer))
        except StopIteration as end:
            result: T = end.value
            return result

    async def _answer(self, step: Request | Pause) -> Answer:
        if isinstance(step, Pause):
            from anyio import sleep  # noqa: PLC0415 - code that waits does without anyio

            await sleep(step.seconds)
            return None
        _require_open(self._http)
        try:
            return await (self._open(step) if step.is_streamed else self._exchange(step))
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return _failure(error)

    async def _exchange(self, request: Request) -> Reply:
        return _reply(await self._http.request(**_arguments(request)))

    async def _open(self, request: Request) -> Reply:
        asked = self._http.build_request(**_arguments(request))
        response = await self._http.send(asked, stream=True)
        if response.is_success:
            return _open_reply(response)
        async with aclosing(response):
            await response.aread()
        return _reply(response)

    async def _events(self, stream: Stream[E]) -> AsyncGenerator[E]:
        async with aclosing((await self._run(stream.opening)).connection) as response:
            try:
                async for event in httpx2.EventSource(response, max_event_size=None):
                    read = stream.read(event.data)
                    yield read
                    if read.is_last:
                        return
            except httpx2.RequestError as error:
                raise _failure(error) from error
        raise ConnectionFailed(_CUT_OFF)


def _api(url: str | None, api_key: str | None, options: CallOptions) -> Routes:
    url = url or os.environ.get("MEMBRANE_URL")
    api_key = api_key or os.environ.get("MEMBRANE_API_KEY")
    if not url:
        raise InvalidCall("url is missing: give it, or set MEMBRANE_URL")
    if not api_key:
        raise InvalidCall("api_key is missing: give it, or set MEMBRANE_API_KEY")
    return Routes(Options(url.rstrip("/"), api_key, **options))


def _copy(client: C, **changed: object) -> C:
    """The same client but for the changes; closing the copy closes nothing."""
    other = copy.copy(client)
    vars(other).update(changed, _is_own=False)
    return other


def _with_changes(api: Routes, options: ClientOptions) -> Routes:
    require_known("with_options", options, _OPTIONS)
    if isinstance(url := options.get("url"), str):
        options = {**options, "url": url.rstrip("/")}
    return replace(api, options=replace(api.options, **options))


def _http_client(url: str, kind: Callable[..., H]) -> H:
    """Raises InvalidCall for a proxy that no request can use: `socks5://` without a library."""
    try:
        return kind(mounts=_DIRECT)
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        if is_loopback(urlsplit(url).hostname):
            return kind(trust_env=False)
        if proxy := environment_proxy(url):
            raise InvalidCall(f"the environment names the proxy {proxy}: {error}") from error
        raise


def _client_per_loop(url: str) -> "ClientPerLoop":
    from membrane_client.core.event_loops import ClientPerLoop  # noqa: PLC0415 - async code alone

    return ClientPerLoop(lambda: _http_client(url, httpx2.AsyncClient))


_CUT_OFF = "the stream of events ended before the last event"


def _require_open(http_client: "httpx2.Client | httpx2.AsyncClient | ClientPerLoop") -> None:
    if http_client.is_closed:
        raise MembraneError("the client is closed")


def _arguments(request: Request) -> Mapping[str, Any]:
    timeout: httpx2.Timeout | None = None
    if request.timeout_s is not None:
        read_s = max(request.timeout_s, request.least_wait_s)
        timeout = httpx2.Timeout(request.timeout_s, read=read_s)
    return {
        "method": request.method,
        "url": request.url,
        "headers": request.headers,
        "content": request.content,
        "timeout": timeout,
    }


def _reply(response: httpx2.Response) -> Reply:
    return Reply(response.status_code, _headers(response), response.content)


def _open_reply(response: httpx2.Response) -> Reply:
    return Reply(response.status_code, _headers(response), b"", connection=response)


def _headers(response: httpx2.Response) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _failure(error: httpx2.RequestError | httpx2.InvalidURL) -> MembraneError:
    kind: type[MembraneError] = ConnectionFailed
    if isinstance(error, httpx2.TimeoutException):
        kind = TimedOut
    elif isinstance(error, httpx2.SSEError):
        kind = UnexpectedReply
    failure = kind(str(error) or type(error).__name__)
    failure.__cause__ = error
    return failure
