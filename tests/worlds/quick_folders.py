"""Folders in memory, for stores of tests that need not survive the machine."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a new folder inside, as of any temporary folder
ROOM_BYTES = 4 << 30
"""A table of 100,000 records takes 0.8 GiB; containers often have 64 MiB there."""


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A new folder in memory, or on disk where memory has no room for files; removed at the end.

    A store's file waits for the disk at each write.
    """
    with tempfile.TemporaryDirectory(
        prefix="membrane-", dir=_place(), ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


def _place() -> Path | None:
    if not (IN_MEMORY.is_dir() and os.access(IN_MEMORY, os.W_OK | os.X_OK)):
        return None
    return IN_MEMORY if shutil.disk_usage(IN_MEMORY).free >= ROOM_BYTES else None
