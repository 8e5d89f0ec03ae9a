"""Lambda's Runtime API for one function, which runs under AWS's own runtime client."""

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


class FunctionFailedError(Exception):
    """The function reported an error, or `at_start` its environment did; `kind` is its type."""

    def __init__(self, kind: str, message: str, *, at_start: bool = False) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.at_start = at_start


@dataclass(slots=True)
class Runtime:
    """A running function."""

    name: str
    timeout_s: int
    events: "SimpleQueue[bytes]" = field(default_factory=SimpleQueue)
    replies: "SimpleQueue[Any]" = field(default_factory=SimpleQueue)

    def invoke(self, event: Any) -> Any:
        """The function's reply; raises FunctionFailedError."""
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
    runtime = Runtime(name, function.timeout_s)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), _requests_of(runtime)) as server,
        tempfile.TemporaryFile() as said,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        process = subprocess.Popen(
            [_bare_python(), "-S", "-B", "-m", "awslambdaric", function.handler],
            cwd=built / name,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={
                "PYTHONPATH": ":".join(map(str, (built / name, *layers, client))),
                "LAMBDA_TASK_ROOT": str(built / name),
                "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
                "AWS_LAMBDA_FUNCTION_NAME": name,
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
                "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
                "AWS_LAMBDA_LOG_FORMAT": "JSON",
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
            yield runtime
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
                    "Lambda-Runtime-Aws-Request-Id": "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
                    "Lambda-Runtime-Deadline-Ms": str(deadline_ms),
                    "Lambda-Runtime-Invoked-Function-Arn": (
                        f"arn:aws:lambda:us-east-1:123456789012:function:{runtime.name}"
                    ),
                },
            )

        def do_POST(self) -> None:
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
            """Mind no client that was killed while it waited."""
            with suppress(ConnectionResetError):
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    return Requests


def _bare_python() -> str:
    """The interpreter itself, not the environment that the tests run in."""
    return str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
