"""Background jobs on the stack's own clock.

A job waits for the due time and for earlier jobs of the same lane: a lane runs a single job at a
time, in order, and lanes run independently. Nothing polls: the workers sleep until a job is added,
the clock is moved, or the next due time is reached.
"""

import sys
import threading
import traceback
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from typing import NamedTuple

from membrane_local.clock import DevClock

WORKERS = 4
LAST_SECONDS = 5.0
Job = Callable[[], object]


class BusyError(Exception):
    """A job took longer than a caller would wait; the message names the busy lanes."""


class _Entry(NamedTuple):
    due_s: float
    number: int
    """Differs, so that no two entries are compared by lane and job."""
    lane: str
    job: Job


class Agenda:
    def __init__(self, clock: DevClock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._numbers = count()
        self._waiting: list[_Entry] = []  # sorted
        self._busy: set[str] = set()
        self._threads: list[threading.Thread] = []
        self._holders = 0
        self._closed = False
        clock.add_listener(self._wake)

    def add(self, lane: str, job: Job, after_s: float = 0) -> None:
        """Run the job after a number of seconds on the stack's clock."""
        entry = _Entry(self._clock.passed_s() + after_s, next(self._numbers), lane, job)
        with self._changed:
            if self._closed:
                return
            insort(self._waiting, entry)
            while len(self._threads) < WORKERS:
                name = f"agenda-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._threads[-1].start()
            self._changed.notify_all()

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Wait until no due job is left; False after the timeout, and while somebody holds."""
        with self._changed:
            self._changed.wait_for(lambda: self._holders or self._is_idle(), timeout_s)
            return self._is_idle()

    @contextmanager
    def hold(self, timeout_s: float) -> Iterator[None]:
        """Wait for running jobs, and start no job within the block; BusyError after the timeout."""
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
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop the workers; a running job has LAST_SECONDS to end."""
        self._closed = True
        self.forget()
        for thread in self._threads:
            thread.join(LAST_SECONDS)

    def _work(self) -> None:
        while (entry := self._next()) is not None:
            try:
                entry.job()
            except Exception:  # noqa: BLE001 - a job that fails must not end the worker
                traceback.print_exc(file=sys.stderr)
            finally:
                with self._changed:
                    self._busy.remove(entry.lane)
                    self._changed.notify_all()

    def _next(self) -> _Entry | None:
        """The first due job of a free lane, which becomes busy; None once closed."""
        with self._changed:
            while not self._closed:
                free = (each for each in self._due() if each.lane not in self._busy)
                entry = None if self._holders else next(free, None)
                if entry is not None:
                    self._waiting.remove(entry)
                    self._busy.add(entry.lane)
                    return entry
                self._changed.wait(self._wait_s())
            return None

    def _is_idle(self) -> bool:
        return not self._busy and next(self._due(), None) is None

    def _due(self) -> Iterator[_Entry]:
        now_s = self._clock.passed_s()
        return takewhile(lambda each: each.due_s <= now_s, self._waiting)

    def _wait_s(self) -> float | None:
        """Seconds until the next due time; None without a later job, or with a frozen clock."""
        now_s = self._clock.passed_s()
        coming_s = (each.due_s - now_s for each in self._waiting if each.due_s > now_s)
        return None if self._clock.frozen else next(coming_s, None)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
