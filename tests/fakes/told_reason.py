"""The queue of the function that reasons about topics, as a list."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ToldReason:
    """What the function that reasons was told, each with its delay in seconds."""

    told: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    failing: Callable[[dict[str, Any]], None] = lambda _: None
    """Asked first; raises what sending shall raise."""

    def __call__(self, message: dict[str, Any], delay_s: int) -> None:
        self.failing(message)
        self.told.append((message, delay_s))
