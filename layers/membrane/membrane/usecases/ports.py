"""What the use cases need of the world, as Protocols; adapters and fakes provide it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Protocol

from membrane.domain.json_text import JsonObject
from membrane.domain.policy import PolicyDefaults
from membrane.domain.salience import Anchor
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.trust import Principal
from membrane.domain.uploads import Upload
from membrane.domain.values import LargeValue
from membrane.domain.vocabulary import DeletionPolicy, MemoryType, Sensitivity

Clock = Callable[[], datetime]
"""The time now, with its zone."""


class LostRace(Exception):
    """Another writer came first: read again, decide again. Nothing was written."""


class IdTaken(Exception):
    """The record id is held already, by a record or by its tombstone."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


class KeyUsed(Exception):
    """The idempotency key already made a record, of an id that a client chose."""

    def __init__(self, record_id: str, fingerprint: bytes) -> None:
        super().__init__(record_id)
        self.record_id = record_id
        self.fingerprint = fingerprint


@dataclass(frozen=True, slots=True)
class Head:
    """Names the one holder of something that must be single: moves `held_by` to `holder`.

    The move is part of the write that it goes with, which fails with LostRace where the head is
    held otherwise than expected. None stands for nobody.
    """

    key: bytes
    held_by: str | None
    holder: str | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """Remembers under a keyed id that the key made a record of an id chosen by the client."""

    keyed_id: str
    fingerprint: bytes


MAX_WORKERS = 16
"""Threads that use the ports at once, so connections that a client keeps."""

UPLOAD_LINK_PERIOD = timedelta(minutes=15)
DOWNLOAD_LINK_PERIOD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Link:
    """A request that whoever holds it may make once, with these very headers."""

    url: str
    method: str
    headers: Mapping[str, str]


NO_VALUES: Mapping[LargeValue, bytes] = MappingProxyType({})


class RecordStore(Protocol):
    """Records, their edges and audit trails. Every write is atomic and conditional.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def load(self, record_id: str) -> Held | None:
        """The record, consistently read, with its edges and whole trail; also a tombstone."""

    def create(
        self,
        new: StoredRecord,
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
        uploads: Sequence[Upload] = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write a record whose id is free, with its edges to `targets` and its large values.

        The uploads become claimed by it in the same write.
        Raises IdTaken, KeyUsed, or LostRace where a target or a head is no longer as it was read;
        InvalidArgument where the record would be of one decay class too many; what
        `require_claimable` raises.
        """

    def replace(
        self,
        before: Held,
        after: Held,
        *,
        heads: Sequence[Head] = (),
        due_by_s: int | None = None,
    ) -> None:
        """Write the next version.

        Raises LostRace where `before` is no longer the newest, or is not due by the instant given.
        """

    def forget(self, before: Held, after: Remains) -> None:
        """Write the next version, which has no document, and remove all else but the audit.

        The tombstone stays due until that is done: what is killed on its way is called again, with
        the remains. Then it is due no more. Raises LostRace.
        """

    def discard(self, record_id: str) -> None:
        """Remove what is left of a tombstone whose time is over; nothing where it is not."""

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """What a key made, of an id that a client chose; consistently read."""

    def holder(self, head_key: bytes) -> str | None:
        """Who holds a head, consistently read."""

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The blobs that the record's items name, consistently read."""

    def value(self, large: LargeValue) -> bytes:
        """The JSON text of a record's large value."""

    def link(self, large: LargeValue) -> str:
        """Where whoever is told may read it for DOWNLOAD_LINK_PERIOD."""


@dataclass(frozen=True, slots=True)
class Due:
    """Where something stands in the due index: the record's id, and when it is due."""

    record_id: str
    due_s: int


class DueIndex(Protocol):
    """What is due, by shard. May lag behind the records; may raise what RecordStore does."""

    @property
    def shards(self) -> int:
        """How many there are, numbered from 0."""

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """What is due by then, the longest waiting first; read page by page."""

    def put_off(self, due: Due, until_s: int | None) -> None:
        """Let it be due at another instant, or never; nothing where it stands otherwise by now."""


@dataclass(frozen=True, slots=True)
class RankPartition:
    """A part of the rank index: records of one scope and type that fade alike."""

    scope: str
    type: MemoryType
    decay_class: str
    shard: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the rank index tells of a record."""

    anchor: Anchor
    deletion_policy: DeletionPolicy


@dataclass(frozen=True, slots=True)
class Ranks:
    """A stretch of a partition, by rank: the records that may be seen, or only their number."""

    entries: int
    """How many records the stretch has, whether they may be seen or not."""
    visible: int
    records: Sequence[Ranked] = ()
    after: object = None
    """Where the next stretch begins, for the index to know; None at the end of the partition."""


class RankIndex(Protocol):
    """Records by rank. May lag behind the records; may raise what RecordStore does."""

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """Where the records of a scope ("" = unscoped) may be, type by type.

        Those of the settings now, of all that were kept, and of the scope's own.
        """

    def keep_classes(self) -> None:
        """Keep which decay classes follow from the settings, for when these are changed."""

    def read(
        self, partition: RankPartition, ceiling: Sensitivity, entries: int, after: object = None
    ) -> Ranks:
        """The next so many entries, fewer at the end; what is above the ceiling is left out."""

    def count(
        self, partition: RankPartition, ceiling: Sensitivity, entries: int, after: object = None
    ) -> Ranks:
        """The same without the records themselves."""


class UploadStore(Protocol):
    """Uploads, and what was put under them. May raise ResourceExhausted or Unavailable."""

    def open(self, upload: Upload) -> Upload | None:
        """Open it; where one of that id is open already, it stays as it is and is returned."""

    def find(self, upload_id: str) -> Upload | None:
        """The upload, consistently read."""

    def link(self, upload: Upload) -> Link:
        """How to put its value there."""

    def content(self, upload: Upload) -> bytes | None:
        """What was put there."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is stored: by its SHA-256, never itself."""

    digest: str
    principal: Principal
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def key_id(self) -> str:
        """The short name under which an operator sees the key."""
        return self.digest[:16]

    def is_live(self, now: datetime) -> bool:
        """Whether the key still opens anything."""
        unexpired = self.expires_at is None or now < self.expires_at
        return self.revoked_at is None and unexpired


class KeyStore(Protocol):
    """API keys by their digest. Any method may raise ResourceExhausted or Unavailable."""

    def find(self, digest: str) -> ApiKey | None:
        """The key of that SHA-256 (hex), consistently read."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""

    def listed(self) -> Sequence[ApiKey]:
        """Every key, live or not, oldest first."""

    def revoke(self, digest: str, at: datetime) -> None:
        """Mark a key as revoked; an earlier revocation stands. Raises NotFound."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob's name, `blobs/<record id>/<sha256>`, and when it was last written."""

    name: str
    written_at: datetime

    @property
    def record_id(self) -> str:
        """The record that the blob belongs to."""
        return self.name.split("/")[1]


class BlobStore(Protocol):
    """Documents too large for the table, by name. May raise ResourceExhausted or Unavailable."""

    def put(self, name: str, content: bytes) -> None:
        """Write a blob; writing the same one again changes nothing."""

    def get(self, name: str) -> bytes | None:
        """The blob, or None."""

    def listed(self, record_id: str | None = None) -> Iterator[Blob]:
        """Every blob, those of one record together; or those of that record alone."""

    def remove(self, name: str) -> None:
        """Remove a blob; one that is not there already is no error."""


class Replaced(Exception):
    """The object is no longer the one that was found: removed, or put again."""


@dataclass(frozen=True, slots=True)
class ImportObject:
    """An object to be imported, as it was found."""

    bucket: str
    key: str
    etag: str
    """Of this very object: a read under another one fails."""
    version: str
    """The same for the same content, where its sender or the bucket says so."""
    size: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A text that is kept under a name, and the tag under which it can be replaced."""

    content: bytes
    etag: str


class ImportStore(Protocol):
    """Objects to import, and the results. May raise ResourceExhausted or Unavailable."""

    def find(self, key: str) -> ImportObject | None:
        """The object that is there now."""

    def read(self, found: ImportObject, start: int, length: int) -> bytes:
        """So many bytes from there, fewer at the end; raises Replaced."""

    def result(self, name: str) -> Kept | None:
        """What was kept under the name."""

    def keep(self, name: str, content: bytes) -> None:
        """Keep it, whatever stands there."""

    def keep_next(self, name: str, content: bytes, before: Kept | None) -> Kept:
        """Keep it in the place of what was read there; raises LostRace where that has changed."""


class Links(Protocol):
    """Requests on the bucket, signed for whoever is told."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """Put an object of that size and SHA-256 (hex) where none is, within UPLOAD_LINK_PERIOD."""

    def download(self, name: str) -> str:
        """The address of an object, good for DOWNLOAD_LINK_PERIOD."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long a tombstone keeps the document, and how long it stays itself."""

    restore: timedelta = timedelta(days=30)
    tombstone: timedelta = timedelta(days=400)


@dataclass(frozen=True, slots=True)
class SourcePrincipals:
    """As whom the sources without a key act; None = that source is closed (design 5)."""

    bus: Principal | None = None
    queue: Principal | None = None
    direct: Principal | None = None
    imports: Principal | None = None


class Measure(Protocol):
    """Tells operators a number, as a metric."""

    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        """`unit` is one of CloudWatch's: Count, Seconds."""


InvokeLater = Callable[[str, JsonObject], None]
"""Start the function of that name or ARN with that event, and do not wait for it."""


class Report(Protocol):
    """Tells operators how a request ended."""

    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        """`code` is OK or that of the refusal; a fault is neither and brings its exception."""


@dataclass(frozen=True, slots=True)
class Services:
    """The world of a use case."""

    records: RecordStore
    keys: KeyStore
    blobs: BlobStore
    uploads: UploadStore
    imports: ImportStore
    now: Clock
    new_id: Callable[[], str]
    new_salt: Callable[[], str]
    back_off: Callable[[int], None]
    """Wait a random time before try number n + 1."""
    report: Report
    measure: Measure
    due: DueIndex
    ranks: RankIndex
    draw: Callable[[int], int]
    """A random number from 0 up to, and without, the one given."""
    elapsed_s: Callable[[], float]
    """Seconds since some moment, by a clock that is never set."""
    invoke_later: InvokeLater
    policy: PolicyDefaults = field(default_factory=PolicyDefaults)
    retention: Retention = field(default_factory=Retention)
    sources: SourcePrincipals = field(default_factory=SourcePrincipals)
