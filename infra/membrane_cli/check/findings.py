"""What is wrong with the parameters of a deployment."""

from collections.abc import Mapping
from dataclasses import dataclass

Parameters = Mapping[str, str]
"""Values of the template's parameters, by name."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A parameter that cannot be deployed as it is, and why."""

    parameter: str
    reason: str

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"
