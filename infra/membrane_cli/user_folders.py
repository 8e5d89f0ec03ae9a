"""The user's folders, and locks between processes, which the kernel frees for a dead holder."""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def config_folder() -> Path:
    """The user's folder for settings: below XDG_CONFIG_HOME, or below `~/.config`."""
    return _absolute_or(os.environ.get("XDG_CONFIG_HOME"), Path.home() / ".config") / "membrane"


def state_folder() -> Path:
    """The user's folder for what programs remember: below XDG_STATE_HOME, or `~/.local/state`."""
    return _absolute_or(os.environ.get("XDG_STATE_HOME"), Path.home() / ".local/state") / "membrane"


def data_folder(platform: str, environment: Mapping[str, str], home: Path) -> Path:
    """The user's folder for data: below XDG_DATA_HOME, or the platform's own place."""
    usual = home / ".local" / "share"
    if platform == "darwin":
        usual = home / "Library" / "Application Support"
    return _absolute_or(environment.get("XDG_DATA_HOME"), usual) / "membrane"


def _absolute_or(named: str | None, usual: Path) -> Path:
    """The named folder; the usual folder for a relative path, as the XDG specification says."""
    return Path(named) if named and Path(named).is_absolute() else usual


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
