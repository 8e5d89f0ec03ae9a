"""Objects of the local bucket, in memory or as files in a folder: blobs and imports."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from membrane.domain.archive.exports import EXPORTS
from membrane.domain.integrity.anchors import FOLDER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.study.jobs import STUDIES
from membrane.table.blobs import Blob
from membrane.table.items import LostRace
from membrane.table.keys import BLOBS, UPLOADS
from membrane.usecases.imports.progress import IMPORTS, RESTORES, RESULTS, is_result_of
from membrane.usecases.ports.bucket import ImportObject, ObjectReplaced, StoredText

PREFIXES = (BLOBS, UPLOADS, EXPORTS, STUDIES, FOLDER, IMPORTS, RESTORES, RESULTS)
MAX_NAME_BYTES = 1024
"""S3's limit ("Naming Amazon S3 objects")."""
MAX_PART_BYTES = 255
"""The file systems' limit for a name between two slashes."""
PARTIAL = "partial-"
_POSSIBLE = re.compile(r"[^\0\ud800-\udfff]+")
_DOTS = {".": "%2E", "..": "%2E%2E"}
_ABSENT = (InvalidArgument, FileNotFoundError, NotADirectoryError, IsADirectoryError)


class Opened(NamedTuple):
    """An object to read; the caller closes the file."""

    file: BinaryIO
    digest: str
    """The SHA-256 of the content, the object's ETag and version."""
    size: int


class _Held(NamedTuple):
    content: bytes
    written_at: datetime
    digest: str


class Objects:
    """Objects in memory."""

    def __init__(self, bucket: str) -> None:
        self.bucket = bucket
        """The bucket's name in results."""
        self._replacing = Lock()
        self._objects: dict[str, _Held] = {}

    def open(self, name: str) -> Opened | None:
        held = self._objects.get(name)
        return held and Opened(BytesIO(held.content), held.digest, len(held.content))

    def get(self, name: str) -> bytes | None:
        held = self._objects.get(name)
        return held and held.content

    def write(self, name: str, content: bytes | BinaryIO) -> None:
        """Raises InvalidArgument for an impossible name."""
        _path_of(name)
        self._objects[name] = _object_of(content)

    def put_new(self, name: str, content: bytes | BinaryIO) -> bool:
        """Write an object unless the name is taken; of concurrent writers, only one gets True."""
        _path_of(name)
        new = _object_of(content)
        return self._objects.setdefault(name, new) is new

    def list_objects(self, folder: str) -> Iterator[Blob]:
        """The objects of a folder and of the folders within, grouped by folder."""
        for name, held in sorted(self._objects.copy().items()):
            if name.startswith(folder):
                yield Blob(name, held.written_at)

    def erase(self, name: str) -> None:
        self._objects.pop(name, None)

    def erase_removed(self, record_id: str) -> None:
        """Removed content is gone already."""

    def clear(self) -> None:
        self._objects.clear()

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        return self.list_objects(f"{BLOBS}{record_id}/" if record_id else BLOBS)

    def list_files(self) -> Iterator[Blob]:
        for folder in (IMPORTS, RESTORES):
            yield from self.list_objects(folder)

    def find(self, key: str) -> ImportObject | None:
        opened = self.open(key)
        if opened is None:
            return None
        opened.file.close()
        return ImportObject(self.bucket, key, opened.digest, opened.digest, opened.size)

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """A part of the content; raises ObjectReplaced for a replaced or removed object."""
        opened = self.open(found.key)
        if opened is None:
            raise ObjectReplaced
        with opened.file as file:
            if opened.digest != found.etag:
                raise ObjectReplaced
            file.seek(start)
            return file.read(length)

    def receive(self, key: str, content: BinaryIO) -> None:
        self.write(key, content)

    def remove(self, name: str) -> None:
        """Remove an object; of an object to import also the results."""
        if name.startswith((IMPORTS, RESTORES)):
            results = [each.name for each in self.list_objects(RESULTS)]
            for result in (each for each in results if is_result_of(each, name)):
                self.erase(result)
        self.erase(name)

    def result(self, name: str) -> StoredText | None:
        """The content, tagged by the SHA-256."""
        content = self.get(name)
        return None if content is None else _stored_text(content)

    def keep(self, name: str, content: bytes) -> None:
        self.write(name, content)

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """Compare the tag and write, under a lock; raises LostRace."""
        with self._replacing:
            there = self.result(name)
            if (there and there.etag) != (before and before.etag):
                raise LostRace
            self.write(name, content)
        return _stored_text(content)


class Folder(Objects):
    """Objects as files, whole or absent; files outside PREFIXES are not objects.

    The folder keeps no earlier and no removed content.
    """

    def __init__(self, root: Path, bucket: str, erased: Callable[[], None] = lambda: None) -> None:
        """`erased` is called at an erasure: the file of the table may still hold the content."""
        super().__init__(bucket)
        self.root, self._erased = root, erased
        self._digests: dict[str, tuple[str, str]] = {}
        """By name: the identity of the file seen last, and the SHA-256 of the content."""

    def open(self, name: str) -> Opened | None:
        """The object; the digest is computed once for a file: a replacement is a new file."""
        try:
            file = self._path(name).open("rb")
        except _ABSENT:
            return None
        about = os.fstat(file.fileno())
        seen = f"{about.st_ino}-{about.st_mtime_ns}-{about.st_size}"
        known, digest = self._digests.get(name, ("", ""))
        if known != seen:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._digests[name] = (seen, digest)
        return Opened(file, digest, about.st_size)

    def get(self, name: str) -> bytes | None:
        try:
            return self._path(name).read_bytes()
        except _ABSENT:
            return None

    def write(self, name: str, content: bytes | BinaryIO) -> None:
        """Write to a temporary file, then rename."""
        with self._complete_file(name, content) as (written, path):
            written.replace(path)

    def put_new(self, name: str, content: bytes | BinaryIO) -> bool:
        with self._complete_file(name, content) as (written, path):
            if path.is_dir():
                raise IsADirectoryError
            try:
                os.link(written, path)
            except FileExistsError:
                return False
            except OSError:  # a file system without hard links
                try:
                    with path.open("xb") as new:
                        new.write(written.read_bytes())
                except FileExistsError:
                    return False
        return True

    def list_objects(self, folder: str) -> Iterator[Blob]:
        try:
            inside = self._path(f"{folder}object").parent
        except InvalidArgument:
            return
        for path in sorted(inside.rglob("*")):
            if path.is_file():  # not a folder with the values of a document's later life
                name = unquote(path.relative_to(self.root).as_posix())
                yield Blob(name, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def erase(self, name: str) -> None:
        with suppress(InvalidArgument):
            path = self._path(name)
            if path.is_file():
                path.unlink(missing_ok=True)

    def erase_removed(self, record_id: str) -> None:  # noqa: ARG002 - the name is of the port
        self._erased()

    def clear(self) -> None:
        for prefix in PREFIXES:
            shutil.rmtree(self.root / prefix, ignore_errors=True)
        remove_partial(self.root)
        self._erased()

    @contextmanager
    def _complete_file(self, name: str, content: bytes | BinaryIO) -> Iterator[tuple[Path, Path]]:
        """A temporary file with the content, and the final path; raises InvalidArgument."""
        path = self._path(name)
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

    def _path(self, name: str) -> Path:
        """The path of an object; raises InvalidArgument for an impossible name."""
        return self.root / _path_of(name)


def remove_partial(root: Path) -> None:
    """Remove leftovers of killed writers; nobody may write into the folder meanwhile."""
    for left in root.glob(f"{PARTIAL}*"):
        shutil.rmtree(left, ignore_errors=True)


def _path_of(name: str) -> str:
    """The path of an object in a folder; raises InvalidArgument for an impossible name."""
    parts = [_file_name(part) for part in name.split("/")]
    path = "/".join(parts)
    is_possible = name.startswith(PREFIXES) and all(map(_is_possible, parts))
    if not is_possible or len(path.encode()) > MAX_NAME_BYTES:
        raise InvalidArgument("no object can have this name")
    return path


def _file_name(part: str) -> str:
    """The part, escaped if a path would read it as a folder: a record's id may be `..`."""
    escaped = part.replace("%", "%25")
    return _DOTS.get(escaped, escaped)


def _is_possible(part: str) -> bool:
    return _POSSIBLE.fullmatch(part) is not None and len(part.encode()) <= MAX_PART_BYTES


def _object_of(content: bytes | BinaryIO) -> _Held:
    read = content if isinstance(content, bytes) else content.read()
    return _Held(read, datetime.now(UTC), hashlib.sha256(read).hexdigest())


def _stored_text(content: bytes) -> StoredText:
    return StoredText(content, hashlib.sha256(content).hexdigest())
