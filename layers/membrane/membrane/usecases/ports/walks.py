"""The pages of the walks over all items: of exports and anchors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from membrane.domain.archive.lines import LineKind
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.model import Document, Ending
from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord

NO_LINE: JsonObject = {}


class ArchivedItem(NamedTuple):
    """An item that the walk of an export has met, and what the item's lines are made of."""

    kind: LineKind
    """Of the line; RECORD also for a tombstone, DAMAGED for an item that cannot be read."""
    after: str
    """The start of the walk over the items after the item."""
    id: str = ""
    """The id of the record or topic to load: of a receipt, the record's; of a receipt of
    topics the identity."""
    scope: str = ""
    """The scope of an action."""
    line: JsonObject = NO_LINE
    """The line, unless more has to be loaded for it."""


class DifferentItem(Exception):
    """The place of an item to restore holds something else. Nothing was written."""


@dataclass(frozen=True, slots=True)
class LeafPage:
    """One page of the walk."""

    leaves: Sequence[Leaf]
    """The leaves of topics and documents, and of records that are a single item."""
    record_ids: Sequence[str]
    """Records with items beside the own item, to load."""
    damaged: Sequence[str]
    """The keys of damaged items, which get no leaf."""
    next: str | None
    """The start of the next page; None after the last page."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of the walk of a verification."""

    record_ids: list[str]
    topic_ids: list[str]
    of_documents: list[tuple[str, Document | Chunk | Ending]]
    """The id of the document's place, and the part. A chunk lacks the place itself."""
    unreadable: list[tuple[str, str]]
    """The keys of damaged items of documents, and of items in the form of a record or topic outside
    the partition of one; each with the reason."""
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
