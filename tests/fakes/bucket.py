"""What lies in the bucket, over plain dicts: blobs, uploads, objects to import."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from membrane.table.blobs import Blob, BlobStore
from membrane.table.items import LostRace
from membrane.usecases.imports.progress import is_result_of
from membrane.usecases.ports.bucket import ImportObject, Link, ObjectReplaced, StoredText
from membrane.usecases.ports.surroundings import Clock
from tests.fakes.clock import FakeClock

BLOBS = "blobs/"
"""Where records have their documents, apart from what else is in the bucket."""


@dataclass(slots=True)
class FakeBlobs:
    """A BlobStore in memory; removed content stays until it is erased."""

    now: Clock = field(default_factory=FakeClock)
    blobs: dict[str, bytes] = field(default_factory=dict)
    written_at: dict[str, datetime] = field(default_factory=dict)
    removed: dict[str, bytes] = field(default_factory=dict)

    def write(self, name: str, content: bytes) -> None:
        """See BlobStore."""
        self.blobs[name] = content
        self.written_at[name] = self.now()

    def get(self, name: str) -> bytes | None:
        """See BlobStore."""
        return self.blobs.get(name)

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """See BlobStore."""
        prefix = BLOBS if record_id is None else f"{BLOBS}{record_id}/"
        names = [name for name in sorted(self.blobs) if name.startswith(prefix)]
        yield from [Blob(name, self.written_at[name]) for name in names]

    def remove(self, name: str) -> None:
        """See BlobStore."""
        if name in self.blobs:
            self.removed[name] = self.blobs.pop(name)

    def erase(self, name: str) -> None:
        """See BlobStore."""
        self.blobs.pop(name, None)
        self.removed.pop(name, None)

    def erase_removed(self, record_id: str) -> None:
        """See BlobStore."""
        for name in [each for each in self.removed if each.startswith(f"{BLOBS}{record_id}/")]:
            del self.removed[name]


class FakeLinks:
    """Links that lead nowhere."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """See Links."""
        return Link(f"https://bucket/{name}", "PUT", {"content-length": str(size), "sha": sha256})

    def download(self, name: str) -> str:
        """See Links."""
        return f"https://bucket/{name}"


@dataclass(slots=True)
class FakeImports:
    """An ImportStore in memory, which also remembers how often each object was put."""

    objects: dict[str, bytes] = field(default_factory=dict)
    puts: dict[str, int] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    """By key what its sender says of the content."""
    kept: dict[str, bytes] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    tag_numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def put(self, key: str, content: bytes) -> str:
        """Put an object, and give the sequencer of this put."""
        self.objects[key] = content
        self.puts[key] = self.puts.get(key, 0) + 1
        return f"{self.puts[key]:016X}"

    def find(self, key: str) -> ImportObject | None:
        """See ImportStore."""
        if key not in self.objects:
            return None
        etag = hashlib.sha256(self.objects[key]).hexdigest()
        version = self.said.get(key, etag)
        return ImportObject("bucket", key, etag, version, len(self.objects[key]))

    def read_range(self, found: ImportObject, start: int, length: int) -> bytes:
        """See ImportStore."""
        there = self.find(found.key)
        if there is None or there.etag != found.etag:
            raise ObjectReplaced
        return self.objects[found.key][start : start + length]

    def list_files(self) -> Iterator[Blob]:
        """See ImportStore."""
        return iter(Blob(key, datetime(2026, 1, 1, tzinfo=UTC)) for key in sorted(self.objects))

    def remove(self, key: str) -> None:
        """See ImportStore."""
        self.objects.pop(key, None)
        for name in [each for each in self.kept if is_result_of(each, key)]:
            del self.kept[name]

    def result(self, name: str) -> StoredText | None:
        """See ImportStore."""
        return StoredText(self.kept[name], self.tags[name]) if name in self.kept else None

    def keep(self, name: str, content: bytes) -> None:
        """See ImportStore."""
        self.kept[name] = content
        self.tags[name] = str(next(self.tag_numbers))

    def keep_next(self, name: str, content: bytes, before: StoredText | None) -> StoredText:
        """See ImportStore."""
        if self.tags.get(name) != (before and before.etag):
            raise LostRace
        self.keep(name, content)
        return StoredText(content, self.tags[name])


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
