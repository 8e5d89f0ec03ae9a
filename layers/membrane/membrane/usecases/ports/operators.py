"""What operators are told."""

from typing import Protocol

FAULT = "FAULT"
"""How a request is reported that neither succeeded nor was refused."""


class Report(Protocol):
    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        """`code` is OK or that of the refusal; a fault is neither and brings its exception."""


class Measure(Protocol):
    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        """`unit` is one of CloudWatch's: Count, Seconds."""
