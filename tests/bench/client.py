"""The import of the client, against the import of the transport."""

import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from tests.bench.figures import TIMES, Figure

LIMIT = 1.3
RUNS = 21
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
BASELINE = "import httpx2"
SCRIPT = "import time; began_s = time.process_time(); {}; print(time.process_time() - began_s)"


def figures(runs: int = RUNS) -> Iterator[Figure]:
    """The import of the client against the transport's, turn by turn; medians of CPU."""
    pairs = [(cpu_s("import membrane_client"), cpu_s(BASELINE)) for _ in range(runs + 1)]
    del pairs[0]  # it wrote bytecode, and brought the files into memory
    ours, theirs = (median(each) for each in zip(*pairs, strict=True))
    yield Figure("import of the client, CPU", ours / theirs, TIMES, LIMIT, BASELINE)


def cpu_s(statement: str) -> float:
    """CPU seconds of the statement in a new process, with leave to write bytecode."""
    command = [sys.executable, "-c", SCRIPT.format(statement)]
    variables = {name: each for name, each in os.environ.items() if name != NO_BYTECODE}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return float(done.stdout)
