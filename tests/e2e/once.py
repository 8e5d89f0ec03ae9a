"""What takes long and serves all workers of a run: one worker makes it, the others wait."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone-{os.getpid()}")
"""Tells this run of the suite from every other."""


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """The subfolder of this run, with what `make` put there; as `make` raises."""
    folder.mkdir(exist_ok=True)
    made = folder / RUN
    with (folder / f"{RUN}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not lock.seek(0, os.SEEK_END):  # a worker that waited has opened the file empty
            made.mkdir(exist_ok=True)
            make(made)
            lock.write("made")
    return made
