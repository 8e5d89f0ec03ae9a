"""What operators and other functions were told: reports, metrics, and functions to start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Reports:
    """What operators were told: RPC and code of each request, and the faults among them."""

    told: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        self.told.append((rpc, code))
        if fault is not None:
            self.faults.append(fault)


@dataclass(slots=True)
class Later:
    """Starts no function, and remembers what was asked for: what names it, and its event."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __call__(self, name_or_arn: str, event: dict[str, Any]) -> None:
        self.asked.append((name_or_arn, event))


@dataclass(slots=True)
class Drawn:
    """Draws what a test says, over and over; without it always 0."""

    numbers: Sequence[int] = (0,)
    drawn: int = 0

    def __call__(self, count: int) -> int:
        number = self.numbers[self.drawn % len(self.numbers)]
        self.drawn += 1
        assert 0 <= number < count
        return number


@dataclass(slots=True)
class Metrics:
    """What operators were told in numbers: metric, value and dimensions."""

    told: list[tuple[str, float, Mapping[str, str]]] = field(default_factory=list)

    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        assert unit in ("Count", "Seconds")
        self.told.append((metric, value, dimensions))
