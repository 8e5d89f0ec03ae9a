"""Locks between processes, which the kernel frees when the holder dies."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PAUSE_S = 0.05
"""Between two looks at a lock or a file of another process."""


def open_lock(path: Path) -> IO[str]:
    """The file of a lock, not locked; closing the file frees the lock."""
    return path.open("a")


def take(lock: IO[str], *, shared: bool = False) -> bool:
    """Take the lock, or answer False where another process holds the lock."""
    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def free(lock: IO[str]) -> None:
    """Free the lock, and keep the file open."""
    fcntl.flock(lock, fcntl.LOCK_UN)


def take_by(lock: IO[str], end_s: float, *, shared: bool = False) -> None:
    """Wait for the lock until `time.monotonic()` is `end_s`; raises TimeoutError."""
    while not take(lock, shared=shared):
        if time.monotonic() > end_s:
            raise TimeoutError(f"{lock.name} is held by another process")
        time.sleep(PAUSE_S)


@contextmanager
def holding(path: Path, end_s: float) -> Iterator[None]:
    """Hold the lock within the block; raises TimeoutError."""
    with open_lock(path) as lock:
        take_by(lock, end_s)
        yield
