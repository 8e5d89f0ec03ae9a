"""What Lambda would run, built for the processor of this machine."""

import compileall
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.processes import INSTALLED, Program, Worker
from tests.bench.workload import ROOT, Sent, deployed, function_of

PROCESSORS = {"aarch64": "arm64", "arm64": "arm64", "x86_64": "x86_64"}
"""Lambda's name of a processor, by the machine's."""

Request = tuple[str, Mapping[str, Any]]
"""An operation of DynamoDB's API and its JSON."""


@dataclass(frozen=True, slots=True)
class Artefacts:
    """A folder with the layer in `python` and the functions in `functions`."""

    folder: Path

    def program(self, name: str, route: str) -> Program:
        """The program, given the function behind the route."""
        function = function_of(route, deployed().functions)
        folder = self.folder / "functions" / function.folder.name
        return Program(name, self.folder / "python", (str(folder),), function.environment)


@contextmanager
def built() -> Iterator[Artefacts]:
    """The artefacts, until the end of the block, and bytecode for what they are compared with.

    Raises SystemExit where this interpreter is not Lambda's: it could not load the layer.
    """
    if sys.version_info[:2] != (3, 13):
        raise SystemExit("the bench runs what Lambda would: it needs Python 3.13")
    compileall.compile_dir(INSTALLED, quiet=2, workers=0)
    with TemporaryDirectory() as name:
        folder = Path(name)
        build_layer = ROOT / "layers" / "membrane" / "build_layer.py"
        processor = PROCESSORS[platform.machine()]
        subprocess.run(
            [sys.executable, build_layer, folder / "python", processor, "membrane"],
            check=True,
            stdout=sys.stderr,
        )
        functions = folder / "functions"
        shutil.copytree(ROOT / "functions", functions, ignore=lambda *_: ["__pycache__"])
        yield Artefacts(folder)


def asked_by(handler: Worker, sent: Sent, replies: Mapping[str, Any]) -> list[Request]:
    """The requests to DynamoDB that an HTTP request leads to; raises where it fails."""
    answer = handler.ask({"events": [sent.event()], "replies": replies})
    if answer["reply"]["statusCode"] >= 300:
        raise RuntimeError(f"{sent.route} answers {answer['reply']}")
    return [(operation, body) for operation, body in answer["asked"] if not _is_of_fences(body)]


def _is_of_fences(body: Mapping[str, Any]) -> bool:
    """Whether the request looks at the fences, as a process that writes does every 5 seconds."""
    return bool(body.get("ExpressionAttributeValues", {}).get(":pk") == {"S": "fences"})
