"""Objects of the local bucket: blobs and imports, in a bucket or as files in a folder."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedReader, BytesIO
from pathlib import Path
from threading import Lock
from typing import BinaryIO
from urllib.parse import unquote

from botocore.exceptions import ClientError

from membrane.adapters.bucket.s3 import S3Blobs, S3Imports
from membrane.adapters.dynamodb.table.keys import BLOBS, UPLOADS
from membrane.domain.archive.exports import EXPORTS
from membrane.domain.integrity.anchors import FOLDER
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.study.jobs import STUDIES
from membrane.usecases.imports.progress import IMPORTS, RESTORES, RESULTS, is_result_of
from membrane.usecases.ports.bucket import (
    Blob,
    ImportObject,
    ObjectReplaced,
    StoredText,
)
from membrane.usecases.ports.records import LostRace

MAX_NAME_BYTES = 1024
"""S3's limit ("Naming Amazon S3 objects")."""
MAX_PART_BYTES = 255
"""The file systems' limit for a name between two slashes."""
PARTIAL = "partial-"
_POSSIBLE = re.compile(r"[^\0\ud800-\udfff]+")
_DOTS = {".": "%2E", "..": "%2E%2E"}
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class Folder:
    """Objects as files, whole or absent; files outside the prefixes are not objects."""

    def __init__(self, root: Path, prefixes: tuple[str, ...]) -> None:
        self.root, self.prefixes = root, prefixes

    def open(self, name: str) -> BufferedReader | None:
        path = self._path(name)
        try:
            return None if path is None else path.open("rb")
        except _ABSENT:
            return None

    def get(self, name: str) -> bytes | None:
        file = self.open(name)
        if file is None:
            return None
        with file:
            return file.read()

    def write(self, name: str, content: bytes | BinaryIO) -> None:
        """Write to a temporary file, then rename; raises InvalidArgument for an impossible name."""
        with self._complete_file(name, content) as (written, path):
            written.replace(path)

    def put_new(self, name: str, content: bytes | BinaryIO) -> bool:
        """Write an object unless the name is taken; of concurrent writers, only one gets True."""
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


class BucketBlobs(S3Blobs):
    def put_new(self, name: str, content: bytes) -> bool:
        """PutObject, on condition that the name is free."""
        try:
            self.client().put_object(Bucket=self.bucket, Key=name, Body=content, IfNoneMatch="*")
        except ClientError as error:
            if error.response["Error"]["Code"] == "PreconditionFailed":
                return False
            raise
        return True


class DirectoryBlobs(Folder):
    """The BlobStore over a folder, which keeps no earlier and no removed content."""

    def __init__(self, root: Path, erased: Callable[[], None] = lambda: None) -> None:
        """`erased` is called at an erasure: the file of the table may still hold the content."""
        super().__init__(root, (BLOBS, UPLOADS, EXPORTS, STUDIES, FOLDER))
        self._erased = erased

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """The blobs of a record, or all blobs, by name."""
        for name, path in self.list_objects(f"{BLOBS}{record_id or '*'}/**/*"):
            if path.is_file():  # not a folder with the values of a document's later life
                yield Blob(name, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def erase(self, name: str) -> None:
        self.remove(name)

    def erase_removed(self, record_id: str) -> None:  # noqa: ARG002 - the name is of the port
        self._erased()

    def clear(self) -> None:
        super().clear()
        self._erased()


class BucketImports(S3Imports):
    def receive(self, key: str, content: BinaryIO) -> None:
        self.client().put_object(Bucket=self.bucket, Key=key, Body=content)


class DirectoryImports(Folder):
    """The ImportStore over a folder."""

    def __init__(self, root: Path, bucket: str) -> None:
        super().__init__(root, (IMPORTS, RESTORES, RESULTS))
        self.bucket = bucket
        """The bucket name in results."""
        self._replacing = Lock()
        self._digests: dict[str, tuple[str, str]] = {}
        """By key: the identity of the file seen last, and the SHA-256 of the content."""

    def receive(self, key: str, content: BinaryIO) -> None:
        self.write(key, content)

    def find(self, key: str) -> ImportObject | None:
        """The object; ETag and version are the SHA-256 of the content."""
        file = self.open(key)
        if file is None:
            return None
        with file:
            size = os.fstat(file.fileno()).st_size
            digest = self._digest(key, file)
        return ImportObject(self.bucket, key, digest, digest, size)

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """A part of the content; raises ObjectReplaced for a replaced or removed object."""
        file = self.open(found.key)
        if file is None:
            raise ObjectReplaced
        with file:
            if self._digest(found.key, file) != found.etag:
                raise ObjectReplaced
            file.seek(start)
            return file.read(length)

    def list_files(self) -> Iterator[Blob]:
        for prefix in (IMPORTS, RESTORES):
            for key, path in self.list_objects(f"{prefix}**/*"):
                if path.is_file():
                    yield Blob(key, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def remove(self, key: str) -> None:
        names = [name for name, _ in self.list_objects(f"{RESULTS}**/*")]
        for name in (*(each for each in names if is_result_of(each, key)), key):
            super().remove(name)

    def result(self, name: str) -> StoredText | None:
        """The file's content, tagged by the SHA-256."""
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

    def _digest(self, key: str, file: BufferedReader) -> str:
        """The SHA-256 of the content, computed once for a file: a replacement is a new file."""
        about = os.fstat(file.fileno())
        seen = f"{about.st_ino}-{about.st_mtime_ns}-{about.st_size}"
        known, digest = self._digests.get(key, ("", ""))
        if known != seen:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._digests[key] = (seen, digest)
        return digest


def _stored_text(content: bytes) -> StoredText:
    return StoredText(content, hashlib.sha256(content).hexdigest())


ReceivingBlobs = BucketBlobs | DirectoryBlobs
ReceivingImports = BucketImports | DirectoryImports
