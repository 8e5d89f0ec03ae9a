"""The pages of the walks over all items: for exports and for anchors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
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


class DifferentItem(Exception):
    """The place of an item to restore holds something else. Nothing was written."""


@dataclass(frozen=True, slots=True)
class LeafPage:
    """One page of the walk."""

    leaves: Sequence[Leaf]
    """The leaves of topics, and of records that are a single item."""
    record_ids: Sequence[str]
    """Records with items beside the own item, to load."""
    damaged: Sequence[str]
    """The keys of damaged items, which get no leaf."""
    next: str | None
    """The start of the next page; None after the last page."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of the walk of a verification."""

    record_ids: Sequence[str]
    topic_ids: Sequence[str]
    strays: Sequence[str]
    """The keys of items in the form of a record or topic, outside the partition of one."""
    next: str | None
    """The start of the next page; None after the last page."""


class StoredAnchor(NamedTuple):
    """The place of an anchor in the table."""

    instant: str
    signed: SignedAnchor | None
    """None for an item that is no anchor of this instant."""


class WrongInverse(NamedTuple):
    """A relation whose inverse, the edge in the partition of the target, is not as it should be."""

    source: StoredRecord
    relation: Relation
    is_absent: bool
    """False for an inverse with a different scope or sensitivity than the source."""
