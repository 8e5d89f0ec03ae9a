"""Objects of a bucket as files in a folder."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from membrane.domain.language.errors import InvalidArgument

MAX_NAME_BYTES = 1024
"""S3's limit ("Naming Amazon S3 objects")."""
MAX_PART_BYTES = 255
"""The file systems' limit for a name between two slashes."""

PARTIAL = "partial-"
"""Prefix of the folders for objects that are not complete yet."""

_POSSIBLE = re.compile(r"[^\0\ud800-\udfff]+")
_DOTS = {".": "%2E", "..": "%2E%2E"}
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


@dataclass(frozen=True, slots=True)
class Folder:
    """Objects as files, whole or absent; files outside the prefixes are not objects."""

    root: Path
    prefixes: tuple[str, ...]
    """Every name begins with a prefix."""

    def open(self, name: str) -> BufferedReader | None:
        """The object, for reading; None where absent."""
        path = self._path(name)
        try:
            return None if path is None else path.open("rb")
        except _ABSENT:
            return None

    def read_content(self, name: str) -> bytes | None:
        file = self.open(name)
        if file is None:
            return None
        with file:
            return file.read()

    def write(self, name: str, content: bytes | BinaryIO) -> None:
        """Write to a temporary file, then rename; raises InvalidArgument for an impossible name."""
        with self._complete_file(name, content) as (written, path):
            written.replace(path)

    def write_new(self, name: str, content: bytes | BinaryIO) -> bool:
        """Write an object unless the name is taken; of concurrent writers, only one gets True."""
        with self._complete_file(name, content) as (written, path):
            if path.is_dir():
                raise IsADirectoryError
            try:
                os.link(written, path)
            except FileExistsError:
                return False
            except OSError:  # a file system without hard links
                return _copy_to_new(path, written)
        return True

    @contextmanager
    def _complete_file(self, name: str, content: bytes | BinaryIO) -> Iterator[tuple[Path, Path]]:
        """A temporary file with the content, and the final path; raises InvalidArgument."""
        path = self._path(name)
        if path is None:
            raise InvalidArgument("no object can have this name")
        source = BytesIO(content) if isinstance(content, bytes) else content
        self.root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=self.root) as own:
            with tempfile.NamedTemporaryFile(dir=own, delete=False) as partial:
                shutil.copyfileobj(source, partial, 1 << 20)
                partial.flush()
                os.fsync(partial.fileno())
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                yield Path(partial.name), path
            except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
                raise InvalidArgument("other objects make this name a folder's") from error

    def list_objects(self, pattern: str) -> Iterator[tuple[str, Path]]:
        """The matching objects, in the order of their names."""
        for path in sorted(self.root.glob(pattern)):
            yield unquote(path.relative_to(self.root).as_posix()), path

    def remove(self, name: str) -> None:
        """Remove the object, if any."""
        path = self._path(name)
        if path is not None and path.is_file():
            path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove every object and every incomplete one."""
        for prefix in self.prefixes:
            shutil.rmtree(self.root / prefix, ignore_errors=True)
        remove_partial(self.root)

    def _path(self, name: str) -> Path | None:
        """The path of an object; None for an impossible name."""
        parts = [_file_name(part) for part in name.split("/")]
        if not name.startswith(self.prefixes) or not all(map(_is_possible, parts)):
            return None
        path = "/".join(parts)
        return self.root / path if len(path.encode()) <= MAX_NAME_BYTES else None


def remove_partial(root: Path) -> None:
    """Remove leftovers of killed writers; nobody may write into the folder meanwhile."""
    for left in root.glob(f"{PARTIAL}*"):
        shutil.rmtree(left, ignore_errors=True)


def _file_name(part: str) -> str:
    """The part, escaped if a path would read it as a folder: a record's id may be `..`."""
    escaped = part.replace("%", "%25")
    return _DOTS.get(escaped, escaped)


def _is_possible(part: str) -> bool:
    return _POSSIBLE.fullmatch(part) is not None and len(part.encode()) <= MAX_PART_BYTES


def _copy_to_new(path: Path, written: Path) -> bool:
    """Copy to a file that must be new; a concurrent reader may see half of the content."""
    try:
        with path.open("xb") as new:
            new.write(written.read_bytes())
    except FileExistsError:
        return False
    return True
