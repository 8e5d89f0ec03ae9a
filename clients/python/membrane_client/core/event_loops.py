"""HTTP connections for programs that call `asyncio.run` more than once, or in several threads."""

from collections.abc import AsyncGenerator, Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx2

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    Loop: TypeAlias = AbstractEventLoop | None
    """None under trio, which has no loop of asyncio."""


class ClientPerLoop:
    """An HTTP client for each event loop, because a connection works in a single loop.

    Has the methods of `httpx2.AsyncClient` for `AsyncMembrane`. The end of `asyncio.run` closes the
    connections of its loop. Thread-safe.
    """

    def __init__(self, new_client: Callable[[], httpx2.AsyncClient]) -> None:
        self._new_client = new_client
        self._lock = Lock()
        self._clients: dict[Loop, httpx2.AsyncClient] = {}
        self._keepers: dict[Loop, AsyncGenerator[None]] = {}
        self.is_closed = False

    def build_request(self, method: str, url: str, **parts: Any) -> httpx2.Request:
        return self._client(running_loop()).build_request(method, url, **parts)

    async def send(self, request: httpx2.Request, *, stream: bool) -> httpx2.Response:
        """Send with the client of the running loop, which a generator closes with the loop."""
        loop = running_loop()
        client = self._client(loop)
        if loop not in self._keepers:
            self._keepers[loop] = self._keep(loop, client)
            await anext(self._keepers[loop])
        return await client.send(request, stream=stream)

    async def aclose(self) -> None:
        """Close the connections of the running loop; other loops close theirs at the end."""
        self.is_closed = True
        keeper = self._keepers.get(running_loop())
        if keeper is not None:
            await keeper.aclose()

    async def _keep(self, loop: "Loop", client: httpx2.AsyncClient) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._forget(loop)
            await client.aclose()

    def _client(self, loop: "Loop") -> httpx2.AsyncClient:
        with self._lock:
            for other in [*self._clients]:
                if other is not None and other.is_closed():
                    self._forget(other)
            if loop not in self._clients:
                self._clients[loop] = self._new_client()
            return self._clients[loop]

    def _forget(self, loop: "Loop") -> None:
        self._clients.pop(loop, None)
        self._keepers.pop(loop, None)


def running_loop() -> "Loop":
    from asyncio import get_running_loop  # noqa: PLC0415 - synchronous code does without asyncio

    try:
        return get_running_loop()
    except RuntimeError:
        return None
