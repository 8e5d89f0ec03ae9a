"""A bucket whose user is interrupted: another writer comes in between."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from membrane.table.blobs import Blob, BlobStore


@dataclass(slots=True)
class InterruptedBlobs:
    """A BlobStore over a second one; runs `amid` once, behind a write or before an erasure."""

    blobs: BlobStore
    amid: Callable[[], object] | None

    def write(self, name: str, content: bytes) -> None:
        """See BlobStore."""
        self.blobs.write(name, content)
        self._interrupt()

    def get(self, name: str) -> bytes | None:
        """See BlobStore."""
        return self.blobs.get(name)

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """See BlobStore."""
        return self.blobs.list_blobs(record_id)

    def remove(self, name: str) -> None:
        """See BlobStore."""
        self.blobs.remove(name)

    def erase(self, name: str) -> None:
        """See BlobStore."""
        self._interrupt()
        self.blobs.erase(name)

    def erase_removed(self, record_id: str) -> None:
        """See BlobStore."""
        self.blobs.erase_removed(record_id)

    def _interrupt(self) -> None:
        amid, self.amid = self.amid, None
        if amid is not None:
            amid()
