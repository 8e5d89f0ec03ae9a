"""The store of topics over plain dicts."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from threading import RLock

from membrane.adapters.dynamodb.table.keys import blob_name
from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.language.timestamps import epoch_seconds, is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.records.vector_rules import index_version
from membrane.domain.salience.function import rank_of
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import MAX_RESIDENT_EVENTS, TopicEvent
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.searched import loses_vector
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import HIDDEN, Archive, Edge, Line, Topic, TopicStatus
from membrane.domain.topics.withdrawing import Departure
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import (
    MAX_MARKED,
    Marks,
    ReceiptTaken,
    TopicChange,
    TopicIdTaken,
    TopicPlace,
    TopicReceipt,
)
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.stand_in import StandIn

GONE = (TopicStatus.MERGED, *HIDDEN)
"""What is in no list and under no title."""


LineKey = tuple[str, str]


EdgeKey = tuple[str, str, str]


@dataclass(slots=True)
class FakeTopics(StandIn):
    """A fake of DynamoTopics, for several threads; titles' heads and large values are the records'.

    Every change is one transaction here, so that nothing is ever marked or unsettled.
    """

    records: FakeRecords = field(default_factory=lambda: FakeRecords(FakeClock()))
    retention: Retention = field(default_factory=Retention)
    topics: dict[str, Topic] = field(default_factory=dict)
    revisions: dict[LineKey, list[Revision]] = field(default_factory=dict)
    """By topic and line those that the table has."""
    archives: dict[tuple[str, str], list[Revision]] = field(default_factory=dict)
    """By topic and name."""
    lines_of_archives: dict[tuple[str, str], LineKey] = field(default_factory=dict)
    links: dict[EdgeKey, Edge] = field(default_factory=dict)
    trails: dict[str, tuple[TopicEvent, ...]] = field(default_factory=dict)
    receipts: dict[bytes, tuple[TopicReceipt, float]] = field(default_factory=dict)
    """By identity, each with when it is over."""
    reads: dict[str, Access] = field(default_factory=dict)
    later: dict[str, float | None] = field(default_factory=dict)
    """By topic when it is due otherwise than it says."""
    noted: dict[str, Marks] = field(default_factory=dict)
    documents: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)
    actions: dict[str, dict[str, Body]] = field(default_factory=dict)
    """By scope and place."""
    logged: set[tuple[str, str]] = field(default_factory=set)
    """Scope and id of every action that was ever logged."""
    statements: dict[str, Statement] = field(default_factory=dict)
    """By record what it states in topics."""
    ended: dict[str, int] = field(default_factory=dict)
    """By topic the `index_version` of the write that ended its vector."""
    lock: RLock = field(default_factory=RLock)

    def load(self, topic_id: str) -> Topic | None:
        """See DynamoTopics."""
        return self.topics.get(topic_id)

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """See DynamoTopics."""
        there = {each: self.topics[each] for each in topic_ids if each in self.topics}
        return {
            each: topic
            for each, topic in there.items()
            if trust is None
            or topic.status is TopicStatus.MERGED
            or trust.allows(topic.scope, topic.sensitivity)
        }

    def commit(self, change: TopicChange) -> None:
        """See DynamoTopics."""
        with self.lock:
            self._require_conditions(change)
            self.records.values |= change.values
            for head in change.heads:
                self.records.heads[head.key] = head._replace(version=head.version + 1)
            for line, revision in change.revisions:
                self.revisions.setdefault((line.topic_id, line.id), []).append(revision)
            for line, revision in change.removed:
                self.revisions[line.topic_id, line.id].remove(revision)
            for departure in change.departed:
                self._depart(departure)
            for stated, stating in change.statements:
                self._state(stated, stating)
            self.links |= {_key(each): each for each in change.edges}
            for before, after in change.topics:
                self._put(after)
                if before is not None and loses_vector(before, after):
                    self.ended[after.id] = index_version(after.base.born_s, after.version)
            if change.receipt is not None:
                end_s = epoch_seconds(self.records.now() + self.retention.tombstone)
                self.receipts[change.receipt.identity] = (change.receipt, end_s)

    def history(
        self,
        line: Line,
        *,
        limit: int | None = None,
        until: str | None = None,
        oldest_first: bool = False,
    ) -> Sequence[Revision]:
        """See DynamoTopics."""
        told = [
            each
            for each in self.revisions.get((line.topic_id, line.id), ())
            if until is None or not is_before(until, each.valid_from)
        ]
        newest_first = _newest_first(told)
        return (newest_first[::-1] if oldest_first else newest_first)[:limit]

    def find_revisions(
        self, places: Sequence[tuple[Line, Revision]]
    ) -> Sequence[tuple[Line, Revision]]:
        """See DynamoTopics."""
        return [
            (line, each)
            for line, place in places
            for each in self.revisions.get((line.topic_id, line.id), ())
            if each.id == place.id
        ]

    def load_archive(self, line: Line, archive: Archive) -> Sequence[Revision]:
        """See DynamoTopics."""
        return _newest_first(self.archives[line.topic_id, archive.sha256])

    def archive(self, line: Line, revisions: Sequence[Revision]) -> Archive:
        """See DynamoTopics."""
        newest_first = _newest_first(revisions)
        name = f"{len(self.archives):064x}"
        self.archives[line.topic_id, name] = newest_first
        self.lines_of_archives[line.topic_id, name] = (line.topic_id, line.id)
        oldest, newest = newest_first[-1].valid_from, newest_first[0].valid_from
        return Archive(name, len(newest_first), oldest, newest)

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """See DynamoTopics."""
        found: dict[EdgeKey, Edge] = {}
        for topic_id in topic_ids:
            for end in (0, 1):
                ours = [key for key in sorted(self.links) if key[end] == topic_id]
                found |= {key: self.links[key] for key in ours[:limit]}
        return list(found.values())

    def find_edge(self, from_id: str, to_id: str, kind: str) -> Edge | None:
        """See DynamoTopics."""
        return self.links.get((from_id, to_id, kind))

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """See DynamoTopics."""
        return self.trails.get(topic.id, ())[: topic.events]

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """See DynamoTopics."""
        trail = enumerate(self.trails[topic_id])
        self.trails[topic_id] = tuple(events.get(position, each) for position, each in trail)

    def statement(self, record_id: str) -> Statement | None:
        """See DynamoTopics."""
        return self.statements.get(record_id)

    def load_statements(self, record_ids: Sequence[str]) -> Mapping[str, Statement]:
        """See DynamoTopics."""
        return {each: self.statements[each] for each in record_ids if each in self.statements}

    def blobs_left(self, topics: Sequence[Topic], departure: Departure) -> frozenset[str]:  # noqa: ARG002  # heads are no blobs here
        """See DynamoTopics."""
        value = departure.revision.value
        if not isinstance(value, LargeValue):
            return frozenset()
        return frozenset((blob_name(value.record_id, value.sha256),))

    def find_receipt(self, identity: bytes) -> TopicReceipt | None:
        """See DynamoTopics."""
        receipt, end_s = self.receipts.get(identity, (None, 0.0))
        return receipt if end_s > epoch_seconds(self.records.now()) else None

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """See DynamoTopics."""
        return {each: self.reads[each] for each in topic_ids if each in self.reads}

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """See DynamoTopics."""
        with self.lock:
            if self.reads.get(topic_id, Access()).version != before.version:
                raise LostRace
            self.reads[topic_id] = replace(after, version=before.version + 1)

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """See DynamoTopics."""
        places = [
            TopicPlace(each.id, rank_of(each.base, each.lifecycle))
            for each in self.topics.values()
            if each.scope == scope and each.status not in GONE
        ]
        places.sort(key=_place, reverse=True)
        return [each for each in places if after is None or _place(each) < _place(after)][:limit]

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """See DynamoTopics."""
        found = [
            each
            for each in self.topics.values()
            if each.status not in GONE and _title_key(each) == title_key
        ]
        found.sort(key=lambda each: (each.base.born_s, each.id), reverse=True)
        return [each.id for each in found[:limit]]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """See DynamoTopics."""
        found = sorted(
            (due_s, each) for each in self.topics if (due_s := self._due(each)) is not None
        )
        return [(topic_id, due_s) for due_s, topic_id in found if due_s <= by_s][:limit]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """See DynamoTopics."""
        topic = self.topics.get(topic_id)
        if topic is not None and topic.version == version:
            self.later[topic_id] = until_s

    def unsettled_tokens(self, by_s: float, limit: int) -> Sequence[str]:  # noqa: ARG002  # nothing ever is
        """See DynamoTopics."""
        return []

    def settle(self, token: str) -> None:
        """See DynamoTopics."""

    def blob_names(self, topic_id: str) -> frozenset[str]:
        """See DynamoTopics."""
        told = [
            each for line, told in self.revisions.items() if line[0] == topic_id for each in told
        ]
        told += [each for at, old in self.archives.items() if at[0] == topic_id for each in old]
        values = [each.value for each in told if isinstance(each.value, LargeValue)]
        return frozenset(blob_name(each.record_id, each.sha256) for each in values)

    def written_lines(self, topic_id: str) -> Mapping[str, frozenset[str]]:
        """See DynamoTopics."""
        return {
            line[1]: frozenset(each.evidence for each in self._written(line) if each.evidence)
            for line in {*self.revisions, *self.lines_of_archives.values()}
            if line[0] == topic_id and self._written(line)
        }

    def forget_lines(self, topic_id: str, line_ids: Collection[str]) -> None:
        """See DynamoTopics."""
        for line_id in line_ids:
            line = (topic_id, line_id)
            for each in self._written(line):
                if isinstance(each.value, LargeValue):
                    self.records.values.pop(each.value, None)
            self.revisions.pop(line, None)
            for at in [at for at, of in self.lines_of_archives.items() if of == line]:
                self.archives.pop(at, None)

    def forget_edges(self, topic_id: str) -> None:
        """See DynamoTopics."""
        self.links = {key: each for key, each in self.links.items() if topic_id not in key[:2]}

    def forget_actions(self, scope: str, topic_ids: Collection[str]) -> None:
        """See DynamoTopics."""
        logged = self.actions.get(scope, {})
        for place in [place for place, each in logged.items() if each["topics"][0] in topic_ids]:
            del logged[place]

    def _written(self, line: LineKey) -> list[Revision]:
        of_archives = (at for at, of in self.lines_of_archives.items() if of == line)
        archived = [each for at in of_archives for each in self.archives.get(at, ())]
        return [*self.revisions.get(line, ()), *archived]

    def mark(self, scope: str, topic_ids: Sequence[str]) -> bool:
        """See DynamoTopics."""
        with self.lock:
            before = self.noted.get(scope, Marks(scope, (), is_all=False, version=0))
            together = tuple(dict.fromkeys((*before.topic_ids, *topic_ids)))
            is_all = before.is_all or len(together) > MAX_MARKED
            self.noted[scope] = Marks(scope, together[:MAX_MARKED], is_all, before.version + 1)
            return not before.topic_ids and not before.is_all

    def marks(self, scope: str) -> Marks | None:
        """See DynamoTopics."""
        noted = self.noted.get(scope)
        return noted if noted is not None and (noted.topic_ids or noted.is_all) else None

    def unmark(self, marks: Marks) -> bool:
        """See DynamoTopics."""
        with self.lock:
            noted = self.noted.get(marks.scope)
            if noted is None or noted.version != marks.version:
                return False
            self.noted[marks.scope] = Marks(
                marks.scope, (), is_all=False, version=marks.version + 1
            )
            return True

    def scopes(self, after: str | None, limit: int, prefix: str = "") -> Sequence[str]:
        """See DynamoTopics."""
        every = {each.scope for each in self.topics.values()}
        scopes = sorted(scope for scope in every if scope.startswith(prefix))
        return [each for each in scopes if after is None or each > after][:limit]

    def find_document(self, name: str, scope: str) -> Checkpoint | None:
        """See DynamoTopics."""
        return self.documents.get((name, scope))

    def keep_document(
        self, name: str, scope: str, document: JsonObject, before: Checkpoint | None
    ) -> Checkpoint:
        """See DynamoTopics."""
        with self.lock:
            if self.documents.get((name, scope)) != before:
                raise LostRace
            revision = 1 if before is None else before.revision + 1
            self.documents[name, scope] = Checkpoint(json.loads(json.dumps(document)), revision)
            return self.documents[name, scope]

    def log(self, scope: str, action: Body, at: str, action_id: str) -> None:
        """See DynamoTopics."""
        logged = self.actions.setdefault(scope, {})
        if (scope, action_id) not in self.logged:
            self.logged.add((scope, action_id))
            logged[f"{at.removesuffix('Z')}#{action_id}"] = action

    def logged_actions(
        self, scope: str, limit: int, before: str | None = None
    ) -> Sequence[tuple[str, Body]]:
        """See DynamoTopics."""
        newest_first = sorted(self.actions.get(scope, {}).items(), reverse=True)
        return [each for each in newest_first if before is None or each[0] < before][:limit]

    def _require_conditions(self, change: TopicChange) -> None:
        if change.receipt is not None and self.find_receipt(change.receipt.identity) is not None:
            raise ReceiptTaken
        for before, after in change.topics:
            newest = self.topics.get(after.id)
            if before is None and newest is not None:
                raise TopicIdTaken
            if before is not None and (newest is None or newest.version != before.version):
                raise LostRace
        for stated, _ in change.statements:
            self._require_as_read(change, stated)
        if any(self.records.head(head.key).version != head.version for head in change.heads):
            raise LostRace

    def _require_as_read(self, change: TopicChange, stated: Statement | None) -> None:
        ids = [each.record_id for pair in change.statements for each in pair if each is not None]
        if any(self.statements.get(each) != stated for each in ids):
            raise LostRace

    def _depart(self, departure: Departure) -> None:
        line, archive = departure.line, departure.archive
        if archive is None:
            self.revisions[line.topic_id, line.id].remove(departure.revision)
        else:
            del self.archives[line.topic_id, archive.sha256]

    def _state(self, before: Statement | None, after: Statement | None) -> None:
        if after is not None:
            version = 0 if before is None else before.version
            self.statements[after.record_id] = replace(after, version=version + 1)
        elif before is not None:
            del self.statements[before.record_id]

    def _put(self, topic: Topic) -> None:
        known = self.trails.get(topic.id, ())
        self.trails[topic.id] = (*known[: topic.events - len(topic.trail)], *topic.trail)
        self.topics[topic.id] = replace(topic, trail=topic.trail[-MAX_RESIDENT_EVENTS:])
        self.later.pop(topic.id, None)

    def _due(self, topic_id: str) -> float | None:
        due_s = self.later.get(topic_id, self.topics[topic_id].due_s)
        return None if due_s is None or not isfinite(due_s) else float(ceil(due_s))


def _key(edge: Edge) -> EdgeKey:
    return edge.from_id, edge.to_id, edge.kind


def _newest_first(revisions: Sequence[Revision]) -> list[Revision]:
    return sorted(revisions, key=lambda each: each.place, reverse=True)


def _place(place: TopicPlace) -> tuple[float, str]:
    return place.rank, place.topic_id


def _title_key(topic: Topic) -> bytes:
    return title_key(topic.scope, topic.kind, topic.title)
