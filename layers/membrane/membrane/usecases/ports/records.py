"""The store of records."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import (
    AnyRecord,
    AuditSummary,
    CreditSummary,
    RemovedRecord,
    StoredRecord,
)

if TYPE_CHECKING:
    from membrane.domain.records.uploads import Upload
    from membrane.usecases.ports.names import NameChange


class LostRace(Exception):
    """A concurrent write came first: read and decide again. Nothing was written."""


class IdTaken(Exception):
    """A record or a tombstone has the record id already."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


class KeyUsed(Exception):
    """The idempotency key has a receipt: an earlier call wrote `record_id` under the key."""

    def __init__(self, record_id: str, fingerprint: bytes) -> None:
        super().__init__(record_id)
        self.record_id = record_id
        self.fingerprint = fingerprint


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


class RecordStore(Protocol):
    """Records, edges and audit trails. Every write is atomic and conditional.

    Reads are strongly consistent unless the method says otherwise. Any method may raise
    ResourceExhausted or Unavailable.
    """

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """The record or the tombstone, with relations.

        The audit trail has at least the newest SHOWN_ENTRIES entries, the history the newest
        changes, so the cost does not grow with either. `whole` reads all of both.
        """

    def load_all(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """Like `load_each`, but read-only: no next version can be written from the results."""

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """The results of `load` by id, without absent ids; far fewer requests than ids."""

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        """Records by id, without history, older audit entries and absent ids.

        One request per 100 ids. Read-only: no next version can be written from the results.
        """

    def incoming(
        self, target_id: str, *, before: tuple[float, str] | None = None, growing: bool = False
    ) -> Iterator[Incoming]:
        """Edges that point at the record, newest source first, then by the id of the source.

        Read lazily in pages of 100, eventually consistent. With `growing`, each page has twice as
        many edges as the page before, at most 1,000. `before` names a source by creation and id:
        the edges of the source, and all edges that come first, are left out.
        """

    def audit_summaries(self, record_ids: Sequence[str]) -> Sequence[AuditSummary]:
        """The number of audit entries and the newest actions of each live record.

        One request per 100 ids; ids must be distinct. Eventually consistent.
        """

    def credit_summaries(self, record_ids: Sequence[str]) -> Sequence[CreditSummary]:
        """The credit of each live record that has any.

        One request per 100 ids; ids must be distinct. Eventually consistent.
        """

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        """Audit entries of a loaded record with positions, the oldest first.

        Positions run from `begin` up to, and without, `end`; missing entries are left out.
        """

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[Change] = (),
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: "Sequence[NameChange]" = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        uploads: "Sequence[Upload]" = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write a record under a free id, with edges to `targets` and with large values.

        The same transaction writes `also` (records under free ids; relations among new records have
        no target to check), `changed`, `heads`, `names` and `receipts`, by the id of the record
        written under the key, and claims the uploads for `new`. Raises IdTaken; KeyUsed; LostRace
        if a target, a head, names or a changed record are no longer as read; InvalidArgument for
        one decay class too many; the errors of `require_claimable`.
        """

    def create_all(
        self,
        new: Sequence[StoredRecord],
        turns: Turns,
        *,
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """Write records of one scope and lifecycle under free ids, as turns of a thread.

        All records or none. A failed write may leave a gap of turns, but never gives a turn twice.
        Raises IdTaken; LostRace if the turns are taken; TooLarge; InvalidArgument like `create`.
        """

    def replace(
        self,
        before: AnyRecord,
        after: AnyRecord,
        *,
        due_by_s: int | None = None,
    ) -> None:
        """Write the next version, with edges for new relations and without those of vanished ones.

        All edges of the record are written again with a new scope or sensitivity of the record. For
        a version without past, every earlier content is removed for good; `replace_all` cannot.
        Raises LostRace if `before` is no longer the newest version, or is not due by `due_by_s`.
        """

    def replace_all(
        self,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: "Sequence[NameChange]" = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        spending: Spending | None = None,
    ) -> None:
        """Write the next versions of several records, all or none.

        `targets` are the targets of new relations; `names` may change several levels of a place.
        Raises LostRace like `create` and `replace`, also if `spending` is not as read; and KeyUsed.
        """

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """Write the next version without a document, then remove everything except the audit.

        The tombstone stays due until the removal is complete, so the sweep repeats an interrupted
        call. Names that lead to an entity go with the document. Raises LostRace.
        """

    def discard(self, record_id: str) -> None:
        """Remove an expired tombstone with all items, names and blobs; none before the expiry."""

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """The receipt of a key as a KeyUsed; None if the key has no receipt."""

    def head(self, key: bytes) -> Head:
        """The head; with version 0 if not stored yet."""

    def heads_of(self, keys: Collection[bytes]) -> Mapping[bytes, Head]:
        """The results of `head` for distinct keys; one request per 100 keys."""

    def spent_of(self, receipt_id: str) -> float:
        """The credit spent of the receipt of a retrieval; kept as long as the receipt."""

    def next_turn(self, key: bytes) -> int:
        """The next turn of a thread; 1 for a thread without messages."""

    def blob_names(self, record_id: str) -> frozenset[str]:
        """The names of the blobs that items of the record refer to."""

    def is_erased(self, record_id: str) -> bool:
        """Whether the id has the tombstone of an erased record."""

    def value(self, large: LargeValue) -> bytes: ...

    def link(self, large: LargeValue) -> str:
        """A signed address of the value, valid for DOWNLOAD_LINK_PERIOD."""
