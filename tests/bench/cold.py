"""From the start of a process to a usable client, against a bare boto3 client."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.bench.artefacts import Artefacts, asked_by
from tests.bench.figures import TIMES, Figure
from tests.bench.processes import INSTALLED, Program, working
from tests.bench.workload import report

LIMIT = 1.15
RUNS = 21
BASELINE = 'bare boto3.client("dynamodb")'
WITH_FIRST = "bare client and its first put_item"


@dataclass(frozen=True, slots=True)
class Start:
    """What one process took, in milliseconds."""

    wall: float
    cpu: float
    cpu_with_first: float
    """To the answer to a first request."""


def figures(artefacts: Artefacts, runs: int = RUNS) -> Iterator[Figure]:
    """An ingest function against the client, turn by turn; medians."""
    sent = report("IngestEvent", 0)
    with working(artefacts.program("warm_handler", sent.route)) as handler:
        ((_, put),) = asked_by(handler, sent, {})
    ours, theirs = artefacts.program("cold_handler", sent.route), Program("cold_client", INSTALLED)
    pairs = [(start(ours, sent.event()), start(theirs, put["Item"])) for _ in range(runs + 1)]
    del pairs[0]  # it brought the files into memory
    yield from _compared("cold start, wall", [(a.wall, b.wall) for a, b in pairs], LIMIT, BASELINE)
    yield from _compared("cold start, CPU", [(a.cpu, b.cpu) for a, b in pairs], LIMIT, BASELINE)
    firsts = [(a.cpu_with_first, b.cpu_with_first) for a, b in pairs]
    yield from _compared("cold start and first request, CPU", firsts, None, WITH_FIRST)


def start(program: Program, first: Any) -> Start:
    """Run the program once, with that for its first request."""
    began_s = time.monotonic()
    process = program.popen()
    said, _ = process.communicate(json.dumps(first))
    if process.returncode:
        raise RuntimeError(f"{program.name} ended with {process.returncode}")
    told = json.loads(said)
    return Start(
        wall=(told["ready_s"] - began_s) * 1e3,
        cpu=told["cpu_s"] * 1e3,
        cpu_with_first=(told["cpu_s"] + told["first_cpu_s"]) * 1e3,
    )


def _compared(
    name: str, pairs: list[tuple[float, float]], limit: float | None, baseline: str
) -> Iterator[Figure]:
    yield Figure(name, median(ours / theirs for ours, theirs in pairs), TIMES, limit, baseline)
    yield Figure(f"{name} of the function", median(ours for ours, _ in pairs), "ms")
    yield Figure(f"{name} of the {baseline}", median(theirs for _, theirs in pairs), "ms")
