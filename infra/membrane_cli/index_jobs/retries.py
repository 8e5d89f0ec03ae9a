"""Repeats a step of the index function after a passing failure."""

from collections.abc import Callable

from rich.console import Console

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane_cli.outside_text import show_line

PAUSES_S = (1, 2, 4, 8, 16, 32, *[60] * 14)
"""Seconds before each further attempt at a step; an embedder's quota is counted by the minute."""

Pause = Callable[[float], None]


def retry_step(step: Callable[[], JsonObject], console: Console, pause: Pause) -> JsonObject:
    """The step's answer; raises the last passing failure, and any lasting failure at once."""
    for pause_s in PAUSES_S:
        try:
            return step()
        except (ResourceExhausted, Unavailable) as error:
            show_line(console, f"{error}; the next try is in {pause_s} s")
            pause(pause_s)
    return step()
