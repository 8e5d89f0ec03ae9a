"""Blobs in the local bucket, or in a folder beside a table that lives in a file."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from botocore.exceptions import ClientError

from membrane.adapters.bucket.s3 import S3Blobs
from membrane.adapters.dynamodb.table.keys import BLOBS, UPLOADS
from membrane.domain.archive.exports import EXPORTS
from membrane.domain.integrity.anchors import FOLDER
from membrane.domain.study.jobs import STUDIES
from membrane.usecases.ports.bucket import Blob, BlobStore
from membrane_local.storage.folder import Folder


class ReceivingBlobs(BlobStore, Protocol):
    """A BlobStore that also takes uploads."""

    def put_new(self, name: str, content: bytes) -> bool:
        """Put a blob unless the name is taken; of concurrent callers, only one gets True."""


class BucketBlobs(S3Blobs):
    """The blob store of AWS, over the local stack's bucket."""

    def put_new(self, name: str, content: bytes) -> bool:
        """PutObject, on condition that the name is free."""
        try:
            self.client().put_object(Bucket=self.bucket, Key=name, Body=content, IfNoneMatch="*")
        except ClientError as error:
            if error.response["Error"]["Code"] == "PreconditionFailed":
                return False
            raise
        return True


class DirectoryBlobs:
    """The BlobStore over a folder."""

    def __init__(self, root: Path, erased: Callable[[], None] = lambda: None) -> None:
        """`erased` is called at an erasure: the file of the table may still hold the content."""
        self.root = root
        self._erased = erased
        self._folder = Folder(root, (BLOBS, UPLOADS, EXPORTS, STUDIES, FOLDER))

    def write(self, name: str, content: bytes) -> None:
        """Write a file; raises InvalidArgument for a name that no file can have."""
        self._folder.write(name, content)

    def put_new(self, name: str, content: bytes) -> bool:
        """Write a file unless the name is taken; of concurrent callers, only one gets True."""
        return self._folder.write_new(name, content)

    def get(self, name: str) -> bytes | None:
        return self._folder.read_content(name)

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """The blobs of a record, or all blobs, by name."""
        for name, path in self._folder.list_objects(f"{BLOBS}{record_id or '*'}/**/*"):
            if path.is_file():  # not a folder with the values of a document's later life
                yield Blob(name, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def remove(self, name: str) -> None:
        """Remove the file, if any."""
        self._folder.remove(name)

    def erase(self, name: str) -> None:
        """Remove the file, if any: a folder keeps no earlier content."""
        self.remove(name)

    def erase_removed(self, record_id: str) -> None:  # noqa: ARG002 - the name is of the port
        """A folder keeps no removed content."""
        self._erased()

    def clear(self) -> None:
        """Remove every blob, and every object of an upload, an export, a study or an anchor."""
        self._folder.clear()
        self._erased()
