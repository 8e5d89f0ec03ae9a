"""`membrane check`: parameters that a deployment, or a function at start, would refuse."""

from collections.abc import Mapping
from dataclasses import dataclass

Parameters = Mapping[str, str]
"""Values of the template's parameters, by name."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A parameter that cannot be deployed with the given value, and the reason."""

    parameter: str
    reason: str

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"
