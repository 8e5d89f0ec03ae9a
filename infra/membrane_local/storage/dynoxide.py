"""The DynamoDB-compatible store dynoxide over a SQLite file, as a child process behind pipes.

dynoxide's server checks no signature and answers every origin, so the local stack opens no port:
the requests pass as calls of dynoxide's tools (Model Context Protocol) over standard input and
output, which belong to this process alone.
"""

import fcntl
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import count
from pathlib import Path
from threading import Timer
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

import botocore.session
from botocore import UNSIGNED
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError
from botocore.handlers import generate_idempotent_uuid

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.wiring import services as wiring
from membrane_local.refusals import StoreRefused
from membrane_local.storage.store_file import index_stream
from membrane_local.storage.table import CLIENT_CONFIG
from membrane_local.storage.tool_calls import reply_to
from membrane_local.storage.turns import Turns

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

BINARY = "dynoxide"
ENDPOINT = "http://dynoxide.invalid"
"""The URL in requests that never reach a network."""

PATIENCE_S = 10.0
"""The longest wait for the end of dynoxide."""

PAGE = 1_000
"""The most items of a Scan: without a limit, every page reads the rest of the table."""

Client = TypeVar("Client", "DynamoDBClient", "DynamoDBStreamsClient")


class DynoxideError(StoreRefused):
    """The store cannot run; the message names the obstacle."""


class Content(BytesIO):
    """The body of a reply, in the form in which botocore reads bodies."""

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield self.read()


@dataclass(frozen=True, slots=True)
class Dynoxide:
    """A running dynoxide. Takes a client's requests in place of botocore's URLLib3Session.

    One request at a time, as dynoxide has a single connection to the file.
    """

    requests: IO[bytes]
    replies: IO[bytes]
    turns: Turns = field(default_factory=Turns)
    numbers: Iterator[int] = field(default_factory=count)

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """The reply; raises ConnectionClosedError."""
        target: Any = request.headers["X-Amz-Target"]
        operation = (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]
        asked = json.loads(cast("bytes", request.body))
        try:
            with self.turns:
                status, body = reply_to(operation, asked, self._call)
        except OSError as error:  # dynoxide has ended
            raise ConnectionClosedError(
                endpoint_url=request.url, request=request, error=error
            ) from error
        headers: Any = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, status, headers, Content(body.encode()))

    def close(self) -> None:
        """A client that ends leaves dynoxide to the other clients."""

    def ask(self, method: str, params: JsonObject) -> JsonObject:
        """The reply to a message; raises OSError at the end of the process."""
        number = next(self.numbers)
        self.tell(method, params, id=number)
        while (line := self.replies.readline()).endswith(b"\n"):
            reply: JsonObject = json.loads(line)
            if reply.get("id") == number:
                return reply
        raise ConnectionResetError(f"{BINARY} has ended")

    def tell(self, method: str, params: JsonObject, **more: int) -> None:
        """Send a message; raises OSError at the end of the process."""
        if self.requests.closed:
            raise BrokenPipeError(f"{BINARY} has ended")
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.requests.write(compact_json(message).encode() + b"\n")
        self.requests.flush()

    def _call(self, tool: str, arguments: JsonObject) -> tuple[bool, str]:
        reply = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in reply:
            return False, reply["error"]["message"]
        return not reply["result"]["isError"], reply["result"]["content"][0]["text"]


@contextmanager
def run_dynoxide(database: Path) -> Iterator[Dynoxide]:
    """Run dynoxide over a SQLite file; a new file is readable by the user alone.

    Raises DynoxideError for a missing program, a file in use, or a file that dynoxide refuses.
    """
    path = program()
    with _hold_lock(database), tempfile.TemporaryFile() as said:
        database.touch(mode=0o600)
        with subprocess.Popen(
            [path, "mcp", "--db-path", str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            process_group=0,  # Ctrl-C reaches the stack, which needs the store until the end
        ) as process:
            pipes = cast("tuple[IO[bytes], IO[bytes]]", (process.stdin, process.stdout))
            dynoxide = Dynoxide(*pipes)
            try:
                _greet(dynoxide, said)
                index_stream(database)
                yield dynoxide
            finally:
                _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let dynoxide empty the log and end; a dynoxide that hangs is killed."""
    killing = Timer(PATIENCE_S, process.kill)
    killing.start()
    with suppress(OSError):  # dynoxide has ended
        cast("IO[bytes]", process.stdin).close()
    process.wait()
    killing.cancel()


def _greet(dynoxide: Dynoxide, said: IO[bytes]) -> None:
    """Raises DynoxideError with the last words of a dynoxide that has ended."""
    client = {"name": "membrane", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    try:
        dynoxide.ask("initialize", params)
        dynoxide.tell("notifications/initialized", {})
    except OSError as error:
        said.seek(0)
        words = said.read().decode(errors="replace").strip()
        raise DynoxideError(f"{BINARY} could not serve it: {words}") from error


def dynoxide_client(endpoint: str = ENDPOINT) -> "DynamoDBClient":
    """A new client without botocore's event handlers, as the table's in Lambda.

    The handlers take a fifth of the CPU of a call; for the token of a transaction, one stays.
    """
    client = _session().create_client("dynamodb", config=CLIENT_CONFIG, endpoint_url=endpoint)
    client.meta.events.register(
        "before-parameter-build.dynamodb.TransactWriteItems", generate_idempotent_uuid
    )
    client.meta.events.register("before-parameter-build.dynamodb.Scan", _limit_scan)
    return cast("DynamoDBClient", client)


def _limit_scan(params: dict[str, Any], **_: object) -> None:
    params.setdefault("Limit", PAGE)


@cache
def _session() -> botocore.session.Session:
    """The session of all clients of dynoxide, with the data and the parsers of the others."""
    made = botocore.session.Session(include_builtin_handlers=False)
    for shared in ("data_loader", "response_parser_factory"):
        made.register_component(shared, wiring.session().get_component(shared))
    return made


def to_dynoxide(client: Client, dynoxide: Dynoxide) -> Client:
    """The client, changed to send requests to dynoxide, unsigned."""
    client.meta.events.register("choose-signer", lambda **_: UNSIGNED)
    endpoint = cast("Any", client)._endpoint  # noqa: SLF001 - a `before-send` hook would send what another hook has answered
    endpoint.http_session = dynoxide
    return client


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
def _hold_lock(database: Path) -> Iterator[None]:
    """Hold the file's lock: two stacks over the same file would lose writes of both."""
    file = database.resolve()  # a link is a second name of the same file
    with file.with_name(f"{file.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DynoxideError(f"{database} is in use by another local stack") from error
        yield
