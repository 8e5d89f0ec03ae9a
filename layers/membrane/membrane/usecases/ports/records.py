"""The store of records, and the names of entities."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.stored import StoredRecord

if TYPE_CHECKING:
    from membrane.domain.records.sizes import Upload


class Holder(NamedTuple):
    """A past or present holder of a head; the record item decides whether the holder counts.

    `start` and `end` are the window of a fact in RFC 3339; None for an open end.
    """

    record_id: str
    sensitivity: Sensitivity
    start: str | None = None
    end: str | None = None


class Head(NamedTuple):
    """The current holders of one key, e.g. the active facts of a subject and predicate.

    A writer puts the head with the new holders in the transaction of the change. The transaction
    fails with LostRace if `version` is no longer the stored version, so two writers that read the
    same head never both succeed.
    """

    key: bytes
    version: int = 0
    """0 = not stored yet."""
    holders: tuple[Holder, ...] = ()
    known_to_s: float = 0.0
    """The head names every active record written before this instant (seconds since 1970)."""


class Turns(NamedTuple):
    """The turns of a thread from `first` up to, and without, `following`, for new records."""

    key: bytes
    first: int
    """The next turn of the thread as read; the condition of the write."""
    following: int


class Incoming(NamedTuple):
    """An edge that points at a record, as stored with the target.

    The source decides: `scope` and `sensitivity` are those of the source when the edge was written.
    """

    source_id: str
    predicate: str
    weight: float
    created_at: str
    born_s: float
    """The creation of the source, in seconds since 1970."""
    scope: str
    sensitivity: Sensitivity
    source_type: MemoryType | None
    """None in edges of earlier releases."""


Change = tuple[StoredRecord, StoredRecord]
"""A record as read, and the next version."""


class Receipt(NamedTuple):
    """Proof of a use of an idempotency key where the id of the record is not made from the key.

    Needed for an id that a client chose, and for a known fact that was reinforced.
    """

    keyed_id: str
    fingerprint: bytes


class Spending(NamedTuple):
    """Credit spent of the receipt of a retrieval, before and after a transaction."""

    receipt_id: str
    before: float
    after: float


NO_VALUES: Mapping[LargeValue, bytes] = MappingProxyType({})
NO_RECEIPTS: Mapping[str, Receipt] = MappingProxyType({})


class Claimed(NamedTuple):
    """The uploads that a record claims, and the texts of the values to write into the bucket."""

    uploads: "tuple[Upload, ...]" = ()
    values: Mapping[LargeValue, bytes] = NO_VALUES


NOTHING_CLAIMED = Claimed()


@dataclass(frozen=True, slots=True)
class TicketQueue:
    """The state of a queue; tickets are numbered from 1."""

    given: int = 0
    """The newest ticket handed out."""
    served: int = 0
    """The newest ticket whose writer is done; the writer with the next ticket may try."""


NO_NAMES: Mapping[str, str] = MappingProxyType({})

MAX_NAMES = 500
"""Names of one bucket."""

MAX_BUCKET_BYTES = 64_000
"""Bytes of one bucket: an item of 400 KB holds the buckets of all levels of a scope and word.

A transaction holds a bucket twice, as read and as it will be, and up to 16 buckets.
"""

NO_ROOM = "NamesWithoutRoom"
"""The metric of names that lead to no entity because the bucket is full."""


class NamePlace(NamedTuple):
    """Where names of one first word are stored."""

    scope: str
    """Empty = unscoped."""
    word: str
    """The first word of the terms; see `names.first_word_of`."""


class NameBucket(NamedTuple):
    """The entities of one scope and sensitivity, by terms of one first word, as read.

    A name may outlive the entity, or come to belong to a successor: the record decides.
    """

    place: NamePlace
    sensitivity: Sensitivity
    entity_ids: Mapping[str, str] = NO_NAMES
    """Entity ids by term (see `names.term_of`); empty = not stored."""


class NameChange(NamedTuple):
    """The next names of a bucket, for the transaction that creates or removes an entity.

    The transaction fails with LostRace if the bucket is no longer as read, so two writers of a
    name never both create an entity.
    """

    before: NameBucket
    entity_ids: Mapping[str, str]
    """The names after the change; empty removes the bucket."""
    is_last: bool = False
    """Whether the place had no bucket of another level, as read; matters for a removal."""

    @property
    def fits(self) -> bool:
        """Whether the names after the change are neither too many nor too long."""
        size = len(compact_json(dict(self.entity_ids)).encode())
        return len(self.entity_ids) <= MAX_NAMES and size <= MAX_BUCKET_BYTES


Buckets = Mapping[Sensitivity, NameBucket]
"""The stored buckets of a place, by level; a level without names is absent."""
