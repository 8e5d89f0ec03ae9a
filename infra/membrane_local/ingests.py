"""Ingest requests under way, for which the reader of the table's stream waits."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

PAUSE_S = 0.01
"""Seconds without a request before the stream goes on: callers send the next request sooner."""


class Ingests:
    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self._ended_s = float("-inf")

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
        """Seconds until the pause is over; infinite while a request is under way."""
        return float("inf") if self._count else self._ended_s + PAUSE_S - time.monotonic()
