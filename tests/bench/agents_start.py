"""The start of the function of MCP against the start of the function of retrieval."""

import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from tests.bench.figures import TIMES, Figure
from tests.bench.workload import ROOT

LIMIT = 1.25
RUNS = 11
BASELINE = "the start of the function of retrieval"


def figures(runs: int = RUNS) -> Iterator[Figure]:
    """The CPU of both starts, turn by turn; medians."""
    pairs = [(start_s("mcp"), start_s("retrieve")) for _ in range(runs + 1)]
    del pairs[0]  # it brought the files into memory
    ratio = median(ours / theirs for ours, theirs in pairs)
    yield Figure("start of MCP, CPU", ratio, TIMES, LIMIT, BASELINE)
    for name, starts in zip(("MCP", "retrieval"), zip(*pairs, strict=True), strict=True):
        yield Figure(f"start of {name}, CPU of the function", median(starts) * 1e3, "ms")


def start_s(function: str) -> float:
    """The seconds of CPU until the function's handler can take a request, the encoder loaded."""
    folders = [str(ROOT / "functions" / function), str(ROOT / "layers" / "membrane")]
    program = f"import sys, time; sys.path[:0] = {folders}; import handler; "
    environment = {
        **os.environ,
        "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9",
        "MEMBRANE_TABLE": "memory",
        "MEMBRANE_BUCKET": "blobs",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    said = subprocess.run(
        [sys.executable, "-c", f"{program}print(time.process_time())"],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    return float(said.stdout)
