"""A lock for many concurrent requests or a single reset."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from membrane_local.events.agenda import BusyError

CLOSED_S = 1.0
"""How long the gate stays closed for the requests inside to end: longer than most requests take."""


class Gate:
    """A shared and exclusive lock.

    While a thread waits for exclusive access, the gate is closed for CLOSED_S, so a long request
    does not block the others. Each further closing is longer by the time that the requests inside
    took: on a busy machine, every request may take longer than CLOSED_S.
    """

    def __init__(self, closed_s: float = CLOSED_S) -> None:
        self._changed = Condition()
        self._inside: dict[object, str] = {}
        self._closed = False
        self._closed_s = closed_s

    @contextmanager
    def enter(self, name: str) -> Iterator[None]:
        """Enter beside other requests; BusyError lists the names of the requests inside."""
        visit = object()
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside[visit] = name
        try:
            yield
        finally:
            with self._changed:
                del self._inside[visit]
                self._changed.notify_all()

    @contextmanager
    def enter_alone(self, patience_s: float) -> Iterator[None]:
        """Keep requests out within the block; raises BusyError if one stays inside too long."""
        began_s = time.monotonic()
        end_s, closed_s = began_s + patience_s, self._closed_s
        with self._changed:
            while not self._close_and_empty(closed_s, end_s):
                stayed = set(self._inside)
                if not self._wait_for(lambda: stayed.isdisjoint(self._inside), end_s):  # noqa: B023 - called at once
                    raise BusyError(", ".join(sorted(self._inside.values())))
                closed_s = self._closed_s + time.monotonic() - began_s
        try:
            yield
        finally:
            with self._changed:
                self._open()

    def _close_and_empty(self, closed_s: float, end_s: float) -> bool:
        """Close the gate; open the gate again if a request stays inside. Raises BusyError."""
        if not self._wait_for(lambda: not self._closed, end_s):
            raise BusyError("another reset")
        self._closed = True
        moment_s = time.monotonic() + closed_s
        if self._wait_for(lambda: not self._inside, min(moment_s, end_s)):
            return True
        self._open()
        return False

    def _open(self) -> None:
        self._closed = False
        self._changed.notify_all()

    def _wait_for(self, event: Callable[[], bool], until_s: float) -> bool:
        return self._changed.wait_for(event, until_s - time.monotonic())
