"""A lock that serves threads in the order in which they came."""

import threading
from collections import deque
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Turns:
    """A lock, not reentrant, that is handed over to the thread that has waited longest.

    A lock of `threading` is free until the waiting thread runs again. A thread that returns for
    the lock at once comes first, time and again: for seconds on a busy machine.
    """

    waiting: deque[threading.Lock] = field(default_factory=deque)
    """A locked lock for the holder and for each thread that waits, in order."""
    changing: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        """Wait for the turn."""
        turn = threading.Lock()
        turn.acquire()
        with self.changing:
            if not self.waiting:
                turn.release()
            self.waiting.append(turn)
        turn.acquire()

    def release(self) -> None:
        """Hand over to the next thread."""
        with self.changing:
            self.waiting.popleft()
            if self.waiting:
                self.waiting[0].release()
