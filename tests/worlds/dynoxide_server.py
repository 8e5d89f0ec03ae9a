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
    with socket.socket() as held:  # as long as the server runs: nobody else is given the port
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((HOST, 0))
        port = int(held.getsockname()[1])
        arguments = [str(PROGRAM), "serve", "--host", HOST, "--port", str(port)]
        if database is not None:
            arguments += ["--db-path", str(database)]
        with subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as server:
            try:
                _wait_until_open(server, port)
                yield f"http://{HOST}:{port}"
            finally:
                server.terminate()


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
