"""The clients: the calls of both, and the sending of requests."""

import copy
import os
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any, Generic, Self, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

import httpx2

from membrane_client import errors
from membrane_client.calls import Calls, Forget
from membrane_client.core.addresses import environment_proxy, is_loopback
from membrane_client.core.api import Options
from membrane_client.core.protocol import Answer, Pause, Reply, Request, Steps, Stream, User
from membrane_client.core.sync_and_async import Asynchronous, Synchronous, require_known
from membrane_client.operations import Routes
from membrane_client.values.jobs import Erasure

T = TypeVar("T")
E = TypeVar("E")
HttpClient = TypeVar("HttpClient", bound=httpx2.Client | httpx2.AsyncClient)

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


class _Client(Calls, Generic[HttpClient]):
    _http: Any

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http_client: HttpClient | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        require_known(type(self).__name__, options, _OPTIONS)
        url = url or os.environ.get("MEMBRANE_URL")
        api_key = api_key or os.environ.get("MEMBRANE_API_KEY")
        if not url:
            raise errors.InvalidCall("url is missing: give it, or set MEMBRANE_URL")
        if not api_key:
            raise errors.InvalidCall("api_key is missing: give it, or set MEMBRANE_API_KEY")
        self._api = Routes(Options(url.rstrip("/"), api_key, **options))
        self._is_own = http_client is None
        self._http = http_client or self._connect(self._api.options.url)

    def with_options(
        self, *, http_client: HttpClient | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """A client with changed options; connections and tokens are shared."""
        require_known("with_options", options, _OPTIONS)
        if isinstance(url := options.get("url"), str):
            options["url"] = url.rstrip("/")
        other = copy.copy(self)
        api = replace(self._api, options=replace(self._api.options, **options))
        vars(other).update(_api=api, _http=http_client or self._http, _is_own=False)
        return other

    @abstractmethod
    def _connect(self, url: str) -> Any: ...

    def _http_request(self, request: Request) -> Any:
        """The request as the HTTP client sends it; raises MembraneError after `close`."""
        if self._http.is_closed:
            raise errors.MembraneError("the client is closed")
        timeout = request.timeout_s
        read_s = None if timeout is None else max(timeout, request.least_wait_s)
        return self._http.build_request(
            request.method,
            request.url,
            headers=request.headers,
            content=request.content,
            timeout=httpx2.Timeout(timeout, read=read_s),
        )


class Membrane(_Client[httpx2.Client], Synchronous):
    """The memory, for synchronous code.

    `url` and `api_key` may come from MEMBRANE_URL and MEMBRANE_API_KEY. `user` and `scope` hold for
    every call without a user or scope; under a user, `scope` is left out. `timeout` is in seconds,
    for each phase of an attempt alone: to connect, to send, and to wait for the next bytes. A
    failed attempt is repeated `max_retries` times. With `read_your_writes`, retrievals see the
    client's own writes before the index does. Threads may share a client. `close` leaves a given
    `http_client` open. Raises InvalidCall without a url or a key, and for a url or a key that no
    request can have.
    """

    forget: Forget[None, Erasure]

    def _connect(self, url: str) -> httpx2.Client:
        return _http_client(url, httpx2.Client)

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
        try:
            response = self._http.send(self._http_request(step), stream=step.is_streamed)
            if step.is_streamed and not response.is_success:
                with closing(response):
                    response.read()
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return _failure(error)
        return _reply(response, is_open=step.is_streamed and response.is_success)

    def _events(self, stream: Stream[E]) -> Generator[E]:
        with closing(self._run(stream.opening).connection) as response:
            try:
                for event in httpx2.EventSource(response, max_event_size=None):
                    read, is_last = stream.read(event.data)
                    yield read
                    if is_last:
                        return
            except httpx2.RequestError as error:
                raise _failure(error) from error
        raise errors.ConnectionFailed(_CUT_OFF)


class AsyncMembrane(_Client[httpx2.AsyncClient], Asynchronous):
    """The memory, for asynchronous code; everything else is as in `Membrane`."""

    forget: Forget[Awaitable[None], Awaitable[Erasure]]

    def _connect(self, url: str) -> Any:
        from membrane_client.core.event_loops import ClientPerLoop  # noqa: PLC0415 - async code

        return ClientPerLoop(lambda: _http_client(url, httpx2.AsyncClient))

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
        try:
            response = await self._http.send(self._http_request(step), stream=step.is_streamed)
            if step.is_streamed and not response.is_success:
                async with aclosing(response):
                    await response.aread()
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return _failure(error)
        return _reply(response, is_open=step.is_streamed and response.is_success)

    async def _events(self, stream: Stream[E]) -> AsyncGenerator[E]:
        async with aclosing((await self._run(stream.opening)).connection) as response:
            try:
                async for event in httpx2.EventSource(response, max_event_size=None):
                    read, is_last = stream.read(event.data)
                    yield read
                    if is_last:
                        return
            except httpx2.RequestError as error:
                raise _failure(error) from error
        raise errors.ConnectionFailed(_CUT_OFF)


_CUT_OFF = "the stream of events ended before the last event"


def _http_client(url: str, kind: Callable[..., HttpClient]) -> HttpClient:
    """Raises InvalidCall for a proxy that no request can use: `socks5://` without a library."""
    try:
        return kind(mounts=_DIRECT)
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        if is_loopback(urlsplit(url).hostname):
            return kind(trust_env=False)
        if proxy := environment_proxy(url):
            raise errors.InvalidCall(f"the environment names the proxy {proxy}: {error}") from error
        raise


def _reply(response: httpx2.Response, *, is_open: bool) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if is_open:
        return Reply(response.status_code, headers, b"", connection=response)
    return Reply(response.status_code, headers, response.content)


def _failure(error: httpx2.RequestError | httpx2.InvalidURL) -> errors.MembraneError:
    kind: type[errors.MembraneError] = errors.ConnectionFailed
    if isinstance(error, httpx2.TimeoutException):
        kind = errors.TimedOut
    elif isinstance(error, httpx2.SSEError):
        kind = errors.UnexpectedReply
    failure = kind(str(error) or type(error).__name__)
    failure.__cause__ = error
    return failure
