"""A `membrane mcp` of its own process, and a server of `/mcp` that a test scripts."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.e2e.stack import MEMBRANE
from tests.worlds.serving import serving

MODERN: dict[str, Any] = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
"""The parameters that each request of MCP 2026-07-28 has."""


def request_line(request_id: Any, method: str = "tools/list", **params: Any) -> bytes:
    """A request as a client writes it, without the end of the line."""
    body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the scripted server."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    drips: threading.Event | None = None
    """Until the event, the server sends a byte of the body now and then, and never the last."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request that the scripted server got."""

    path: str
    headers: Mapping[str, str]
    content: bytes


def result(body: Any, **fields: Any) -> Reply:
    """A JSON-RPC response to the request in the body."""
    return Reply(json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": fields}).encode())


@dataclass
class Script:
    """A server that answers each POST by a function of the message."""

    answer: Callable[[Any], Reply] = result
    received: list[Received] = field(default_factory=list)
    url: str = ""


@contextmanager
def scripted_server() -> Iterator[Script]:
    """The server, on a free port until the end of the block."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            with suppress(ConnectionError):  # a test may end the client amid the reply
                self._answer()

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.received.append(Received(self.path, headers, content))
            reply = script.answer(json.loads(content))
            self.send_response(reply.status)
            self.send_header("content-type", reply.content_type)
            size = 1_000_000 if reply.drips else len(reply.content)
            self.send_header("content-length", str(size))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            while reply.drips and not reply.drips.wait(0.2):
                self.wfile.write(b" ")
            self.wfile.write(reply.content)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield script


@dataclass(frozen=True, slots=True)
class Bridge:
    """A running bridge."""

    process: "subprocess.Popen[bytes]"

    def send(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def read(self) -> Any:
        """The next message of the bridge."""
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, *lines: bytes) -> Any:
        self.send(*lines)
        return self.read()

    def end(self) -> tuple[list[Any], str, int]:
        """Close the bridge's input; the remaining messages, the warnings and the exit code."""
        out, err = self.process.communicate(timeout=60)
        return (
            [json.loads(line) for line in (out or b"").splitlines()],
            err.decode(),
            self.process.returncode,
        )


@contextmanager
def bridge(*options: str, home: Path, **environment: str) -> Iterator[Bridge]:
    """Run `membrane mcp` with a home of its own until the end of the block."""
    process = subprocess.Popen(
        [MEMBRANE, "mcp", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_of(home, **environment),
    )
    with process:
        try:
            yield Bridge(process)
        finally:
            process.kill()


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user who has configured nothing."""
    folders = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in folders}
    return {**kept, "HOME": str(home), **more}
