"""Blobs in a folder, beside a table that lives in a file."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path


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

    def clear(self) -> None:
        """Remove every blob."""
        shutil.rmtree(self.root / "blobs", ignore_errors=True)
