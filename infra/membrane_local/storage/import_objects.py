"""Objects to import and their results: in the local bucket, or in a folder."""

import hashlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Protocol

from membrane.adapters.bucket.s3 import S3Imports
from membrane.usecases.imports.progress import IMPORTS, RESTORES, RESULTS, is_result_of
from membrane.usecases.ports.bucket import (
    Blob,
    ImportObject,
    ImportStore,
    ObjectReplaced,
    StoredText,
)
from membrane.usecases.ports.records import LostRace
from membrane_local.storage.folder import Folder


class ReceivingImports(ImportStore, Protocol):
    """An ImportStore that also takes uploads of objects."""

    def receive(self, key: str, content: BinaryIO) -> None:
        """Put an object."""


class BucketImports(S3Imports):
    """The import store of AWS, over the local stack's bucket."""

    def receive(self, key: str, content: BinaryIO) -> None:
        self.client().put_object(Bucket=self.bucket, Key=key, Body=content)


class DirectoryImports:
    """The ImportStore over a folder."""

    def __init__(self, root: Path, bucket: str) -> None:
        self.bucket = bucket
        """The bucket name in results."""
        self._folder = Folder(root, (IMPORTS, RESTORES, RESULTS))
        self._replacing = Lock()
        self._digests: dict[str, tuple[str, str]] = {}
        """By key: the identity of the file seen last, and the SHA-256 of the content."""

    def receive(self, key: str, content: BinaryIO) -> None:
        """Write a file; raises InvalidArgument for a name that no file can have."""
        self._folder.write(key, content)

    def find(self, key: str) -> ImportObject | None:
        """The object; ETag and version are the SHA-256 of the content."""
        file = self._folder.open(key)
        if file is None:
            return None
        with file:
            size = os.fstat(file.fileno()).st_size
            digest = self._digest(key, file)
        return ImportObject(self.bucket, key, digest, digest, size)

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """A part of the content; raises ObjectReplaced for a replaced or removed object."""
        file = self._folder.open(found.key)
        if file is None:
            raise ObjectReplaced
        with file:
            if self._digest(found.key, file) != found.etag:
                raise ObjectReplaced
            file.seek(start)
            return file.read(length)

    def list_files(self) -> Iterator[Blob]:
        """The files, with the times of the last write."""
        for prefix in (IMPORTS, RESTORES):
            for key, path in self._folder.list_objects(f"{prefix}**/*"):
                if path.is_file():
                    yield Blob(key, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def remove(self, key: str) -> None:
        names = [name for name, _ in self._folder.list_objects(f"{RESULTS}**/*")]
        for name in (*(each for each in names if is_result_of(each, key)), key):
            self._folder.remove(name)

    def result(self, name: str) -> StoredText | None:
        """The file's content, tagged by the SHA-256."""
        content = self._folder.read_content(name)
        return None if content is None else _stored_text(content)

    def keep(self, name: str, content: bytes) -> None:
        self._folder.write(name, content)

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """Compare the tag and write, under a lock; raises LostRace."""
        with self._replacing:
            there = self.result(name)
            if (there and there.etag) != (before and before.etag):
                raise LostRace
            self._folder.write(name, content)
        return _stored_text(content)

    def clear(self) -> None:
        """Remove every object and every result."""
        self._folder.clear()

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
