"""What lies in the bucket: documents of records, files to import and their results."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, Protocol


class Blob(NamedTuple):
    """A blob's name, `blobs/<record id>/<sha256>`, and when it was last written."""

    name: str
    written_at: datetime

    @property
    def record_id(self) -> str:
        return self.name.split("/")[1]


class BlobStore(Protocol):
    """Documents too large for the table, by name. May raise ResourceExhausted or Unavailable."""

    def write(self, name: str, content: bytes) -> None:
        """Write a blob; writing the same one again changes nothing."""

    def get(self, name: str) -> bytes | None: ...

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """Every blob, those of one record together; or those of that record alone."""

    def remove(self, name: str) -> None:
        """Remove a blob, if it is there."""


class ObjectReplaced(Exception):
    """The object is no longer the one that was found: removed, or put again."""


class ImportObject(NamedTuple):
    """An object to be imported, as it was found."""

    bucket: str
    key: str
    etag: str
    """Of this very object: a read under another one fails."""
    version: str
    """The same for the same content, where its sender or the bucket says so."""
    size: int


class StoredText(NamedTuple):
    """A text that is kept under a name, and the tag under which it can be replaced."""

    content: bytes
    etag: str


class ImportStore(Protocol):
    """Objects to import, and the results. May raise ResourceExhausted or Unavailable."""

    def find(self, key: str) -> ImportObject | None: ...

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """So many bytes from there, fewer at the end; raises ObjectReplaced."""

    def result(self, name: str) -> StoredText | None: ...
    def keep(self, name: str, content: bytes) -> None: ...

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """Keep it in the place of what was read there; raises LostRace where that has changed."""
