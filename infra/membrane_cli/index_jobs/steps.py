"""A step that is refused for a while is tried again."""

from collections.abc import Callable

from rich.console import Console

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane_cli.outside_text import show_line

PAUSES_S = (1, 2, 4, 8, 16, 32, *[60] * 14)
"""Before each further try of a step: an embedder's quota is for a minute."""

Pause = Callable[[float], None]


def patiently(step: Callable[[], JsonObject], console: Console, pause: Pause) -> JsonObject:
    """What the step tells; raises the last refusal, and at once what does not pass by itself."""
    for pause_s in PAUSES_S:
        try:
            return step()
        except (ResourceExhausted, Unavailable) as error:
            show_line(console, f"{error}; the next try is in {pause_s} s")
            pause(pause_s)
    return step()
