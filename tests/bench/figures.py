"""What the bench prints: one figure a line, each with the limits that it must keep."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

TIMES = "x"
"""The unit of a ratio."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; where it is a ratio, `ratio_to` names what it is compared with."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    """The largest value that is good enough."""
    ratio_to: str | None = None
    parts: Mapping[str, float] | None = None
    """What the value adds up."""
    assumptions: Sequence[str] | None = None
    """What it rests on beside what was measured."""
    least: float | None = None
    """The smallest value that is good enough."""

    @property
    def missed(self) -> bool:
        """Whether the value is over its limit, or less than the least."""
        return bool(self.complaint)

    @property
    def complaint(self) -> str:
        """What is wrong with the value; empty where nothing is."""
        if self.limit is not None and self.value > self.limit:
            return f"{self.name} is {self.value:.6g}, over {self.limit}"
        if self.least is not None and self.value < self.least:
            return f"{self.name} is {self.value:.6g}, less than {self.least}"
        return ""

    def line(self) -> str:
        """The figure as JSON, rounded to what its unit can tell."""
        told = asdict(self) | {"value": round(self.value, 3)}
        rare = ("least", "parts", "assumptions")
        return json.dumps({name: told[name] for name in told if name not in rare or told[name]})


def shown(figures: Iterable[Figure]) -> int:
    """Print each figure as it is found, and last those that miss a limit; 1 if there is one."""
    missed = []
    for figure in figures:
        print(figure.line(), flush=True)
        if figure.missed:
            missed.append(figure)
    for figure in missed:
        print(f"bench: {figure.complaint}", file=sys.stderr)
    return 1 if missed else 0
