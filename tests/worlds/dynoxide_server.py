"""dynoxide as a server with a port, for tests that need an address or the consumed capacity."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore import UNSIGNED
from botocore.awsrequest import AWSRequest

from membrane_local.storage.clients import light_client
from tests.fakes.bucket import FakeBlobs
from tests.worlds.plain_sockets import over_plain_sockets
from tests.worlds.stores import Store, table_store

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HOST = "127.0.0.1"
PROGRAM = Path(sys.executable).with_name("dynoxide")
"""`make setup` puts npm's package there."""

PAGE = 1_000
"""The most items of a Scan: without a limit, every page reads the rest of the table."""

START_TIMEOUT_S = 20.0

CALLER = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=none",
    "X-Amz-Date": "20260101T000000Z",
}
"""Headers of a signed request, without a signature."""


@contextmanager
def run_server(database: Path | None) -> Iterator[str]:
    """Run the server over a SQLite file, or in memory; yields the URL."""
    storage = [] if database is None else ["--db-path", str(database)]
    with (
        _held_port() as port,
        subprocess.Popen(
            [str(PROGRAM), "serve", "--host", HOST, "--port", str(port), *storage],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as server,
    ):
        try:
            _wait_until_open(server, port)
            yield f"http://{HOST}:{port}"
        finally:
            server.terminate()


@contextmanager
def _held_port() -> Iterator[int]:
    """A port for a server to open; the kernel gives the port to nobody else within the context."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((HOST, 0))
        yield int(holder.getsockname()[1])


def server_client(endpoint: str) -> "DynamoDBClient":
    """A new client of the server, which sends over plain sockets, without a signature."""
    client = light_client(endpoint)
    client.meta.events.register("before-parameter-build.dynamodb.Scan", _limit_scan)
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    client.meta.events.register("request-created", _name_caller)
    over_plain_sockets(client)
    return client


def served_store(endpoint: str) -> Store:
    """A new table of the server's, and a store over it."""
    return table_store(FakeBlobs(), partial(server_client, endpoint))


def _limit_scan(params: dict[str, Any], **_: object) -> None:
    params.setdefault("Limit", PAGE)


def _name_caller(request: AWSRequest, **_: object) -> None:
    for name, value in CALLER.items():
        request.headers[name] = value


def _wait_until_open(server: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise RuntimeError("dynoxide did not open its port")
