"""The store of records."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import AnyRecord, AuditSummary, RemovedRecord, StoredRecord

if TYPE_CHECKING:
    from membrane.domain.records.uploads import Upload


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


class Holder(NamedTuple):
    """A past or present holder of a head; its own item tells whether it counts.

    `start` and `end` are the window of a fact, as RFC 3339; None where it is open on that side.
    """

    record_id: str
    sensitivity: Sensitivity
    start: str | None = None
    end: str | None = None


class Head(NamedTuple):
    """Names the holders of something of which there must not be two at once (design 6).

    Read with `version`, and laid down with the holders that are to be, in the same transaction as
    the write that it goes with: that fails with LostRace where the head has changed since.
    """

    key: bytes
    version: int = 0
    """0 = there is none yet."""
    holders: tuple[Holder, ...] = ()
    known_to_s: float = 0.0
    """Of what was there before this instant (seconds since 1970), it names all that counts."""


class Turns(NamedTuple):
    """Turns that records take from a thread; after them, `following` is its next one."""

    key: bytes
    first: int
    """The thread's next turn as it was read."""
    following: int


Change = tuple[StoredRecord, StoredRecord]
"""A record as it was read, and its next version."""


class Receipt(NamedTuple):
    """Remembers under a keyed id that the key made a record of an id chosen by the client."""

    keyed_id: str
    fingerprint: bytes


NO_VALUES: Mapping[LargeValue, bytes] = MappingProxyType({})


class Claimed(NamedTuple):
    """The uploads that go into a record, and those of its values that the bucket will hold."""

    uploads: "tuple[Upload, ...]" = ()
    values: Mapping[LargeValue, bytes] = NO_VALUES


NOTHING_CLAIMED = Claimed()


class RecordStore(Protocol):
    """Records, their edges and audit trails. Every write is atomic and conditional.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """The record or its tombstone, consistently read, with its edges.

        Its trail has the newest entries, at least SHOWN_ENTRIES of them where there are so many,
        and its history the newest changes: the cost does not depend on how many there are.
        `whole` reads all of both.
        """

    def load_all(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """As `load_each`, for reading alone: no next version can be written of what this gives."""

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """By id, what `load` gives of each that is there; far fewer requests than ids."""

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        """By id, each record that is there without relations, history and older audit entries.

        One request for 100 ids. For reading alone: whether a fact counts and what it says.
        """

    def audited(self, record_ids: Sequence[str]) -> Sequence[AuditSummary]:
        """What the own items of these records tell of their audit; deleted ones are left out.

        One request for 100 ids; no id may come twice. May lag behind the records.
        """

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        """Audit entries of a record that `load` gave, each with its position; the oldest first.

        Those at the positions from `begin` up to, and without, `end`; a missing one is left out.
        """

    def create(
        self,
        new: StoredRecord,
        *,
        changed: Sequence[Change] = (),
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
        uploads: "Sequence[Upload]" = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write a record whose id is free, with its edges to `targets` and its large values.

        The uploads become claimed by it, and other records change, in the same write.
        Raises IdTaken, KeyUsed, or LostRace where a target, a head or a record that changes is no
        longer as it was read;
        InvalidArgument where the record would be of one decay class too many; what
        `require_claimable` raises.
        """

    def create_all(
        self,
        new: Sequence[StoredRecord],
        turns: Turns,
        *,
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write records of one scope and lifecycle whose ids are free, as turns of a thread.

        All or none; where none is written, the turns may be lost to the thread, but no other
        record gets them twice. Raises IdTaken, LostRace where the turns were taken meanwhile,
        TooLarge, and InvalidArgument as `create` does.
        """

    def replace(
        self,
        before: AnyRecord,
        after: AnyRecord,
        *,
        due_by_s: int | None = None,
    ) -> None:
        """Write the next version; relations that it has beside those of `before` become edges.

        Raises LostRace where `before` is no longer the newest, or is not due by the instant given.
        """

    def replace_all(
        self,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
    ) -> None:
        """Write the next versions of several records, all or none.

        `targets` are those of new relations. Raises LostRace as `create` and `replace` do, and
        KeyUsed.
        """

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """Write the next version, which has no document, and remove all else but the audit.

        The tombstone stays due until that is done, so that a killed call is repeated with the
        remains. Raises LostRace.
        """

    def discard(self, record_id: str) -> None:
        """Remove what is left of a tombstone whose time is over; nothing where it is not."""

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """What a key made, of an id that a client chose; consistently read."""

    def head(self, key: bytes) -> Head:
        """The head, consistently read; of version 0 where there is none."""

    def next_turn(self, key: bytes) -> int:
        """The next turn of a thread, consistently read; 1 where nothing was said yet."""

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The blobs that the record's items name, consistently read."""

    def value(self, large: LargeValue) -> bytes: ...

    def link(self, large: LargeValue) -> str:
        """Where whoever is told may read it for DOWNLOAD_LINK_PERIOD."""
