"""The DynamoDB-compatible server dynoxide, as a child process that ends with the parent."""

import ctypes
import fcntl
import os
import platform
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar, cast

import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSRequest
from botocore.handlers import generate_idempotent_uuid

from membrane.wiring import services as wiring
from membrane_local.refusals import StoreRefused
from membrane_local.storage.plain_sockets import over_plain_sockets

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

BINARY = "dynoxide"
HOST = "127.0.0.1"
START_TIMEOUT_S = 20.0
_PR_SET_PDEATHSIG = 1

_CALLER = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=none",
    "X-Amz-Date": "20260101T000000Z",
}
"""Headers of a signed request, without a signature."""

Client = TypeVar("Client", "DynamoDBClient", "DynamoDBStreamsClient")


class DynoxideError(StoreRefused):
    """The server cannot run; the message names the obstacle."""


@contextmanager
def run_server(database: Path | None) -> Iterator[str]:
    """Run the server over a SQLite file, or in memory; yields the endpoint's URL.

    Raises DynoxideError for a missing program, a file in use, or a server that does not start.
    """
    server_program = program()
    with _hold_lock(database), tempfile.TemporaryFile() as said:
        port = free_port()
        arguments = [server_program, "serve", "--host", HOST, "--port", str(port)]
        if database is not None:
            arguments += ["--db-path", str(database)]
        server = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - no thread runs yet
        )
        try:
            _wait_until_open(server, port, said)
            if database is not None:
                _index_streams(database)
            yield f"http://{HOST}:{port}"
        finally:
            server.terminate()
            server.wait()


def dynoxide_client(endpoint: str) -> "DynamoDBClient":
    """A new client of the server, without botocore's event handlers, as the table's in Lambda.

    The handlers take a fifth of the CPU of a call; for the token of a transaction, one stays.
    """
    client = _session().create_client(
        "dynamodb", config=wiring.CLIENT_CONFIG, endpoint_url=endpoint
    )
    client.meta.events.register(
        "before-parameter-build.dynamodb.TransactWriteItems", generate_idempotent_uuid
    )
    return to_dynoxide(cast("DynamoDBClient", client))


@cache
def _session() -> botocore.session.Session:
    """The session of all clients of dynoxide, with the data and the parsers of the others."""
    made = botocore.session.Session(include_builtin_handlers=False)
    for shared in ("data_loader", "response_parser_factory"):
        made.register_component(shared, wiring.session().get_component(shared))
    return made


def to_dynoxide(client: Client) -> Client:
    """The dynoxide client, changed to send requests without a signature, over plain sockets.

    dynoxide refuses a request without a caller's name and checks no signature. Signing takes a
    quarter of the CPU of a call, urllib3 a third.
    """
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    client.meta.events.register("request-created", _name_caller)
    over_plain_sockets(client)
    return client


def _name_caller(request: AWSRequest, **_: object) -> None:
    for name, value in _CALLER.items():
        request.headers[name] = value


def free_port() -> int:
    """A free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def program() -> str:
    """The path of dynoxide; raises DynoxideError where the program is missing."""
    beside = Path(sys.executable).with_name(BINARY)
    found = str(beside) if beside.is_file() else shutil.which(BINARY)
    if found is None:
        raise DynoxideError(
            f"a file needs the program {BINARY}, which is missing: run "
            f"`make setup`, which puts npm's package {_package()} into .venv"
        )
    return found


def _package() -> str:
    """The npm package for this machine; npm says `x64` where Python says `x86_64`."""
    machine = platform.machine().lower()
    architecture = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    return f"@{BINARY}/{platform.system().lower()}-{architecture}"


@contextmanager
def _hold_lock(database: Path | None) -> Iterator[None]:
    """Hold the file's lock: two servers over the same file would lose writes of both."""
    if database is None:
        yield
        return
    with database.with_name(f"{database.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DynoxideError(f"{database} is in use by another local stack") from error
        yield


def _die_with_parent() -> None:
    """On Linux, let the server die with the stack; elsewhere the server may outlive the stack."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with suppress(OSError):
        os.setpgrp()


def _index_streams(database: Path) -> None:
    """Make the cost of a write to a table with a stream independent of the number of records.

    At every write, the server scans all stream records of the table for the newest sequence
    number; an index on the numbers avoids the scan.
    """
    with closing(sqlite3.connect(database, timeout=START_TIMEOUT_S)) as connection, connection:
        for statement in _STREAM_INDEXES:
            connection.execute(statement)


_STREAM_INDEXES = (
    """CREATE INDEX IF NOT EXISTS membrane_newest
       ON _stream_records (table_name, CAST(sequence_number AS INTEGER))""",
    """CREATE INDEX IF NOT EXISTS membrane_read
       ON _stream_records (table_name, shard_id, sequence_number)""",
)


def _wait_until_open(server: "subprocess.Popen[bytes]", port: int, said: IO[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            said.seek(0)
            words = said.read().decode(errors="replace").strip()
            raise DynoxideError(f"{BINARY} could not serve it: {words}")
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise DynoxideError(f"{BINARY} did not open its port within {START_TIMEOUT_S:g} s")
