"""Objects to import and their results: in the local bucket, or in a folder."""

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Protocol

from membrane.adapters.s3 import S3Imports
from membrane.usecases.import_progress import IMPORTS, RESULTS
from membrane.usecases.ports import ImportObject, ImportStore, Kept, LostRace, Replaced


class ReceivingImports(ImportStore, Protocol):
    """An ImportStore that also takes objects from their senders."""

    def receive(self, key: str, content: BinaryIO) -> None:
        """Put an object."""


class BucketImports(S3Imports):
    """The same as in AWS, over the local stack's bucket."""

    def receive(self, key: str, content: BinaryIO) -> None:
        """One PutObject."""
        self.client().put_object(Bucket=self.bucket, Key=key, Body=content)


@dataclass(frozen=True, slots=True)
class DirectoryImports:
    """The ImportStore over one folder; an object is there whole or not at all."""

    root: Path
    bucket: str
    """What S3 would call the place."""
    replacing: Lock = field(default_factory=Lock)

    def receive(self, key: str, content: BinaryIO) -> None:
        """See ReceivingImports."""
        self._write(key, content)

    def find(self, key: str) -> ImportObject | None:
        """The object; its version is the SHA-256 of its content."""
        try:
            with (self.root / key).open("rb") as file:
                about = os.fstat(file.fileno())
                version = hashlib.file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        return ImportObject(self.bucket, key, _etag(about), version, about.st_size)

    def read(self, found: ImportObject, start: int, length: int) -> bytes:
        """One read; a file that was put again is another file."""
        try:
            with (self.root / found.key).open("rb") as file:
                if _etag(os.fstat(file.fileno())) != found.etag:
                    raise Replaced
                file.seek(start)
                return file.read(length)
        except FileNotFoundError as error:
            raise Replaced from error

    def result(self, name: str) -> Kept | None:
        """The file's content, tagged by its SHA-256."""
        try:
            content = (self.root / name).read_bytes()
        except FileNotFoundError:
            return None
        return _kept(content)

    def keep(self, name: str, content: bytes) -> None:
        """Write beside the place, then move there."""
        self._write(name, content)

    def keep_next(self, name: str, content: bytes, before: Kept | None) -> Kept:
        """Compare and write, alone."""
        with self.replacing:
            there = self.result(name)
            if (there and there.etag) != (before and before.etag):
                raise LostRace
            self._write(name, content)
        return _kept(content)

    def clear(self) -> None:
        """Remove every object and every result."""
        for folder in (IMPORTS, RESULTS):
            shutil.rmtree(self.root / folder, ignore_errors=True)

    def _write(self, name: str, content: bytes | BinaryIO) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as partial:
            if isinstance(content, bytes):
                partial.write(content)
            else:
                shutil.copyfileobj(content, partial, 1 << 20)
            partial.flush()
            os.fsync(partial.fileno())
        Path(partial.name).replace(path)


def _etag(about: os.stat_result) -> str:
    return f"{about.st_ino}-{about.st_mtime_ns}-{about.st_size}"


def _kept(content: bytes) -> Kept:
    return Kept(content, hashlib.sha256(content).hexdigest())
