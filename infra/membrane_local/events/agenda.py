"""What is to be done in the background, on the stack's own clock.

A job waits for its instant, and behind the earlier jobs of its lane: a lane does one thing at a
time, in order, and lanes do not wait for each other. Nothing polls: the workers sleep until a job
comes, until the clock is moved, or until the next instant is reached.
"""

import sys
import threading
import traceback
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, takewhile

from membrane_local.clock import DevClock

WORKERS = 4
LAST_SECONDS = 5.0

Job = Callable[[], object]


class BusyError(Exception):
    """A job takes longer than somebody waits; names the lanes of those under way."""


@dataclass(order=True, frozen=True, slots=True)
class _Entry:
    due_s: float
    number: int
    lane: str = field(compare=False)
    job: Job = field(compare=False)


class Agenda:
    """Jobs by the instant at which they are due."""

    def __init__(self, clock: DevClock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._numbers = count()
        self._waiting: list[_Entry] = []  # sorted
        self._busy: set[str] = set()
        self._threads: list[threading.Thread] = []
        self._holders = 0
        self._closed = False
        clock.tell(self._wake)

    def add(self, lane: str, job: Job, after_s: float = 0) -> None:
        """Do the job when so many seconds have passed on the stack's clock."""
        entry = _Entry(self._clock.passed_s() + after_s, next(self._numbers), lane, job)
        with self._changed:
            if self._closed:
                return
            insort(self._waiting, entry)
            if not self._threads:
                self._threads = [
                    threading.Thread(target=self._work, name=f"agenda-{number}", daemon=True)
                    for number in range(WORKERS)
                ]
                for thread in self._threads:
                    thread.start()
            self._changed.notify_all()

    def settled(self, timeout_s: float) -> bool:
        """Wait until nothing that is due remains to be done; False where that takes longer.

        Also where somebody holds the agenda, for until then nothing is done.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._holders or self._is_settled(), timeout_s)
            return self._is_settled()

    @contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """Wait until the jobs under way have ended; none begins within the block.

        Raises BusyError where that takes longer.
        """
        with self._changed:
            self._holders += 1
            self._changed.notify_all()
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: not self._busy, timeout_s):
                    raise BusyError(", ".join(sorted(self._busy)))
            yield
        finally:
            with self._changed:
                self._holders -= 1
                self._changed.notify_all()

    def forget(self) -> None:
        """Drop every job that has not begun."""
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """End the workers; a job that is under way has some seconds to end, too."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(LAST_SECONDS)

    def _work(self) -> None:
        while (entry := self._next()) is not None:
            try:
                entry.job()
            except Exception:  # noqa: BLE001 - a job that fails must not end the worker
                traceback.print_exc(file=sys.stderr)
            with self._changed:
                self._busy.remove(entry.lane)
                self._changed.notify_all()

    def _next(self) -> _Entry | None:
        """The first job that is due in a free lane, which is now busy; None once closed."""
        with self._changed:
            while not self._closed:
                entry = None if self._holders else self._first_due()
                if entry is not None:
                    self._waiting.remove(entry)
                    self._busy.add(entry.lane)
                    return entry
                self._changed.wait(self._patience_s())
            return None

    def _is_settled(self) -> bool:
        return not self._busy and next(self._due(), None) is None

    def _first_due(self) -> _Entry | None:
        free = (each for each in self._due() if each.lane not in self._busy)
        return next(free, None)

    def _due(self) -> Iterator[_Entry]:
        now_s = self._clock.passed_s()
        return takewhile(lambda each: each.due_s <= now_s, self._waiting)

    def _patience_s(self) -> float | None:
        """For how long nothing becomes due by itself; None = for ever."""
        now_s = self._clock.passed_s()
        coming_s = (each.due_s - now_s for each in self._waiting if each.due_s > now_s)
        return None if self._clock.frozen else next(coming_s, None)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
