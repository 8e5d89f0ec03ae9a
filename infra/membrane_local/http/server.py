"""The local stack behind a socket: an ASGI application, run by uvicorn."""

import asyncio
import errno
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, BinaryIO

import uvicorn

from membrane.domain.language.values import MAX_PAYLOAD_BYTES, MAX_VALUE_BYTES
from membrane_local.events.agenda import BusyError
from membrane_local.events.deliveries import Deliveries
from membrane_local.http import docs_page
from membrane_local.http.dev_routes import PATIENCE_S, PREFIX, DevRoutes, is_local
from membrane_local.http.gate import Gate
from membrane_local.http.gateway import FORBIDDEN, TIMED_OUT, Gateway, too_large, with_request_id
from membrane_local.http.import_routes import PREFIXES
from membrane_local.http.response_stream import ResponseStream, body_of, start_of
from membrane_local.http_messages import Request, Response
from membrane_local.refusals import OptionRefused
from membrane_local.storage.bucket_endpoint import PREFIX as BUCKET
from membrane_openapi.document import ROUTE as OPENAPI
from membrane_openapi.document import served_at

HOST = "127.0.0.1"
MAX_CONCURRENCY = 64
TIMEOUT_S = 29.0
"""The HTTP API's time limit for a function's reply."""
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class DisconnectedError(Exception):
    """The client left before the whole request had arrived."""


@dataclass(frozen=True)
class Application:
    gateway: Gateway
    deliveries: Deliveries
    gate: Gate = field(default_factory=Gate)
    patience_s: float = PATIENCE_S
    resetting: Lock = field(default_factory=Lock)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(MAX_CONCURRENCY, "request")
    )

    @property
    def dev(self) -> DevRoutes:
        return DevRoutes(self.gateway, self.deliveries, self.reset)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer an HTTP request; the body is read to the end before a refusal."""
        if scope["type"] != "http":
            return
        try:
            if scope["method"] == "PUT" and scope["raw_path"].startswith(PREFIXES):
                await _send(await self._response_to_object(scope, receive), send)
            else:
                await self._respond(scope, receive, send)
        except DisconnectedError:
            return

    def reset(self) -> None:
        """Empty the store, and restart the functions without their caches.

        Requests are served while the reset waits for running deliveries and long requests. Of many
        resets at once, those that waited for another have nothing left to do. Raises BusyError.
        """
        functions = self.gateway.functions
        worlds, end_s = functions.worlds, time.monotonic() + self.patience_s
        if not self.resetting.acquire(timeout=self.patience_s):
            raise BusyError("another reset")
        with ExitStack() as entered:
            entered.callback(self.resetting.release)
            if functions.worlds is not worlds:
                return
            entered.enter_context(self.deliveries.agenda.hold(end_s - time.monotonic()))
            entered.enter_context(self.gate.enter_alone(end_s - time.monotonic()))
            functions.store.empty()
            functions.start_afresh()
            self.deliveries.start_afresh()

    def answer(self, request: Request) -> Response:
        """The response to a request; a reset waits for exclusive access."""
        dev = self.dev
        with self.gate.enter(f"{request.method} {request.raw_path}"):
            if request.raw_path.startswith(BUCKET):
                return self.gateway.functions.store.bucket_endpoint.answer(request)
            if (request.method, request.raw_path) == OPENAPI:
                host = request.headers.get("host", HOST)
                return Response.of_json(200, served_at(f"http://{host}"))
            if (request.method, request.raw_path) in docs_page.ROUTES:
                return docs_page.docs_file(request.raw_path) if is_local(request) else FORBIDDEN
            if not request.raw_path.startswith(PREFIX):
                return self.gateway.answer(request)
            refusal = dev.refusal(request)
            if refusal is not None:
                return refusal
            if request.raw_path != f"{PREFIX}reset":
                return dev.answer(request)
        return dev.answer(request)

    def refusal(self, request: Request) -> Response | None:
        """The refusal of a caller under PREFIX; None for a caller who may use the routes."""
        with self.gate.enter(f"{request.method} {request.raw_path}"):
            return self.dev.refusal(request)

    async def _response_to_object(self, scope: Message, receive: Receive) -> Response:
        """Receive a body of any size, without a time limit; store only an allowed caller's body."""
        request, loop = _request(scope, b""), asyncio.get_running_loop()
        refusal = await loop.run_in_executor(self.threads, self.refusal, request)
        if refusal is not None:
            async for _ in _chunks(receive):
                pass
            return refusal
        file = await _file(receive)
        return await loop.run_in_executor(self.threads, self._answer_to, request, file)

    def _answer_to(self, request: Request, file: BinaryIO) -> Response:
        """Answer, then close the file: the task that waits for the response may end earlier."""
        with file:
            return self.answer(replace(request, file=file))

    async def _respond(self, scope: Message, receive: Receive, send: Send) -> None:
        """Send the response; a streamed response begins within the limit, and may end later."""
        is_of_bucket = scope["path"].startswith(BUCKET)
        body = await _body(receive, MAX_VALUE_BYTES if is_of_bucket else MAX_PAYLOAD_BYTES)
        request = _request(scope, body or b"")
        if body is None:
            await _send(too_large(request), send)
            return
        loop = asyncio.get_running_loop()
        stream = ResponseStream(send, loop)
        request = replace(request, emit=stream.emit)
        working = loop.run_in_executor(self.threads, self.answer, request)
        try:
            if await stream.starts(
                working, (None if scope["path"].startswith(PREFIX) else TIMEOUT_S)
            ):
                await stream.serve(working, _disconnect(receive))
            else:
                late = with_request_id(TIMED_OUT, request)
                await _send(working.result() if working.done() else late, send)
        finally:
            stream.close()
            working.cancel()  # a request that still waits for a thread must not run


class Server(uvicorn.Server):
    """uvicorn with a callback once the server answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[str], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._ready(f"http://{host}:{port}")


def open_port(port: int) -> socket.socket:
    """An open port of the loopback interface, 0 for a free one; raises OptionRefused."""
    # asyncio sets TCP_NODELAY only on sockets with the explicit protocol TCP.
    opened = socket.socket(proto=socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen()
    except OSError as error:
        opened.close()
        reason = _CLOSED_PORTS.get(error.errno or 0, str(error.strerror))
        raise OptionRefused("--port", f"{port} {reason}; 0 takes a free port") from error
    return opened


_CLOSED_PORTS = {
    errno.EADDRINUSE: "is in use by another program",
    errno.EACCES: "may be opened by the administrator alone",
}


def server_for(application: Application, ready: Callable[[str], None]) -> Server:
    """A server for an open port; `ready` gets the URL."""
    settings: Any = {"http": "h11", "lifespan": "off", "log_level": "error", "access_log": False}
    return Server(uvicorn.Config(application, **settings), ready)


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The whole body, or None for a body above the limit."""
    body, size = bytearray(), 0
    async for chunk in _chunks(receive):
        size += len(chunk)
        if size <= limit:
            body += chunk
    return bytes(body) if size <= limit else None


async def _file(receive: Receive) -> BinaryIO:
    """The whole body as a file, which the caller must close."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        async for chunk in _chunks(receive):
            file.write(chunk)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    """The body's chunks; raises DisconnectedError."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        yield message.get("body", b"")
        more = message.get("more_body", False)


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _request(scope: Message, body: bytes) -> Request:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    path, query = (scope[name].decode("latin-1") for name in ("raw_path", "query_string"))
    return Request(scope["method"], path, query, headers, body)


async def _send(response: Response, send: Send) -> None:
    headers = {**response.headers, "content-length": str(len(response.body))}
    await send(start_of(response.status, headers))
    await send(body_of(response.body, more=False))
