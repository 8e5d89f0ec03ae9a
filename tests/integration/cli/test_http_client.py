"""What the commands make of whatever answers at the address that they were given."""

import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO

import pytest

from membrane_cli.http_client import HttpClient
from tests.worlds.refusals import refuses


@contextmanager
def answering(reply: bytes) -> Iterator[HttpClient]:
    """A client of a server that says the same to everybody."""

    class Same(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(reply)

    with socketserver.TCPServer(("127.0.0.1", 0), Same) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield HttpClient(f"http://127.0.0.1:{server.server_address[1]}")
        finally:
            server.shutdown()
            thread.join()


def http(status: str, body: bytes) -> bytes:
    return b"HTTP/1.0 %s\r\ncontent-length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


@pytest.mark.parametrize("status", ["200 OK", "502 Bad Gateway"])
def test_an_answer_that_is_not_json_is_told_in_a_sentence(status: str) -> None:
    with (
        answering(http(status, b"<html>")) as client,
        refuses("UNAVAILABLE", match="but not JSON"),
    ):
        client.ask("GET", "/v1/records/1")


def test_an_answer_that_is_not_http_is_told_in_a_sentence() -> None:
    with (
        answering(b"220 mail.example ESMTP\r\n") as client,
        refuses("UNAVAILABLE", match="does not speak HTTP"),
    ):
        client.ask("GET", "/v1/records/1")


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        ("400 Bad Request", b'{"detail": "ours", "message": "x"}', "INVALID_ARGUMENT", "^ours$"),
        ("404 Not Found", b'{"message": "Not Found"}', "NOT_FOUND", "^Not Found$"),
        ("413 Too Large", b'{"message": "too large"}', "INVALID_ARGUMENT", "^too large$"),
        ("403 Forbidden", b'{"message": null}', "", "403, without a reason"),
        ("500 Error", b"[1]", "", "500, without a reason"),
        ("503 Unavailable", b"", "", "503, without a reason"),
    ],
)
def test_a_refusal_is_told_in_its_own_words(
    status: str, body: bytes, code: str, words: str
) -> None:
    with answering(http(status, body)) as client, refuses(code, match=words):
        client.ask("GET", "/v1/records/1")


def test_an_answer_that_breaks_off_is_told_in_a_sentence() -> None:
    with answering(b"") as client, refuses("UNAVAILABLE", match="no answer came"):
        client.ask("GET", "/v1/records/1")


@pytest.mark.parametrize("status", ["200 OK", "500 Error"])
def test_a_body_that_breaks_off_is_told_in_a_sentence(status: str) -> None:
    reply = f"HTTP/1.0 {status}\r\ncontent-length: 100\r\n\r\nabc".encode()

    with answering(reply) as client, refuses("UNAVAILABLE", match="broke off"):
        client.ask("GET", "/v1/records/1")


def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = HttpClient(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.01)

        with refuses("UNAVAILABLE", match="no answer came"):
            client.ask("GET", "/v1/records/1")


def test_the_answer_to_a_file_is_waited_for_as_long_as_it_takes() -> None:
    with answering(http("202 Accepted", b"{}")) as client:
        hasty = replace(client, timeout_s=1e-9)

        assert hasty.send("PUT", "/_dev/imports/a", BytesIO(), 0) == {}


def test_a_redirection_is_not_followed() -> None:
    with answering(http("200 OK", b"{}")) as elsewhere:
        moved = b"HTTP/1.0 307 Moved\r\nlocation: %s/\r\n\r\n" % elsewhere.url.encode()
        with answering(moved) as client:
            assert replace(client, api_key="secret").call("GET", "/").status == 307


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine() -> None:
    usual = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy"}
    code = (
        "import sys; from membrane_cli.http_client import HttpClient; "
        "HttpClient(sys.argv[1]).ask('GET', '/')"
    )

    with answering(http("200 OK", b"{}")) as client:
        subprocess.run(
            [sys.executable, "-c", code, client.url],
            check=True, env={**usual, "http_proxy": "http://127.0.0.1:9"},
        )  # fmt: skip
