"""The store of topics, and what is kept beside them."""

from collections.abc import Mapping, Sequence
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
from membrane.usecases.ports.catalogue import Kept
from membrane.usecases.ports.records import NO_VALUES, Head


class TopicIdTaken(Exception):
    """There is a topic of that id, whatever its status."""


class ReceiptTaken(Exception):
    """The idempotency key already did something; `find_receipt` tells what."""


@dataclass(frozen=True, slots=True)
class TopicReceipt:
    """What a request under an idempotency key answered; kept as long as a tombstone."""

    identity: bytes
    fingerprint: bytes
    topic_ids: tuple[str, ...]
    """The topics that the request was about; a repeat needs the rights to all of them."""
    reply: Body


MAX_REMOVED = 48
"""Revisions that leave the table in one change: they go with the topics' own transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicChange:
    """All that one request writes: all of it becomes visible at once, or none."""

    topics: Sequence[tuple[Topic | None, Topic]]
    """As it was read (None: it is to be created), and its next version; a few at most."""
    revisions: Sequence[tuple[Line, Revision]] = ()
    """New ones, each with the line that it is added to."""
    edges: Sequence[Edge] = ()
    """As they are to be from now on."""
    heads: Sequence[Head] = ()
    receipt: TopicReceipt | None = None
    values: Mapping[LargeValue, bytes] = field(default_factory=lambda: NO_VALUES)
    """Put into the bucket first."""
    removed: Sequence[tuple[Line, Revision]] = ()
    """Revisions that an `Archive` of the new heads has now; MAX_REMOVED at most."""
    departed: Sequence[Departure] = ()
    """Revisions that leave the table, or an archive, for good."""
    statements: Sequence[tuple[Statement | None, Statement | None]] = ()
    """What records state in topics: as it was read, and as it is to be (None: nothing)."""
    token: str = ""
    """Names this attempt, and is random; marks its parts where one transaction is too small."""


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """Where a topic stands in the list of its scope: by the salience that it was given."""

    topic_id: str
    rank: float


@dataclass(frozen=True, slots=True)
class Marks:
    """What has changed in a scope since it was last reasoned about."""

    scope: str
    topic_ids: tuple[str, ...]
    """Without order; at most MAX_MARKED, and then `is_all`."""
    is_all: bool
    version: int


MAX_MARKED = 200


class TopicStore(Protocol):
    """Topics. Any method may raise ResourceExhausted or Unavailable; reads are consistent.

    What belongs to a change of several transactions is read by nobody until all of it is there.
    """

    def load(self, topic_id: str) -> Topic | None:
        """The topic, of whatever status; an alias is not followed."""

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """Those that there are, of whatever status, by id; no alias is followed or left out.

        A topic that the trust does not allow is left out before its content is read: to a caller
        such a topic costs what an absent one costs.
        """

    def commit(self, change: TopicChange) -> None:
        """Write all of it, or nothing that anybody will ever see.

        One transaction where it fits in one; else its revisions and edges are put first, marked
        with the token, and the topics' conditional write, which is the last, makes them visible.
        Raises LostRace where a topic or a head is no longer as it was read, TopicIdTaken,
        ReceiptTaken.
        """

    def history(
        self,
        line: Line,
        *,
        limit: int | None = None,
        until: str | None = None,
        oldest_first: bool = False,
    ) -> Sequence[Revision]:
        """Revisions of a line that the table has, newest first by `Revision.place`, or oldest.

        Those with a `valid_from` of `until` at the latest; the first `limit` of them at most.
        """

    def found(self, places: Sequence[tuple[Line, Revision]]) -> Sequence[tuple[Line, Revision]]:
        """The revisions that the table has at these places, whole; far fewer requests than places.

        A place is a line, and a revision of which the value is not known.
        """

    def archived(self, line: Line, archive: Archive) -> Sequence[Revision]: ...

    def archive(self, line: Line, revisions: Sequence[Revision]) -> Archive:
        """Put revisions into the bucket; they leave the table by a change that names it."""

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """At most `limit` edges of each topic and direction, removed ones too; once each."""

    def find_edge(self, from_id: str, to_id: str, kind: str) -> Edge | None: ...

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """The whole audit trail, the oldest first."""

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """Put these in the place of events that have left the head, by position in the trail.

        An event differs from the one in its place in that its text is erased. May be repeated.
        """

    def statement(self, record_id: str) -> Statement | None:
        """What the record states in topics; None where it states nothing."""

    def blobs_left(self, topics: Sequence[Topic], departure: Departure) -> frozenset[str]:
        """The blobs that nobody needs once these topics have next versions without the revision."""

    def find_receipt(self, identity: bytes) -> TopicReceipt | None: ...

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """By id how topics were read; nothing of one that never was."""

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """Write the next version; raises LostRace where `before` is no longer the newest."""

    def listed(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first; none that is merged or deleted.

        By an index that may lag behind: what stands there has to be loaded and looked at.
        """

    def titled(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have, or had, that title in a scope and kind, the newest first.

        By an index that may lag behind; none that is merged or deleted.
        """

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics on which a step of the ladder is due, and since when; may lag behind."""

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Let a topic be due later, or never; nothing where it has another version by now."""

    def unsettled(self, by_s: float, limit: int) -> Sequence[str]:
        """Tokens of changes of several transactions that were begun before that instant."""

    def settle(self, token: str) -> None:
        """Take the marks off what was committed; remove what was abandoned.

        An abandoned change can be committed no more from then on. May be repeated.
        """

    def blob_names(self, topic_id: str) -> frozenset[str]: ...

    # --- what has changed ------------------------------------------------------------------------

    def mark(self, scope: str, topic_ids: Sequence[str]) -> bool:
        """Note that these topics of a scope have changed; whether nothing was noted before."""

    def marks(self, scope: str) -> Marks | None: ...

    def unmark(self, marks: Marks) -> bool:
        """Forget what was noted; False, and nothing is done, where more was noted since."""

    def scopes(self, after: str | None, limit: int, prefix: str = "") -> Sequence[str]:
        """Scopes that have, or had, topics, in an order of their own; a prefix needs no `after`."""

    # --- what is kept of a scope, or of all ------------------------------------------------------

    def kept(self, name: str, scope: str) -> Kept | None:
        """A document that is kept under a name for a scope: communities, how far a job is."""

    def keep(self, name: str, scope: str, document: JsonObject, before: Kept | None) -> Kept:
        """Keep it in the place of what was read; raises LostRace."""

    def log(self, scope: str, action: Body, at: str, action_id: str) -> None:
        """Add to the action log of a scope; the same id adds nothing again."""

    def logged(
        self, scope: str, limit: int, before: str | None = None
    ) -> Sequence[tuple[str, Body]]:
        """The newest actions of a scope, each with its place; those before a place."""
