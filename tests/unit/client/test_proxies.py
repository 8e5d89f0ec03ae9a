"""Proxies of the environment: never for this machine, and named in errors."""

import asyncio
import socketserver
import threading
from collections.abc import Iterator

import pytest

from membrane_cli.http_client import HttpClient
from membrane_client import APIError, AsyncMembrane, ConnectionFailed, InvalidCall, Membrane
from membrane_client.core.addresses import environment_proxy
from tests.worlds.refusals import refuses

NOBODY = "http://someone:secret@127.0.0.1:9"
"""The port of `discard`, where nobody answers."""


class Healthy(socketserver.StreamRequestHandler):
    """Answers like the service to a path, and like a proxy to a whole address."""

    def handle(self) -> None:
        address = self.rfile.readline().split()[1]
        while self.rfile.readline().strip():
            pass
        is_asked_directly = address.startswith(b"/")
        status, body = (b"200 OK", b'{"status": "ok"}') if is_asked_directly else (b"403 No", b"no")
        head = b"HTTP/1.0 %s\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
        self.wfile.write(head + body)


@pytest.fixture
def port() -> Iterator[int]:
    with socketserver.TCPServer(("127.0.0.1", 0), Healthy) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"])
@pytest.mark.parametrize("proxy", [NOBODY, "socks5://127.0.0.1:9", "nonsense://127.0.0.1:9"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_no_proxy_is_asked_for_this_machine(
    name: str, proxy: str, host: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, proxy)
    url = f"http://{host}:{port}"

    async def health() -> str:
        async with AsyncMembrane(url, "key", max_retries=0) as client:
            return (await client.health()).status

    with Membrane(url, "key", max_retries=0) as client:
        assert client.health().status == "ok"
    assert asyncio.run(health()) == "ok"
    assert HttpClient(url).ask("GET", "/health") == {"status": "ok"}


def test_the_error_of_a_proxy_names_the_proxy_without_its_password(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://memory.example"
    for proxy, kind in ((NOBODY, ConnectionFailed), (f"http://127.0.0.1:{port}", APIError)):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        named = f"proxy http://{proxy.rpartition('@')[2].removeprefix('http://')}"

        with Membrane(url, "key", max_retries=0) as client, pytest.raises(kind) as failed:
            client.health()
        with refuses("UNAVAILABLE") as refused:
            HttpClient(url).ask("GET", "/health")

        assert named in str(failed.value)
        assert named in str(refused.value)


@pytest.mark.parametrize(
    "host", ["localhost.", "127.1.2.3", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.1.2.3]"]
)
def test_no_error_about_this_machine_names_a_proxy(
    host: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
    url = f"http://{host}:9"

    assert environment_proxy(url) is None
    with Membrane(url, "key", max_retries=0) as client, pytest.raises(ConnectionFailed):
        client.health()


def test_a_proxy_that_no_request_can_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://someone:secret@proxy.example:9")

    with pytest.raises(InvalidCall, match=r"the proxy nonsense://proxy\.example:9"):
        Membrane("https://memory.example", "key")
