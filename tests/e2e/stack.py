"""A `membrane dev` of its own process, and a client for it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MEMBRANE = str(Path(sys.executable).with_name("membrane"))
KEY_LINE = "membrane dev: API key "
READY_LINE = "membrane dev: ready on "


@dataclass(frozen=True, slots=True)
class Stack:
    """A running local stack."""

    process: "subprocess.Popen[str]"
    url: str
    secret: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON body of one request."""
        request = Request(  # noqa: S310 - loopback
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {self.secret}", **headers},
        )
        try:
            with urlopen(request, timeout=60) as reply:  # noqa: S310 - loopback
                content = reply.read()
                return reply.status, json.loads(content) if content else None
        except HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self.url.removeprefix("http://").split(":")
        return host, int(port)

    def kill(self) -> None:
        """End it at once, without a chance to finish anything."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def dev(*options: str) -> Iterator[Stack]:
    """Run `membrane dev` on a free port until the end of the block."""
    process = subprocess.Popen(
        [MEMBRANE, "dev", "--port", "0", *options], stdout=subprocess.PIPE, text=True
    )
    try:
        yield _ready(process)
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _ready(process: "subprocess.Popen[str]") -> Stack:
    secret = ""
    for line in process.stdout or ():
        if line.startswith(KEY_LINE):
            secret = line.removeprefix(KEY_LINE).strip()
        if line.startswith(READY_LINE):
            return Stack(process, line.removeprefix(READY_LINE).strip(), secret)
    raise AssertionError(f"membrane dev ended with {process.wait()} before it was ready")
