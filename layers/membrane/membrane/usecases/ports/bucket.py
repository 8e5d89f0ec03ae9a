"""The bucket: large documents of records, imports with their results, uploads and signed links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple, Protocol

from membrane.table.blobs import Blob


class ObjectReplaced(Exception):
    """The object was removed or overwritten after `find`."""


class ImportObject(NamedTuple):
    """An object to import, as `find` saw the object."""

    bucket: str
    key: str
    etag: str
    """The condition of every read: a read of an object with a different ETag fails."""
    version: str
    """Equal for equal content: the SHA-256 that the sender declared, else the ETag."""
    size: int


class StoredText(NamedTuple):
    """The content stored under a name, and the ETag that a replacement must match."""

    content: bytes
    etag: str


class ImportStore(Protocol):
    """Objects to import, and results. May raise ResourceExhausted or Unavailable."""

    def find(self, key: str) -> ImportObject | None: ...

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """`length` bytes from `start`, fewer at the end; raises ObjectReplaced."""

    def list_files(self) -> Iterator[Blob]:
        """All objects to import, with the times of the puts."""

    def remove(self, key: str) -> None:
        """Remove an object to import for good, and the results; absent ones are no error."""

    def result(self, name: str) -> StoredText | None: ...
    def keep(self, name: str, content: bytes) -> None: ...

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """Replace `before` atomically; raises LostRace if the stored text has changed since."""


UPLOAD_LINK_PERIOD = timedelta(minutes=15)

DOWNLOAD_LINK_PERIOD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Link:
    """A signed request for a single use, with exactly `headers`."""

    url: str
    method: Literal["PUT"]
    headers: Mapping[str, str]


class Links(Protocol):
    """Signed requests to the bucket; the holder of a link needs no credentials."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """A link to create an object of `size` and `sha256` (hex), valid for UPLOAD_LINK_PERIOD.

        Fails if an object with the name exists.
        """

    def download(self, name: str) -> str:
        """The signed address of an object, valid for DOWNLOAD_LINK_PERIOD."""
