"""Lambda's Runtime API for one function: under AWS's own runtime client, or under the stream's."""

import importlib.util
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from membrane_local.template import Function
from tests.worlds.template import functions, shared, target

LAYER = "MembraneLayer"
NUMERIC_LAYER = "NumericLayer"
ENCODER_LAYER = "EncoderLayer"
CLIENT = ("awslambdaric", "runtime_client", "simplejson", "snapshot_restore_py")
"""The modules of the runtime client: what Lambda has beside the layers."""

WRAPPER = "AWS_LAMBDA_EXEC_WRAPPER"
"""The variable with a script below TASK_ROOT that Lambda calls with the usual command line."""

TASK_ROOT = "/var/task"
REQUEST_ID = "8476a536-e9f4-11e8-9739-2dfe598c3fcd"
ATTEMPT_ID = "b3c1f0aa-0b1d-4a7e-8f57-0f7f4a2f9a01"
TRACE_ID = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1"


class FunctionFailedError(Exception):
    """The function reported an error, or `at_start` its environment did; `kind` is its type."""

    def __init__(self, kind: str, message: str, *, at_start: bool = False) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.at_start = at_start


@dataclass(slots=True)
class Stream:
    """A reply that the function may still be sending."""

    headers: Mapping[str, str]
    """Of the request to the Runtime API, in lower case."""
    leave: Callable[[], None]
    """Closes the connection, as Lambda does once the caller has left."""
    trailers: dict[str, str] = field(default_factory=dict)
    """Complete after the last piece."""
    chunks: "SimpleQueue[bytes | None]" = field(default_factory=SimpleQueue)

    def next_chunk(self) -> bytes | None:
        """The next chunk of the body once the function has sent the chunk; None at the end."""
        return self.chunks.get()

    def read(self, body: BufferedIOBase) -> None:
        """Pass every chunk on at once; the body may break off when the caller leaves."""
        while size := int(body.readline() or b"0", 16):
            self.chunks.put(body.read(size))
            body.readline()
        while line := body.readline().decode().strip():
            name, _, value = line.partition(": ")
            self.trailers[name] = value
        self.chunks.put(None)


@dataclass(slots=True)
class Runtime:
    """A running function."""

    name: str
    timeout_s: int
    events: "SimpleQueue[bytes]" = field(default_factory=SimpleQueue)
    replies: "SimpleQueue[Any]" = field(default_factory=SimpleQueue)

    def invoke(self, event: Any) -> Any:
        """The function's reply, a Stream for a streamed reply; raises FunctionFailedError."""
        self.events.put(json.dumps(event).encode())
        reply = self.replies.get()
        if isinstance(reply, FunctionFailedError):
            raise reply
        return reply


def copy_client(into: Path) -> None:
    """Copy the runtime client out of the environment that the tests run in."""
    for module in CLIENT:
        spec = importlib.util.find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        if spec.submodule_search_locations:
            shutil.copytree(Path(spec.origin).parent, into / module)
        else:
            shutil.copy(spec.origin, into)


@contextmanager
def running(
    function: Function, built: Path, client: Path, environment: Mapping[str, str]
) -> Iterator[Runtime]:
    """Run a built function with nothing but its layers, the runtime client and the environment."""
    name = function.logical_id
    layers = [built / layer / "python" for layer in layers_of(function)]
    command = [_bare_python(), "-S", "-m", "awslambdaric", function.handler]
    wrapper = function.environment.get(WRAPPER, "")
    if wrapper.startswith(TASK_ROOT):
        command.insert(0, wrapper.replace(TASK_ROOT, str(built / name), 1))
    settings = {
        "PYTHONPATH": ":".join(map(str, (built / name, *layers, client))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_LAMBDA_FUNCTION_NAME": name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "_HANDLER": function.handler,
        **environment,
    }
    runtime = Runtime(name, function.timeout_s)
    with process_under(runtime, command, built / name, settings):
        yield runtime


@contextmanager
def process_under(
    runtime: Runtime, command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> Iterator[None]:
    """Run a command that takes the runtime's events, with the function's folder and settings."""
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), _requests_of(runtime)) as server,
        tempfile.TemporaryFile() as said,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={
                "LAMBDA_TASK_ROOT": str(folder),
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
                **environment,
            },
        )

        def tell_of_the_end() -> None:
            code = process.wait()
            said.seek(0)
            words = said.read().decode(errors="replace")
            runtime.replies.put(FunctionFailedError("Runtime.ExitError", f"{code}: {words}"))

        watching = threading.Thread(target=tell_of_the_end)
        watching.start()
        try:
            yield
        finally:
            process.kill()
            watching.join()
            runtime.events.put(b"")
            server.shutdown()


def layers_of(function: Function) -> list[str]:
    """The names of its layers; SAM adds a function's own to those of all."""
    own = functions()[function.logical_id].get("Layers", [])
    return [target(layer) for layer in (*shared()["Layers"], *own)]


def _requests_of(runtime: Runtime) -> type[BaseHTTPRequestHandler]:
    class Requests(BaseHTTPRequestHandler):
        """What the runtime client asks for and reports."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # header and body in one packet

        def do_GET(self) -> None:
            event = runtime.events.get()
            if not event:  # the function has ended
                self.close_connection = True
                return
            deadline_ms = round((time.time() + runtime.timeout_s) * 1000)
            self._answer(
                200,
                event,
                {
                    "Lambda-Runtime-Aws-Request-Id": REQUEST_ID,
                    "Lambda-Runtime-Invocation-Id": ATTEMPT_ID,
                    "Lambda-Runtime-Trace-Id": TRACE_ID,
                    "Lambda-Runtime-Deadline-Ms": str(deadline_ms),
                    "Lambda-Runtime-Invoked-Function-Arn": (
                        f"arn:aws:lambda:us-east-1:123456789012:function:{runtime.name}"
                    ),
                },
            )

        def do_POST(self) -> None:
            if self.headers["transfer-encoding"] == "chunked":
                self.close_connection = True
                _take_stream(self, runtime)
                self._answer(202, b'{"status": "OK"}', {})
                return
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._answer(202, b'{"status": "OK"}', {})
            if self.path.endswith("/error"):
                body = FunctionFailedError(
                    body["errorType"], body["errorMessage"], at_start="/init/" in self.path
                )
            runtime.replies.put(body)

        def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

        def handle(self) -> None:
            """Mind no client that was killed while it waited, and no caller that left."""
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    return Requests


def _take_stream(request: BaseHTTPRequestHandler, runtime: Runtime) -> None:
    headers = {name.lower(): value for name, value in request.headers.items()}
    stream = Stream(headers, lambda: request.connection.shutdown(socket.SHUT_RDWR))
    runtime.replies.put(stream)
    stream.read(request.rfile)


def _bare_python() -> str:
    """The interpreter itself, not the environment that the tests run in."""
    return str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
