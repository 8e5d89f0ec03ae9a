"""Blobs in a folder, beside a table that lives in a file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from membrane.adapters.dynamodb.table.keys import BLOBS, UPLOADS
from membrane.usecases.ports.bucket import Blob
from membrane_local.storage.folder import Folder


class DirectoryBlobs:
    """The BlobStore over one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folder = Folder(root, (BLOBS, UPLOADS))

    def put(self, name: str, content: bytes) -> None:
        """Write a file; raises InvalidArgument for a name that none can have."""
        self._folder.write(name, content)

    def get(self, name: str) -> bytes | None:
        """The file's content, or None."""
        return self._folder.read(name)

    def listed(self, record_id: str | None = None) -> Iterator[Blob]:
        """Every blob, or every one of a record, by name."""
        for name, path in self._folder.listed(f"{BLOBS}{record_id or '*'}/*"):
            yield Blob(name, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def remove(self, name: str) -> None:
        """Remove the file, if there is one."""
        self._folder.remove(name)

    def clear(self) -> None:
        """Remove every blob and every upload."""
        self._folder.clear()
