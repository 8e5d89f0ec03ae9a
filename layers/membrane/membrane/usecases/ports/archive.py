"""The walk over all items for an export, the export jobs, and the writes of a restore."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.values import LargeValue
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import Receipt


class RecordPlace(NamedTuple):
    """The place of a record or a tombstone."""

    record_id: str


class KeyedRecord(NamedTuple):
    """The receipt of an idempotency key, with the record written under the key."""

    receipt: Receipt
    record_id: str


class NextTurn(NamedTuple):
    """The next turn of the thread with the key."""

    key: bytes
    turn: int


class TopicPlace(NamedTuple):
    """The place of a topic of any status."""

    topic_id: str


class StatementPlace(NamedTuple):
    """The place of the statement of a record in topics."""

    record_id: str


class ReceiptPlace(NamedTuple):
    """The place of a receipt of topics, with the expiry in seconds since 1970."""

    identity: bytes
    expires_at_s: int


class LoggedAction(NamedTuple):
    """An action of the reasoning about topics, in the log of a scope."""

    scope: str
    at: str
    id: str
    action: JsonObject


class DocumentPlace(NamedTuple):
    """The name of a document about topics, and the scope."""

    name: str
    scope: str


class DamagedPlace(NamedTuple):
    """The key of an item that cannot be read."""

    key: str


ArchivedItem = (
    RecordPlace
    | KeyedRecord
    | NextTurn
    | TopicPlace
    | StatementPlace
    | ReceiptPlace
    | LoggedAction
    | DocumentPlace
    | DamagedPlace
)


class WalkedItem(NamedTuple):
    """An item of a walk, and the start of the walk over the items after the item."""

    item: ArchivedItem
    after: str


class ArchivePage(NamedTuple):
    """One page of a walk over all items."""

    items: Sequence[WalkedItem]
    next: str | None
    """The start of the next page; None after the last page."""


class ExportStore(Protocol):
    """Export jobs with the parts of their files. May raise ResourceExhausted or Unavailable."""

    def page(self, after: str | None) -> ArchivePage:
        """The page after `after`.

        A full walk visits every item that exists throughout the walk at least once.
        """

    def job(self, owner: str, export_id: str) -> Checkpoint | None:
        """The export of an owner, read consistently; None for an absent or expired export."""

    def jobs(self, owner: str) -> Sequence[JsonObject]:
        """Every export of an owner that has not expired."""

    def keep_job(
        self, owner: str, export: JsonObject, expires_at_s: int, before: Checkpoint | None
    ) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored export has changed since."""

    def keep_part(self, name: str, content: bytes) -> None: ...

    def link(self, name: str) -> str:
        """A signed address of a part, valid for DOWNLOAD_LINK_PERIOD."""


class DifferentItem(Exception):
    """The place of an item to restore holds something else. Nothing was written."""


class RestoreStore(Protocol):
    """Writes of a restore: each item into an empty place. May raise ResourceExhausted, Unavailable.

    A restored record enters the indexes, and the stream handler makes the vector.
    """

    def restore_record(
        self,
        held: AnyRecord,
        values: Mapping[LargeValue, bytes],
        names: Sequence[NameChange] = (),
    ) -> None:
        """Write a whole record as it was, and the names with the record's own item.

        Raises IdTaken, KeyUsed, LostRace, TooManyProfiles.
        """

    def restore_receipt(self, keyed: KeyedRecord) -> bool:
        """Write a receipt; False if the receipt is there already. Raises DifferentItem."""

    def restore_thread(self, thread: NextTurn) -> bool:
        """Write the next turn; False if the thread has that turn, or a later one, already."""
