"""One log line and one metric per request; never the content of a memory."""

from functools import cache

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

NAMESPACE = "Membrane"


def report(rpc: str, code: str, fault: Exception | None = None) -> None:
    """Log and count how one request ended: `OK`, the code of its refusal, or a fault."""
    if fault is None:
        _logger().info("request", rpc=rpc, code=code)
    else:
        _logger().error("fault", rpc=rpc, code=code, exc_info=fault)
    with single_metric("Requests", MetricUnit.Count, 1, namespace=NAMESPACE) as metric:
        metric.add_dimension("rpc", rpc)
        metric.add_dimension("code", code)


@cache
def _logger() -> Logger:
    return Logger(service=NAMESPACE.lower())
