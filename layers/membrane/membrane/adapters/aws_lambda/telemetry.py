"""Log lines and metrics: one line of JSON per request, never with the content of a memory.

The line of a request is log and metric at once, in CloudWatch's embedded metric format; metrics for
operators have lines of their own. Every line has the ids of the invocation. Powertools would write
two lines per request and take a tenth of the request's CPU; faults, which are rare, still use
Powertools.
"""

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.invocation import line_fields
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.usecases.ports.surroundings import Clock, Measure, Report

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger

NAMESPACE = "Membrane"
SERVICE = NAMESPACE.lower()


def namespace_of(stack: str) -> str:
    """The metrics' namespace of a stack: two stacks of one account share no metric."""
    return f"{NAMESPACE}/{stack}" if stack else NAMESPACE


def reporter(
    now: Clock, namespace: str = NAMESPACE, elapsed_s: Callable[[], float] = time.monotonic
) -> Report:
    """Log and count the end of every request: `OK`, the code of a refusal, or a fault."""

    def report(rpc: str, code: str, fault: Exception | None = None) -> None:
        fields = line_fields(elapsed_s())
        if fault is not None:
            _logger().error("fault", rpc=rpc, code=code, exc_info=fault, **fields)
        instant = now()
        time_ms = int(epoch_seconds(instant) * 1000)
        rest = f",{compact_json(fields)[1:-1]}" if fields else ""
        sys.stdout.write(_line(namespace, rpc, code) % (rfc3339(instant), time_ms, rest))

    return report


def meter(
    now: Clock, namespace: str = NAMESPACE, elapsed_s: Callable[[], float] = time.monotonic
) -> Measure:
    """Write metrics as separate lines, in CloudWatch's embedded metric format."""

    def measure(metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        sets = [sorted(dimensions), []] if dimensions else [[]]
        described = {
            "Namespace": namespace,
            "Dimensions": sets,
            "Metrics": [{"Name": metric, "Unit": unit}],
        }
        instant = now()
        line = {
            "level": "INFO",
            "message": "metric",
            "timestamp": rfc3339(instant),
            "service": SERVICE,
            **line_fields(elapsed_s()),
            **dimensions,
            metric: value,
            "_aws": {
                "Timestamp": int(epoch_seconds(instant) * 1000),
                "CloudWatchMetrics": [described],
            },
        }
        sys.stdout.write(compact_json(line) + "\n")

    return measure


@cache
def _line(namespace: str, rpc: str, code: str) -> str:
    """The line of a request with `%s` and `%d` for the time; a further `%s` for more fields."""
    metrics = {
        "Namespace": namespace,
        "Dimensions": [["rpc", "code"], ["code"]],
        "Metrics": [{"Name": "Requests", "Unit": "Count"}],
    }
    line = {
        "level": "INFO",
        "message": "request",
        "timestamp": "%s",
        "service": SERVICE,
        "rpc": rpc,
        "code": code,
        "Requests": 1,
        "_aws": {"Timestamp": "%d", "CloudWatchMetrics": [metrics]},
    }
    return compact_json(line).replace('"%d"', "%d")[:-1] + "%s}\n"


@cache
def _logger() -> "Logger":
    from aws_lambda_powertools import Logger

    return Logger(service=SERVICE)
