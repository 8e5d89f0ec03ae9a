"""Load topics with the rights of a principal, aliases followed; the salience of topics.

A reader learns of a topic only if the topic is visible to the reader. In audit trails and
revisions, a link to a hidden topic leaves no event for the reader. In any other event, the id of a
hidden topic is null, and details about the hidden topic are left out.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.reasoning.unmerging import Newest, missing_lines, required_reads
from membrane.domain.topics.revisions import LINKS_TOPIC, FieldType, Revision
from membrane.domain.topics.salience import Access, TopicSalience, salience_of
from membrane.domain.topics.topic import HIDDEN, Field, Topic, TopicStatus, key_of
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import histories_of

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


NOT_FOUND = "topic not found"

EVERYTHING = Trust(Sensitivity.HYPER, None)

LIVING = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)

MAX_ALIASES = 16
"""The longest chain of aliases that a load follows."""


def load_topic(
    topic_id: str, trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Topic:
    """The topic with the id; for an alias, the topic at the end of the chain.

    Raises NotFound for an absent topic, a topic outside the trust, or a deleted or erased topic
    without `deleted`.
    """
    found = load_topics([topic_id], trust, topics, deleted=deleted).get(topic_id)
    if found is None:
        raise NotFound(NOT_FOUND)
    return found


def load_topics(
    topic_ids: Iterable[str], trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Mapping[str, Topic]:
    """The topics that `load_topic` finds, by requested id; far fewer requests than ids."""
    asked = [each for each in dict.fromkeys(topic_ids) if RECORD_ID.fullmatch(each)]
    known: dict[str, Topic] = {}
    wanted = asked
    for _ in range(MAX_ALIASES):
        if not wanted:
            break
        known |= topics.load_all(wanted, trust)
        next_ids = {each.merged.into for each in known.values() if each.merged is not None}
        wanted = sorted(next_ids - known.keys())
    ends = {topic_id: _end(topic_id, known) for topic_id in asked}
    return {
        topic_id: topic
        for topic_id, topic in ends.items()
        if topic is not None
        and trust.allows(topic.scope, topic.sensitivity)
        and (deleted or topic.status not in HIDDEN)
    }


def _end(topic_id: str, known: Mapping[str, Topic]) -> Topic | None:
    """The topic at the end of a chain of aliases; None for a chain that leads nowhere."""
    topic = known.get(topic_id)
    for _ in range(MAX_ALIASES):
        if topic is None or topic.merged is None:
            return topic
        topic = known.get(topic.merged.into)
    return None


def alias_chain(topic_id: str, call: Call, topics: "DynamoTopics") -> Sequence[Topic]:
    """The topic and the keepers, each merged into the next; deleted and erased topics, too.

    Raises NotFound for an absent or hidden topic, PermissionDenied if the caller may not write
    one of the topics.
    """
    visible = load_topics([topic_id], call.principal.trust, topics, deleted=True)
    chain = [topics.load_all([topic_id])[topic_id]] if visible else []
    while chain and (link := chain[-1].merged) is not None and len(chain) <= MAX_ALIASES:
        chain.append(topics.load_all([link.into])[link.into])
    if not chain:
        raise NotFound(NOT_FOUND)
    for topic in chain:
        call.principal.require_write(topic.scope, topic.sensitivity)
    return chain


def newest_revisions(chain: Sequence[Topic], topics: "DynamoTopics") -> Newest:
    """The newest revision of every line; lines with known places share a request."""
    places, unknown = required_reads(chain)
    placed = {key_of(line): each for line, each in topics.find_revisions(places)}
    lines = [*unknown, *missing_lines(places, placed)]
    alone = [Field(type=FieldType.JSON, lines=(line,)) for line in lines]
    histories = histories_of(alone, topics, limit=1, archived=True)
    read = {key_of(line): past[0] for line, past in zip(lines, histories, strict=True) if past}
    return {**placed, **read}


@dataclass(slots=True)
class Saliences:
    """The salience of topics at an instant; the reads of a topic are looked up once."""

    world: World
    now_s: float
    _accesses: dict[str, Access] = field(default_factory=dict)

    def look_up(self, topics: Iterable[Topic]) -> None:
        """Look up the reads of several topics in a single request."""
        unknown = [each.id for each in topics if each.id not in self._accesses]
        if unknown:
            found = self.world.topics.accesses(unknown)
            self._accesses |= {each: found.get(each, NEVER_READ) for each in unknown}

    def access_of(self, topic: Topic) -> Access:
        """The reads of a topic; `look_up` comes first."""
        return self._accesses[topic.id]

    def of(self, topic: Topic) -> TopicSalience:
        """The salience of a topic; `look_up` comes first."""
        return salience_of(topic, self._accesses[topic.id], self.now_s)

    def most_salient_first(self, topics: Sequence[Topic]) -> list[Topic]:
        """The topics, the most salient first; ties by id."""
        self.look_up(topics)
        return sorted(topics, key=lambda topic: (-self.of(topic).total, topic.id))


def saliences_now(topics: Iterable[Topic], world: World) -> Saliences:
    saliences = Saliences(world, epoch_seconds(world.now()))
    saliences.look_up(topics)
    return saliences


def access_of(topic_id: str, world: World) -> Access:
    return world.topics.accesses([topic_id]).get(topic_id, NEVER_READ)


MOST_LOOKED_UP = 1_000
"""The most topics, and as many records, to look up for a request; the rest counts as hidden."""

AT_ONCE = 200
"""Events whose references are looked up together."""

BESIDE: Mapping[str, tuple[str, ...]] = {
    "to_topic_id": ("kind",),
    "ref_topic_id": (),
    "former_topic_id": (),
    "child_topic_id": ("relationship_kind",),
    "parent_topic_id": ("relationship_kind",),
    "topic_id": ("fields", "agreement", "similarity"),
}
"""By key of a detail that holds the id of a topic: the keys of details about the same topic."""

EDGES, REFS = "edges", "refs"
"""The keys of the links in one event. Every link is a detail of its own."""

EVIDENCE = "evidence"
"""The key of the record on which an event is based."""

LINKS = (EventKind.EDGE_ADDED, EventKind.EDGE_REMOVED, EventKind.REF)
"""Kinds of events that only report links to other topics."""


@dataclass(slots=True)
class ReferenceFilter:
    """For a reader, in a request; every id is looked up once. Deleted topics count as visible."""

    trust: Trust
    world: World
    _topics: dict[str, bool] = field(default_factory=dict)
    """By id, whether the topic is visible."""
    _records: dict[str, bool] = field(default_factory=dict)
    """By id, whether the record is visible."""

    def visible_events(self, events: Sequence[TopicEvent]) -> Iterator[TopicEvent]:
        """The visible events, in order, without hidden references.

        The references are looked up in batches, as the reader goes on.
        """
        for begin in range(0, len(events), AT_ONCE):
            some = events[begin : begin + AT_ONCE]
            seen = self._seen_topics(each for event in some for each in _named_in(event.detail))
            named = (each.detail.get(EVIDENCE) for each in some)
            records = self._seen_records(filter(None, named))
            yield from filter(None, (_seen_event(each, seen, records) for each in some))

    def visible_revisions(self, revisions: Sequence[Revision]) -> list[Revision]:
        """The revisions, in order, without hidden evidence and hidden references in reasons."""
        topics = self.visible_links(revisions)
        records = self._seen_records(each.evidence for each in revisions if each.evidence)
        return [
            seen_revision(each if each.evidence in records else replace(each, evidence=""), topics)
            for each in revisions
        ]

    def visible_links(self, revisions: Iterable[Revision]) -> frozenset[str]:
        """The visible topics that the reasons of revisions name."""
        return self._seen_topics(
            each.ref_topic_id
            for each in revisions
            if each.operation == LINKS_TOPIC and each.ref_topic_id is not None
        )

    def _seen_topics(self, topic_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            return load_topics(new, self.trust, self.world.topics, deleted=True).keys()

        return _visible_ids(topic_ids, self._topics, visible)

    def _seen_records(self, record_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            there = self.world.records.load_own(new)
            allows = self.trust.allows
            return [id_ for id_, each in there.items() if allows(each.scope, each.sensitivity)]

        return _visible_ids(record_ids, self._records, visible)


def seen_revision(revision: Revision, seen: Collection[str]) -> Revision:
    """The revision, without its reason if the reason names a topic not in `seen`."""
    if revision.operation != LINKS_TOPIC or revision.ref_topic_id in seen:
        return revision
    return replace(revision, why_changed=None)


def _visible_ids(
    ids: Iterable[str], known: dict[str, bool], visible: Callable[[Sequence[str]], Collection[str]]
) -> frozenset[str]:
    """All known ids that are visible, after a look-up of unknown ids up to the limit."""
    unknown = (each for each in dict.fromkeys(ids) if each not in known)
    new = list(islice(unknown, max(0, MOST_LOOKED_UP - len(known))))
    if new:
        there = visible(new)
        known |= {each: each in there for each in new}
    return frozenset(each for each, is_seen in known.items() if is_seen)


def _named_in(detail: JsonObject) -> Iterator[str]:
    yield from (detail[key] for key in BESIDE if isinstance(detail.get(key), str))
    for link in (*detail.get(EDGES, ()), *detail.get(REFS, ())):
        yield from _named_in(link)


def _seen_event(
    event: TopicEvent, seen: Collection[str], records: Collection[str]
) -> TopicEvent | None:
    """The event for a reader who sees the topics and records; None for an event left empty."""
    if event.kind in LINKS:
        links = _seen_links(event.detail, seen)
        return None if links is None else replace(event, detail=links)
    detail = _seen_detail(event.detail, seen)
    if detail.get(EVIDENCE) not in (None, *records):
        del detail[EVIDENCE]
    return replace(event, detail=detail)


def _seen_links(detail: JsonObject, seen: Collection[str]) -> JsonObject | None:
    """The links to visible topics, without their count; None without a visible link."""
    several = [key for key in (EDGES, REFS) if key in detail]
    if not several:
        return _seen_link(detail, seen)
    shown = {
        key: [link for each in detail[key] if (link := _seen_link(each, seen)) is not None]
        for key in several
    }
    return shown if any(shown.values()) else None


def _seen_link(link: JsonObject, seen: Collection[str]) -> JsonObject | None:
    """The link if its end is visible. The end of a cleared reference is the former end."""
    ends = (link.get(key) for key in ("to_topic_id", "ref_topic_id", "former_topic_id"))
    end = next(filter(None, ends), None)
    return _seen_detail(link, seen) if end is None or end in seen else None


def _seen_detail(detail: JsonObject, seen: Collection[str]) -> JsonObject:
    hidden = [key for key in BESIDE if isinstance(detail.get(key), str) and detail[key] not in seen]
    left_out = {each for key in hidden for each in BESIDE[key]}
    shown = {name: each for name, each in detail.items() if name not in left_out}
    if "former_topic_id" in hidden:
        return {name: each for name, each in shown.items() if name != "former_topic_id"}
    return shown | dict.fromkeys(hidden)
