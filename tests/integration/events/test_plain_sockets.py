"""What a client sends over plain sockets arrives, and what fails is one of botocore's failures."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from botocore.exceptions import (
    ConnectionClosedError,
    EndpointConnectionError,
    HTTPClientError,
    ReadTimeoutError,
)

from membrane_local.storage.plain_sockets import PlainSockets

HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\ncontent-length: 5\r\n\r\nhello"
EMPTY = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"

CALLERS = 8
"""Connections at once, at most."""

Answer = Callable[[socket.socket, bytes], None]
"""Answers a request, of which the bytes are given, over its connection."""


@contextmanager
def server(answer: Answer) -> Iterator[str]:
    """A server that answers requests without a body, any number over each connection."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            connections.append(self.request)
            with suppress(OSError):
                while received := self.request.recv(65_536):
                    answer(self.request, received)

    connections: list[socket.socket] = []
    with Server(("127.0.0.1", 0), Handler) as listening:
        serving = threading.Thread(target=listening.serve_forever, args=(0.01,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}/"
        finally:
            listening.shutdown()
            serving.join()
            for connection in connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class Server(ThreadingTCPServer):
    """A server that ends without waiting for its connections."""

    daemon_threads = True
    block_on_close = False


def request(url: str, body: bytes | str | None = None) -> AWSPreparedRequest:
    headers: Any = HeadersDict({"X-Name": "value", "X-Signed": b"bytes"})
    return AWSPreparedRequest("POST", url, headers, body, stream_output=False)


@pytest.fixture
def sockets() -> Iterator[PlainSockets]:
    found = PlainSockets(connect_timeout_s=1, read_timeout_s=30)
    yield found
    found.close()


def test_a_request_arrives_whole_and_the_reply_has_status_headers_and_body(
    sockets: PlainSockets,
) -> None:
    received: list[bytes] = []

    def answer(connection: socket.socket, message: bytes) -> None:
        received.append(message)
        connection.sendall(HELLO)

    with server(answer) as url:
        reply = sockets.send(request(url, "wörds"))

    head, _, body = received[0].partition(b"\r\n\r\n")
    assert body.decode() == "wörds"
    assert head.split(b"\r\n")[0] == b"POST / HTTP/1.1"
    assert {b"X-Name: value", b"X-Signed: bytes", b"Content-Length: 6"} <= {*head.split(b"\r\n")}
    assert (reply.status_code, reply.content) == (200, b"hello")
    assert reply.headers["Content-Type"] == "text/plain"


def test_a_reply_may_come_byte_by_byte(sockets: PlainSockets) -> None:
    def answer(connection: socket.socket, _: bytes) -> None:
        for byte in HELLO:
            connection.sendall(bytes([byte]))

    with server(answer) as url:
        assert sockets.send(request(url)).content == b"hello"


def test_a_reply_without_a_body_is_empty(sockets: PlainSockets) -> None:
    with server(lambda connection, _: connection.sendall(EMPTY)) as url:
        reply = sockets.send(request(url))

    assert (reply.status_code, reply.content) == (400, b"")


def test_requests_one_after_the_other_share_a_connection(sockets: PlainSockets) -> None:
    seen: set[socket.socket] = set()

    def answer(connection: socket.socket, _: bytes) -> None:
        seen.add(connection)
        connection.sendall(HELLO)

    with server(answer) as url:
        for _ in range(5):
            sockets.send(request(url))

    assert len(seen) == 1


def test_requests_at_once_get_their_own_replies(sockets: PlainSockets) -> None:
    everyone = threading.Barrier(CALLERS)

    def answer(connection: socket.socket, message: bytes) -> None:
        everyone.wait(timeout=30)
        body = message.partition(b"\r\n\r\n")[2]
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + body)

    with server(answer) as url, ThreadPoolExecutor(CALLERS) as callers:
        sent = [str(number) for number in range(CALLERS)]
        replies = [*callers.map(lambda body: sockets.send(request(url, body)).content, sent)]

    assert [reply.decode() for reply in replies] == sent


def test_a_server_that_is_not_there_is_no_endpoint(sockets: PlainSockets) -> None:
    with server(lambda *_: None) as url:
        pass

    with pytest.raises(EndpointConnectionError):
        sockets.send(request(url))


def test_a_connection_that_ends_before_the_reply_is_closed_and_the_next_request_opens_another(
    sockets: PlainSockets,
) -> None:
    endings = iter([HELLO[:-1], b""])

    def answer(connection: socket.socket, _: bytes) -> None:
        for ending in endings:
            connection.sendall(ending)
            connection.shutdown(socket.SHUT_RDWR)
            return
        connection.sendall(HELLO)

    with server(answer) as url:
        for _ in range(2):
            with pytest.raises(ConnectionClosedError):
                sockets.send(request(url))
        assert sockets.send(request(url)).content == b"hello"


def test_a_connection_that_the_server_closed_while_it_waited_is_reported_closed(
    sockets: PlainSockets,
) -> None:
    with server(lambda connection, _: connection.sendall(HELLO)) as url:
        sockets.send(request(url))

    with pytest.raises(ConnectionClosedError):
        sockets.send(request(url))
    with pytest.raises(EndpointConnectionError):
        sockets.send(request(url))


def test_a_server_that_stays_silent_times_out() -> None:
    hasty = PlainSockets(connect_timeout_s=1, read_timeout_s=0.05)

    with server(lambda *_: None) as url, pytest.raises(ReadTimeoutError):
        hasty.send(request(url))

    assert not hasty.idle


def test_a_reply_without_a_length_is_refused(sockets: PlainSockets) -> None:
    endless = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

    with (
        server(lambda connection, _: connection.sendall(endless)) as url,
        pytest.raises(HTTPClientError, match="without a length"),
    ):
        sockets.send(request(url))

    assert not sockets.idle


def test_a_reply_that_is_no_http_is_refused(sockets: PlainSockets) -> None:
    with (
        server(
            lambda connection, _: connection.sendall(b"hello\r\ncontent-length: 0\r\n\r\n")
        ) as url,
        pytest.raises(HTTPClientError),
    ):
        sockets.send(request(url))

    assert not sockets.idle


def test_a_connection_that_the_server_will_close_is_not_used_again(sockets: PlainSockets) -> None:
    closing = HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    with server(lambda connection, _: connection.sendall(closing)) as url:
        sockets.send(request(url))

    assert not sockets.idle
