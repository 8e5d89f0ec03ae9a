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

from membrane_local.template import Function
from tests.bench.workload import ROOT

INSTALLED = Path(sysconfig.get_path("purelib"))
"""The development environment's packages, boto3 among them."""


def environment(paths: Sequence[Path], function: Function | None = None) -> dict[str, str]:
    """The variables of an execution environment that finds its packages at `paths`."""
    folder = ROOT if function is None else function.folder
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "LAMBDA_TASK_ROOT": str(folder),
        "LAMBDA_RUNTIME_DIR": "/var/runtime",
        "AWS_LAMBDA_FUNCTION_NAME": folder.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SESSION_TOKEN": "token",
        "TZ": ":UTC",
        **({} if function is None else function.environment),
    }


def command(program: str, *arguments: str) -> list[str]:
    """An interpreter without site-packages runs a module of `tests.bench.programs`."""
    return [sys.executable, "-S", "-m", f"tests.bench.programs.{program}", *arguments]


@dataclass(frozen=True, slots=True)
class Worker:
    """A program that answers questions, line by line."""

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
def worker(arguments: Sequence[str], variables: Mapping[str, str]) -> Iterator[Worker]:
    """Run a program until the end of the block."""
    with subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(variables),
        cwd=ROOT,
    ) as process:
        yield Worker(process)
