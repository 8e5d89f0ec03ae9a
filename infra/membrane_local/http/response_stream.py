"""A streamed response: a function's thread makes the pieces, the event loop sends them."""

import asyncio
import concurrent.futures
import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from membrane.adapters.aws_lambda.invocation import StreamedReply


class ResponseStream:
    """The stream of one request, over ASGI's `send`; the state belongs to the event loop."""

    def __init__(self, send: Callable[[Any], Awaitable[None]], loop: AbstractEventLoop) -> None:
        self._send = send
        self._loop = loop
        self._started: Future[None] = loop.create_future()
        self._sending: concurrent.futures.Future[bool] | None = None
        self._closed = threading.Event()

    def emit(self, reply: StreamedReply) -> None:
        """Send the reply from the function's thread; return early once the client has left."""
        if not self._put(start_of(reply.status, reply.headers)):
            return
        for piece in reply.chunks:
            if not isinstance(piece, bytes):
                raise TypeError(f"a piece of a streamed reply is bytes, not {type(piece).__name__}")
            if not self._put(body_of(piece)):
                return

    async def starts(self, working: Future[Any], timeout_s: float | None) -> bool:
        """Whether the stream starts before the work's end and the timeout; closed if not."""
        await asyncio.wait(
            (self._started, working), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        if not self._started.done():
            self.close()
        return self._started.done()

    async def serve(self, working: Future[Any], disconnect: Coroutine[Any, Any, None]) -> None:
        """Let the work send to the end, which an error is, too; no piece after `disconnect`."""
        leaving = asyncio.create_task(disconnect)
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                self.close()
            await working
        finally:
            leaving.cancel()
        if not self._closed.is_set():
            await self._send(body_of(b"", more=False))

    def close(self) -> None:
        """Refuse every further message, and wake the thread that waits for a message to be sent."""
        self._closed.set()
        if self._sending is not None:
            self._sending.cancel()

    def _put(self, message: Mapping[str, Any]) -> bool:
        """Send a message from another thread, and wait; False once the stream is closed."""
        if self._closed.is_set():
            return False  # the event loop may have ended
        self._sending = asyncio.run_coroutine_threadsafe(self._deliver(message), self._loop)
        if self._closed.is_set():
            return False  # closed by the other thread, which may have found nothing to wake
        try:
            return self._sending.result()
        except concurrent.futures.CancelledError:
            return False

    async def _deliver(self, message: Mapping[str, Any]) -> bool:
        if self._closed.is_set():
            return False
        if not self._started.done():
            self._started.set_result(None)
        await self._send(message)
        return True


def start_of(status: int, headers: Mapping[str, str]) -> dict[str, Any]:
    """ASGI's message before the body."""
    sent = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": sent}


def body_of(piece: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": piece, "more_body": more}
