"""Ingest requests under way, to which the deliveries of the table's stream give way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

PAUSE_S = 0.01
"""Between two requests of one caller, who sends the next as soon as the last is answered."""


class Ingests:
    """How many requests are under way, and since when none is."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self._ended_s = -PAUSE_S

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count a request for as long as the block lasts."""
        with self._changed:
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._ended_s = time.monotonic()
                self._changed.notify_all()

    def give_way(self, longest_s: float) -> None:
        """Wait until no request has been under way for PAUSE_S, or for `longest_s` seconds."""
        end_s = time.monotonic() + longest_s
        with self._changed:
            while (wait_s := min(self._rest_s(), end_s - time.monotonic())) > 0:
                self._changed.wait(wait_s)

    def _rest_s(self) -> float:
        """Seconds until the pause is over, as far as can be known."""
        return float("inf") if self._count else self._ended_s + PAUSE_S - time.monotonic()
