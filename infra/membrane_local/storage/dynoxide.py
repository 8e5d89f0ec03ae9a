"""The DynamoDB-compatible server dynoxide, as a child process that dies with its parent."""

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
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from botocore import UNSIGNED
from botocore.awsrequest import AWSRequest

from membrane_local.refusals import StoreRefused

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
"""Headers of a signed request, with no signature in them."""

Client = TypeVar("Client", "DynamoDBClient", "DynamoDBStreamsClient")


class DynoxideError(StoreRefused):
    """The server cannot be run; the message says what is missing."""


@contextmanager
def running(database: Path | None) -> Iterator[str]:
    """Run the server over a SQLite file, or in memory; gives its endpoint's address.

    Raises DynoxideError where the program is absent, the file is in use or it does not start.
    """
    server_program = program()
    with _held(database), tempfile.TemporaryFile() as said:
        port = free_port()
        arguments = [server_program, "serve", "--host", HOST, "--port", str(port)]
        if database is not None:
            arguments += ["--db-path", str(database)]
        server = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - before any thread is started
        )
        try:
            _wait_until_open(server, port, said)
            if database is not None:
                _index_streams(database)
            yield f"http://{HOST}:{port}"
        finally:
            server.terminate()
            server.wait()


def unsigned(client: Client) -> Client:
    """The given client of a dynoxide server, changed to send requests without a signature.

    dynoxide refuses a request without a caller's name and checks no signature. Signing takes a
    third of the CPU of a call.
    """
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    client.meta.events.register("request-created", _name_caller)
    return client


def _name_caller(request: AWSRequest, **_: object) -> None:
    for name, value in _CALLER.items():
        request.headers[name] = value


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def program() -> str:
    """The path of dynoxide; raises DynoxideError where it is missing."""
    beside = Path(sys.executable).with_name(BINARY)
    found = str(beside) if beside.is_file() else shutil.which(BINARY)
    if found is None:
        raise DynoxideError(
            f"a file needs the program {BINARY}, which is missing: install npm, then run "
            f"`make setup`, which puts npm's package {_package()} into .venv"
        )
    return found


def _package() -> str:
    """The package of this machine, in npm's words: `x64` where Python says `x86_64`."""
    machine = platform.machine().lower()
    architecture = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    return f"@{BINARY}/{platform.system().lower()}-{architecture}"


@contextmanager
def _held(database: Path | None) -> Iterator[None]:
    """Hold the file's lock: two servers over one file would lose each other's writes."""
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
    """Linux kills the server when the stack is killed; elsewhere the port is simply left."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with suppress(OSError):
        os.setpgrp()


def _index_streams(database: Path) -> None:
    """Let a write to a table with a stream cost the same however many came before it.

    For each the server looks for the newest sequence number, and of its own it goes through all.
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
