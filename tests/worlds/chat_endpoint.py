"""A chat endpoint on this machine, which answers as a test says."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import Any

from tests.worlds.serving import serving

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(slots=True)
class ChatEndpoint:
    """The endpoint's address, requests and next answer."""

    url: str
    answer: Answer
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    """Path, headers in lower case, and JSON of each request."""
    over: Event = field(default_factory=Event)
    """Set at the end of the test: a waiting answer ends."""


@contextmanager
def chat_endpoint() -> Iterator[ChatEndpoint]:
    """A running endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    endpoint = ChatEndpoint(f"http://127.0.0.1:{server.server_port}/v1/chat", says(""))
    server.RequestHandlerClass = _handler_of(endpoint)
    with serving(server):
        try:
            yield endpoint
        finally:
            endpoint.over.set()


def _handler_of(endpoint: ChatEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            endpoint.requests.append((self.path, headers, json.loads(body)))
            with suppress(OSError):  # the client has left
                endpoint.answer(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def sends(body: bytes, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> Answer:
    """Answers with these bytes."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def says(content: Any, usage: Any = None) -> Answer:
    """Answers with a message of this content."""
    body = {"choices": [{"message": {"role": "assistant", "content": content}}]}
    if usage is not None:
        body["usage"] = usage
    return sends(json.dumps(body).encode())


def in_turn(answers: Sequence[Answer]) -> Answer:
    """Answers each request with the next of the answers."""
    left = iter(answers)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        following = next(left)
        following(handler)

    return answer
