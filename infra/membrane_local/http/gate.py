"""Many requests at once, or one reset alone."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from membrane_local.events.agenda import BusyError

CLOSED_S = 1.0
"""How long the gate stays closed for those inside to leave: longer than most requests take."""


class Gate:
    """Whoever wants to be alone closes it for a moment at a time: a long request stops no other."""

    def __init__(self, closed_s: float = CLOSED_S) -> None:
        self._changed = Condition()
        self._inside: dict[object, str] = {}
        self._closed = False
        self._closed_s = closed_s

    @contextmanager
    def shared(self, name: str) -> Iterator[None]:
        """Enter beside others; the name says who is waited for."""
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
    def alone(self, patience_s: float) -> Iterator[None]:
        """Wait until nobody is inside, and keep others out within the block.

        Raises BusyError where that takes longer.
        """
        end_s = time.monotonic() + patience_s
        with self._changed:
            while not self._emptied(end_s):
                stayed = set(self._inside)
                if not self._comes(lambda: stayed.isdisjoint(self._inside), end_s):  # noqa: B023 - called at once
                    raise BusyError(", ".join(sorted(self._inside.values())))
        try:
            yield
        finally:
            with self._changed:
                self._open()

    def _emptied(self, end_s: float) -> bool:
        """Close the gate; open it again where somebody stays. Raises BusyError."""
        if not self._comes(lambda: not self._closed, end_s):
            raise BusyError("another reset")
        self._closed = True
        moment_s = time.monotonic() + self._closed_s
        if self._comes(lambda: not self._inside, min(moment_s, end_s)):
            return True
        self._open()
        return False

    def _open(self) -> None:
        self._closed = False
        self._changed.notify_all()

    def _comes(self, event: Callable[[], bool], until_s: float) -> bool:
        return self._changed.wait_for(event, until_s - time.monotonic())
