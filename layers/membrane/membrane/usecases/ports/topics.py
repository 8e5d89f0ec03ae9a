"""The store of topics, action logs, change marks and job documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.values import LargeValue
from membrane.domain.topics.erasing import Departure
from membrane.domain.topics.form import TopicReceipt
from membrane.domain.topics.topic import Edge, Line, Revision, Topic
from membrane.table.items import NotWritten
from membrane.usecases.ports.records import NO_VALUES, Head


class TopicIdTaken(NotWritten):
    """A topic of any status has the id already."""


class ReceiptTaken(NotWritten):
    """The idempotency key was used before; `find_receipt` returns the receipt."""


MAX_REMOVED = 48
"""The most revisions to delete in one change: deletions share the transaction of the topics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicChange:
    """Everything that one request writes; becomes visible at once or not at all."""

    topics: Sequence[tuple[Topic | None, Topic]]
    """Few topics: each as read (None = new) and the next version."""
    revisions: Sequence[tuple[Line, Revision]] = ()
    """New revisions with the lines that receive the revisions."""
    edges: Sequence[Edge] = ()
    """The new states of edges."""
    heads: Sequence[Head] = ()
    receipt: TopicReceipt | None = None
    values: Mapping[LargeValue, bytes] = field(default_factory=lambda: NO_VALUES)
    """Large values, written into the bucket before the transaction."""
    removed: Sequence[tuple[Line, Revision]] = ()
    """Revisions now held by an `Archive` of the new versions; MAX_REMOVED at most."""
    departed: Sequence[Departure] = ()
    """Revisions to delete from the table or an archive for good."""
    token: str = ""
    """The random name of the attempt; marks the parts of a change of several transactions."""


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """The position of a topic in the list of a scope, ordered by salience rank."""

    topic_id: str
    rank: float


@dataclass(frozen=True, slots=True)
class Marks:
    """The topics of a scope that changed since the last reasoning."""

    scope: str
    topic_ids: tuple[str, ...]
    """Unordered; at most MAX_MARKED."""
    is_all: bool
    """True after more than MAX_MARKED marks: consider every topic of the scope."""
    version: int


MAX_MARKED = 200
