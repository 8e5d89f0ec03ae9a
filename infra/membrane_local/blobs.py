"""Blobs in a folder, beside a table that lives in a file."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from membrane.adapters.dynamodb.table_keys import BLOBS, UPLOADS
from membrane.usecases.ports import Blob


@dataclass(frozen=True, slots=True)
class DirectoryBlobs:
    """The BlobStore over one folder; a blob is there whole or not at all."""

    root: Path

    def put(self, name: str, content: bytes) -> None:
        """Write beside the place, then move there."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as partial:
            partial.write(content)
            partial.flush()
            os.fsync(partial.fileno())
        Path(partial.name).replace(path)

    def get(self, name: str) -> bytes | None:
        """The blob, or None."""
        try:
            return (self.root / name).read_bytes()
        except FileNotFoundError:
            return None

    def listed(self) -> Iterator[Blob]:
        """Every blob, by name."""
        for path in sorted(self.root.glob(f"{BLOBS}*/*")):
            written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            yield Blob(path.relative_to(self.root).as_posix(), written_at)

    def remove(self, name: str) -> None:
        """Remove a blob; one that is not there already is no error."""
        (self.root / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove every blob."""
        for prefix in (BLOBS, UPLOADS):
            shutil.rmtree(self.root / prefix, ignore_errors=True)
