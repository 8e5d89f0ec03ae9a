"""Processes that find what an execution environment of Lambda holds, and nothing else."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.workload import ROOT

INSTALLED = Path(sysconfig.get_path("purelib"))
"""The development environment's packages, boto3 among them."""


@dataclass(frozen=True, slots=True)
class Program:
    """One of `tests.bench.programs`, with the packages that it finds and its environment."""

    name: str
    packages: Path
    arguments: Sequence[str] = ()
    variables: Mapping[str, str] | None = None

    def popen(self) -> "subprocess.Popen[str]":
        """Start it, with pipes to ask and to answer.

        Without site-packages, and without leave to write bytecode: Lambda's folders are read-only.
        """
        path = ROOT / "tests" / "bench" / "programs" / f"{self.name}.py"
        return subprocess.Popen(
            [sys.executable, "-S", path, *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{self.packages}{os.pathsep}{ROOT}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "LAMBDA_TASK_ROOT": "/var/task",
                "LAMBDA_RUNTIME_DIR": "/var/runtime",
                "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9001",
                "AWS_LAMBDA_FUNCTION_NAME": "bench",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
                "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
                "AWS_REGION": "us-east-1",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "AWS_SESSION_TOKEN": "token",
                "TZ": ":UTC",
                **(self.variables or {}),
            },
        )


@dataclass(frozen=True, slots=True)
class Worker:
    """A running program that answers questions, line by line."""

    process: "subprocess.Popen[str]"

    def ask(self, question: Any) -> Any:
        """Its answer; raises EOFError where the program ended instead."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(question), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise EOFError(f"{self.process.args!r} ended with {self.process.wait()}")
        return json.loads(answer)


@contextmanager
def working(program: Program) -> Iterator[Worker]:
    """Run a program until the end of the block."""
    with program.popen() as process:
        yield Worker(process)
