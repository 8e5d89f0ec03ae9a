"""Checks of a store's place before any program opens the store."""

import os
from pathlib import Path

from membrane_local.refusals import OptionRefused, StoreRefused

_SQLITE = b"SQLite format 3\0"


def require_database(path: Path) -> None:
    """Raises StoreRefused unless the path is a database, or a new name in a folder that exists."""
    _require_parent(path)
    if path.is_dir():
        raise StoreRefused(f"{path} is a folder, not a file")
    if not path.exists():
        if not os.access(path.parent, os.W_OK):
            raise StoreRefused(f"the folder {path.parent} may not be written")
        return
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreRefused(f"{path} may not be read and written")
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) not in (b"", _SQLITE):
            raise StoreRefused(f"{path} is not a database of a local stack")


def require_folder(path: Path) -> None:
    """Raises OptionRefused unless the path is a folder, or a new name in a folder that exists."""
    try:
        _require_parent(path)
    except StoreRefused as error:
        raise OptionRefused("--blobs", error) from error
    if path.exists() and not path.is_dir():
        raise OptionRefused("--blobs", f"{path} is a file, not a folder")


def _require_parent(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise StoreRefused(f"there is no folder {path.absolute().parent}; make it first")
