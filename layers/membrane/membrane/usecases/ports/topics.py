"""The store of topics, action logs, change marks and job documents."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Archive, Edge, Line, Topic
from membrane.domain.topics.withdrawing import Departure
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import NO_VALUES, Head


class TopicIdTaken(Exception):
    """A topic of any status has the id already."""


class ReceiptTaken(Exception):
    """The idempotency key was used before; `find_receipt` returns the receipt."""


@dataclass(frozen=True, slots=True)
class TopicReceipt:
    """The reply to a request under an idempotency key; stored as long as a tombstone."""

    identity: bytes
    fingerprint: bytes
    topic_ids: tuple[str, ...]
    """The topics of the request; a repeat needs the rights to all."""
    reply: Body


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
    statements: Sequence[tuple[Statement | None, Statement | None]] = ()
    """Statements of records: as read, and the new state (None = none)."""
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


class TopicStore(Protocol):
    """Topics. Any method may raise ResourceExhausted or Unavailable.

    Reads are strongly consistent unless the method says otherwise. No read returns a part of a
    change of several transactions before the change is complete.
    """

    def load(self, topic_id: str) -> Topic | None:
        """The topic of any status; aliases are not followed."""

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """Existing topics of any status by id; an alias is returned as an alias.

        Topics outside `trust` are left out before the content is read, so the cost never tells a
        caller a hidden topic from an absent one.
        """

    def commit(self, change: TopicChange) -> None:
        """Write the whole change, or nothing visible.

        A change too large for one transaction first puts revisions and edges marked with the
        token; the final conditional write of the topics makes the marked items visible. Raises
        LostRace if a topic or a head is no longer as read; TopicIdTaken; ReceiptTaken.
        """

    def history(
        self,
        line: Line,
        *,
        limit: int | None = None,
        until: str | None = None,
        oldest_first: bool = False,
    ) -> Sequence[Revision]:
        """At most `limit` revisions of a line in the table, ordered by `Revision.place`.

        The newest first unless `oldest_first`; with a `valid_from` of `until` at the latest.
        """

    def find_revisions(
        self, places: Sequence[tuple[Line, Revision]]
    ) -> Sequence[tuple[Line, Revision]]:
        """The whole revisions at the places, as far as stored in the table, in few requests.

        A place is a line and a revision without the value.
        """

    def load_archive(self, line: Line, archive: Archive) -> Sequence[Revision]: ...

    def archive(self, line: Line, revisions: Sequence[Revision]) -> Archive:
        """Copy revisions into the bucket; a change that names the archive deletes the originals."""

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """At most `limit` edges per topic and direction, distinct, removed edges included."""

    def find_edge(self, from_id: str, to_id: str, kind: str) -> Edge | None: ...

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """The whole audit trail, the oldest event first."""

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """Replace events outside the topic item, by position in the trail; idempotent.

        A new event equals the replaced event, apart from the erased text.
        """

    def statement(self, record_id: str) -> Statement | None:
        """The statement of a record in topics; None if the record states nothing."""

    def load_statements(self, record_ids: Sequence[str]) -> Mapping[str, Statement]:
        """The statements by record id, without absent ones; one request per 100 ids."""

    def blobs_left(self, topics: Sequence[Topic], departure: Departure) -> frozenset[str]:
        """The blobs that become unused once the next versions of the topics lack the revision."""

    def find_receipt(self, identity: bytes) -> TopicReceipt | None: ...

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """The salience that reading added, by topic id; topics never read are left out."""

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """Replace `before`; raises LostRace if `before` is no longer the newest version."""

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first, without merged and deleted topics.

        Eventually consistent: load a listed topic before use.
        """

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have or had the title in a scope and kind, the newest first.

        Without merged and deleted topics. Eventually consistent.
        """

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics due for a step of the ladder, with due instants; eventually consistent."""

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Move the due instant, or remove it; do nothing if the topic has a different version."""

    def unsettled_tokens(self, by_s: float, limit: int) -> Sequence[str]:
        """Tokens of unfinished changes of several transactions, begun before `by_s`."""

    def settle(self, token: str) -> None:
        """Unmark the items of a committed change, or remove the items of an abandoned change.

        An abandoned change can no longer be committed afterwards. Idempotent.
        """

    def blob_names(self, topic_id: str) -> frozenset[str]: ...

    # --- erasure: each method may be repeated ----------------------------------------------------

    def written_lines(self, topic_id: str) -> Mapping[str, frozenset[str]]:
        """By id of a line in the partition of the topic, the evidence of the line's revisions.

        Archived revisions count, and revisions of unfinished changes.
        """

    def forget_lines(self, topic_id: str, line_ids: Collection[str]) -> None:
        """Remove all revisions of lines in the partition of the topic, with archives and values.

        A blob that the rest of the partition names stays.
        """

    def forget_edges(self, topic_id: str) -> None:
        """Remove the edges of the topic, and the inverses in the partitions of other topics."""

    def forget_actions(self, scope: str, topic_ids: Collection[str]) -> None:
        """Remove the actions with the title of one of the topics from the log of the scope.

        A repeat of `log` with the same `action_id` appends nothing.
        """

    # --- change marks ----------------------------------------------------------------------------

    def mark(self, scope: str, topic_ids: Sequence[str]) -> bool:
        """Mark topics of a scope as changed; True if the scope had no mark before."""

    def marks(self, scope: str) -> Marks | None: ...

    def unmark(self, marks: Marks) -> bool:
        """Remove the marks; False without a change if the scope has newer marks."""

    def scopes(self, after: str | None, limit: int, prefix: str = "") -> Sequence[str]:
        """Scopes that have or had topics, in a fixed order; pass either `after` or `prefix`."""

    # --- documents and action log of a scope, or of all scopes -----------------------------------

    def find_document(self, name: str, scope: str) -> Checkpoint | None:
        """The document stored under a name for a scope: communities, or the progress of a job."""

    def keep_document(
        self, name: str, scope: str, document: JsonObject, before: Checkpoint | None
    ) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored document has changed since."""

    def log(self, scope: str, action: Body, at: str, action_id: str) -> None:
        """Append to the action log of a scope, once per `action_id`."""

    def logged_actions(
        self, scope: str, limit: int, before: str | None = None
    ) -> Sequence[tuple[str, Body]]:
        """The newest actions of a scope with places in the log; with `before` the older actions."""
