"""Reports and metrics for operators."""

from typing import Protocol

FAULT = "FAULT"
"""The code of a request that neither succeeded nor was refused."""


class Report(Protocol):
    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        """Log the end of a request: `code` is OK, the code of a refusal, or FAULT with `fault`."""


class Measure(Protocol):
    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        """Record a metric; `unit` is a unit of CloudWatch: Count or Seconds."""
