"""Runs `membrane dev` of a source folder over tables of the driver, and keeps every reply."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.compare.tables import Tables, serve_tables

PACKAGES = ("infra", "clients/python", ".")
"""Folders of packages, beside those in `layers`."""
PRELUDE = Path(__file__).with_name("prelude")
START = "2026-11-21T09:00:00Z"
OWNER = "owner-of-the-comparison"
JSON = {"content-type": "application/json"}
AS_OWNER = {"authorization": f"Bearer {OWNER}", **JSON}
EVERYTHING = {
    "actor_id": "coding-agent",
    "permissions": ["ingest", "read", "revise", "admin"],
    "scopes": ["*"],
    "max_sensitivity": "hyper",
}
PARAMETERS = {
    "ChatDailyTokensOfKey": "110000",
    "ChatModel": "scripted",
    "Interpreter": "scripted",
    "DirectPrincipal": json.dumps(EVERYTHING),
}
TUNING = {
    "ConflictPolicies": {"is said to be": "contest", "weighs": "replace", "forks": "fork"},
}
READY = "membrane dev: ready on "
MAIN = """
from membrane_local.events import agenda
from membrane_cli.cli import main
agenda.WORKERS = 1
main()
"""
"""`membrane`, where one event after the other is delivered."""


@dataclass(frozen=True, slots=True)
class Step:
    """A request, what came back, and what the tables spent until nothing was due."""

    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: Any
    units: dict[str, float]
    calls: dict[str, int]


@dataclass(slots=True)
class Side:
    """A running stack: every request is a step, after which the clock moves on by a second."""

    url: str
    tables: Tables
    seconds: Path
    """The file with the seconds of the monotonic clock that the functions read."""
    secret: str = OWNER
    """The key of the requests that name no key."""
    passed_s: float = 0
    steps: list[Step] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The body of the reply; what the request left to do is done before this returns."""
        bearer = {"authorization": f"Bearer {key or self.secret}"}
        return self._step(method, path, body, {**bearer, **JSON, **(headers or {})})

    def follow(
        self, method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The same at a signed address, which takes no key."""
        return self._step(method, url.removeprefix(self.url), body, headers or {})

    def invoke(self, function: str, event: Any) -> Any:
        """The reply of a function to an event."""
        return self.ask("POST", f"/_dev/invoke/{function}", event, key=OWNER)

    def advance(self, seconds: float) -> None:
        """Move the clocks; what becomes due is part of the next step."""
        self.passed_s += seconds
        beside = self.seconds.with_name("seconds.new")
        beside.write_text(str(self.passed_s))
        beside.replace(self.seconds)
        self.steer("clock?wait", {"advance_seconds": seconds})
        self.steer("stream", {"paused": True})

    def steer(self, place: str, body: Any) -> None:
        """Ask a route of development that is no part of the comparison."""
        status, _, answer = self._send("POST", f"/_dev/{place}", body, AS_OWNER)
        if status != 200:
            raise AssertionError(f"{place}: {answer}")

    def _step(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Any:
        status, answered, content = self._send(method, path, body, headers)
        self.steer("stream?wait", {"paused": False})
        units, calls = self.tables.take()
        self.steps.append(Step(method, path, status, answered, content, units, calls))
        self.advance(1)
        return content

    def _send(
        self, method: str, path: str, body: Any, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body; text and bytes are sent as they are, anything else as JSON."""
        sent = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=120)
        try:
            connection.request(method, path, sent, dict(headers))
            reply = connection.getresponse()
            answered = {name.lower(): text for name, text in reply.getheaders()}
            return reply.status, answered, parse(reply.read())
        finally:
            connection.close()


def parse(content: bytes) -> Any:
    """JSON, lines of JSON, or else text."""
    text = content.decode()
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return text


def parameters_of(sources: Path) -> Mapping[str, str]:
    """The parameters for the sources' template, in which tuned settings may be parameters still."""
    tuned = {name: json.dumps(value) for name, value in TUNING.items()}
    if "\n  Tuning:\n" in (sources / "template.yaml").read_text("utf-8"):
        tuned = {"Tuning": json.dumps(TUNING)}
    return {**PARAMETERS, **tuned}


@contextmanager
def run_stack(sources: Path, folder: Path) -> Iterator[Side]:
    """Run the stack of the sources until the end of the block; the folder is for its files."""
    packages = (*sorted(sources.glob("layers/*/")), *(sources / each for each in PACKAGES))
    seconds = folder / "seconds"
    seconds.write_text("0")
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("MEMBRANE")},
        "COMPARE_SECONDS": str(seconds),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (PRELUDE, *packages))),
    }
    parameters = [f"--parameter={name}={value}" for name, value in parameters_of(sources).items()]
    with serve_tables() as tables, (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", MAIN, "dev", "--port", "0", "--api-key", OWNER),
                *("--store", tables.address, "--blobs", str(folder / "blobs"), *parameters),
            ],
            cwd=sources,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            side = Side(_url(process, folder / "errors"), tables, seconds)
            side.steer("clock", {"frozen": True})
            side.steer("clock", {"set": START})
            side.advance(0)
            yield side
        finally:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


def _url(process: "subprocess.Popen[str]", errors: Path) -> str:
    for line in process.stdout or ():
        if line.startswith(READY):
            return line.removeprefix(READY).strip()
    raise AssertionError(f"membrane dev ended: {errors.read_text()[-2_000:]}")
