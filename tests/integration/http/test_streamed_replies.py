"""Streamed replies of the local stack, as its ASGI server sees them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from membrane_local.events.agenda import BusyError
from membrane_local.functions import Functions
from membrane_local.http import server
from membrane_local.http.gateway import Gateway, routes_of
from membrane_local.http.server import Application, Message
from membrane_local.template import Function
from tests.worlds.api import Api
from tests.worlds.captures import SCRIPTS, WHOLE, Script

ROUTE = "POST /v1/chat/stream"
END = {"type": "http.response.body", "body": b"", "more_body": False}


def piece(content: bytes) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": True}


@dataclass(frozen=True)
class Call:
    """A request under way in the event loop, with both ends of the connection."""

    received: "asyncio.Queue[Message]" = field(default_factory=asyncio.Queue)
    sent: "asyncio.Queue[Message]" = field(default_factory=asyncio.Queue)

    def start(self, application: Application, path: str, script: str) -> "asyncio.Task[None]":
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"script", script.encode()), (b"host", b"127.0.0.1")],
        }
        self.received.put_nowait({"type": "http.request", "body": b"{}", "more_body": False})
        return asyncio.create_task(application(scope, self.received.get, self.sent.put))

    def leave(self) -> None:
        self.received.put_nowait({"type": "http.disconnect"})


@pytest.fixture
def application(api: Api, tmp_path: Path) -> Application:
    """A stack with the scripted function alone, in place of chat's; one thread for requests."""
    folder = tmp_path / "chat"
    folder.mkdir()
    (folder / "handler.py").write_text("from tests.worlds.captures import handler")
    template = api.functions.template
    environment = template.functions[0].environment
    function = Function("Streaming", folder, "handler.handler", environment, 60)
    functions = Functions(
        replace(template, functions=(function,)), api.functions.store, api.functions.clock
    )
    return Application(
        Gateway(functions, routes_of(functions.template), requires_keys=False),
        api.application.deliveries,
        patience_s=0.2,
        threads=ThreadPoolExecutor(1),  # ended by some tests
    )


@pytest.fixture
def script() -> Iterator[Script]:
    name = uuid4().hex
    SCRIPTS[name] = Script()
    yield SCRIPTS[name]
    script = SCRIPTS.pop(name)
    script.may_begin.set()  # after a test that failed, too: the thread must end
    script.make(None)


Scene = Callable[[Call], Coroutine[Any, Any, None]]


def play(application: Application, scene: Scene, path: str = "/v1/chat/stream") -> None:
    """Let a scene act on a request for the only script."""
    (name,) = SCRIPTS

    async def act() -> None:
        call = Call()
        task = call.start(application, path, name)
        await scene(call)
        await task

    asyncio.run(act())


def test_a_piece_is_sent_before_the_function_makes_the_next(
    application: Application, script: Script
) -> None:
    async def scene(call: Call) -> None:
        start = await call.sent.get()
        assert (start["type"], start["status"]) == ("http.response.start", 200)
        assert dict(start["headers"]).keys() == {b"content-type", b"apigw-requestid"}
        script.make(b"one")
        assert await call.sent.get() == piece(b"one")
        script.make(b"two")
        assert await call.sent.get() == piece(b"two")
        script.make(None)
        assert await call.sent.get() == END

    play(application, scene)

    assert script.served == [True, True]


def test_the_pieces_are_closed_when_the_client_leaves(
    application: Application, script: Script
) -> None:
    async def scene(call: Call) -> None:
        script.make(b"one")
        assert (await call.sent.get())["type"] == "http.response.start"
        assert await call.sent.get() == piece(b"one")
        call.leave()
        while not script.closed.is_set():
            script.make(b"for nobody")
            await asyncio.sleep(0)

    play(application, scene)

    assert script.closed.is_set()


def test_an_error_between_pieces_ends_the_body(application: Application, script: Script) -> None:
    async def scene(call: Call) -> None:
        script.make(b"one")
        script.make(LookupError("nothing here"))
        sent = [await call.sent.get() for _ in range(3)]
        assert sent[1:] == [piece(b"one"), END]

    play(application, scene)

    assert script.closed.is_set()


def test_a_stream_that_begins_after_the_time_limit_is_refused(
    application: Application, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TIMEOUT_S", 0.0)
    script.may_begin.clear()

    async def scene(call: Call) -> None:
        assert (await call.sent.get())["status"] == 503
        script.may_begin.set()
        await asyncio.to_thread(application.threads.shutdown)
        assert not (await call.sent.get()).get("more_body")
        assert call.sent.empty()

    play(application, scene)


@pytest.mark.usefixtures("script")
def test_a_route_of_the_stack_itself_may_take_longer_than_the_time_limit(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TIMEOUT_S", 0.0)

    async def scene(call: Call) -> None:
        assert (await call.sent.get())["status"] == 404

    play(application, scene, "/_dev/unknown")


def test_a_reset_waits_for_the_end_of_a_stream(application: Application, script: Script) -> None:
    async def scene(call: Call) -> None:
        await call.sent.get()
        with pytest.raises(BusyError, match=ROUTE):
            await asyncio.to_thread(application.reset)
        script.make(None)

    play(application, scene)


def test_a_direct_invocation_gets_a_whole_reply(application: Application, script: Script) -> None:
    async def scene(call: Call) -> None:
        assert (await call.sent.get())["status"] == 200
        assert WHOLE.encode() in (await call.sent.get())["body"]

    play(application, scene, "/_dev/invoke/Streaming")

    assert script.served == []
