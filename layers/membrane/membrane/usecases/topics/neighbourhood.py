"""What topics are linked with: neighbours by edges and references, and entities of the same name.

A reader sees of audit trails and revisions what names no hidden topic and no hidden record.

Aliases are followed, and only what the trust allows is shown.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, islice, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.entities.names import are_namesakes, places_of_topics
from membrane.domain.language.names import first_word_of, is_name, term_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.events import EVIDENCE, TopicEvent, named_in, seen_event
from membrane.domain.topics.titles import is_untitled, title_key
from membrane.domain.topics.topic import (
    LINKS_TOPIC,
    Direction,
    Edge,
    Link,
    LinkType,
    Revision,
    Topic,
    TopicStatus,
    edge_links,
    own_ends,
    own_ids,
    reference_links,
)
from membrane.usecases.known_entities import NamesInView, scopes_in_view
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.records import NamePlace
from membrane.usecases.ports.search import NamedTopic
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.topics.loading import MAX_TITLED, load_topics

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.reading import TopicNeighbour


MAX_NEIGHBOURS = 100
"""The neighbours of a topic that a query shows."""

EDGES_READ = 250
"""Edges of a topic and direction in the first read."""

MOST_EDGES_READ = 5_000
"""Edges in the second read: removed and hidden edges must not hide visible neighbours."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    neighbours: "Mapping[str, Sequence[TopicNeighbour]]" = field(default_factory=dict)
    """By topic id, each link once: edges by kind and title, then references."""
    refs: Mapping[str, str] = field(default_factory=dict)
    """By referenced id, the id of the topic at the end of the chain; without hidden topics."""
    crowded: frozenset[str] = frozenset()
    """Topics that may have more edges than were read."""


def neighbourhood(
    topics: Sequence[Topic],
    trust: Trust,
    store: "DynamoTopics",
    *,
    as_of: datetime | None,
    include_archived: bool,
) -> Neighbourhood:
    def around(several: Sequence[Topic], limit: int) -> Neighbourhood:
        """The neighbourhood by up to `limit` edges of a topic and direction."""
        own = own_ends(several)
        edges = store.edges([*own], limit)
        held = (
            each for each in edges if (each.held_at(as_of) if as_of else each.removed_at is None)
        )
        standing = [replace(each, removed_at=None) for each in held]
        far = chain.from_iterable((each.from_id, each.to_id) for each in standing)
        asked = [each for each in (*far, *_referenced_ids(several)) if each not in own]
        ends = load_topics(asked, trust, store)
        there = {topic.id: topic for topic in (*ends.values(), *several)}
        ids = {**{each: topic.id for each, topic in ends.items()}, **own}
        links = [*edge_links(standing, ids), *reference_links(several, ids)]
        shown = {
            each.id: each
            for each in there.values()
            if include_archived or each.status is not TopicStatus.ARCHIVED
        }
        neighbours = {topic.id: _neighbours(topic.id, links, shown) for topic in several}
        return Neighbourhood(neighbours, ids, crowded_topics(several, edges, limit))

    first = around(topics, EDGES_READ)
    short = [
        topic
        for topic in topics
        if topic.id in first.crowded and len(first.neighbours[topic.id]) <= MAX_NEIGHBOURS
    ]
    if not short:
        return first
    more = around(short, MOST_EDGES_READ)
    neighbours = {**first.neighbours, **more.neighbours}
    return Neighbourhood(neighbours, {**first.refs, **more.refs}, more.crowded)


def refs_of(topics: Sequence[Topic], trust: Trust, store: "DynamoTopics") -> Mapping[str, str]:
    """The `refs` of a `Neighbourhood` alone."""
    there = load_topics(_referenced_ids(topics), trust, store)
    return {each: topic.id for each, topic in there.items()}


def _referenced_ids(topics: Iterable[Topic]) -> Iterator[str]:
    """The ids in references of fields, detached fields too: a query may show them by name."""
    for topic in topics:
        for each in topic.living_fields.values():
            if each.ref_topic_id is not None:
                yield each.ref_topic_id


def crowded_topics(topics: Sequence[Topic], edges: Sequence[Edge], limit: int) -> frozenset[str]:
    """The ids of topics that may have more edges, where `limit` edges of a direction were read."""
    out, into = Counter(each.from_id for each in edges), Counter(each.to_id for each in edges)
    full = {topic_id for counts in (out, into) for topic_id in counts if counts[topic_id] >= limit}
    return frozenset(topic.id for topic in topics if full.intersection(own_ids(topic)))


def _neighbours(
    topic_id: str, links: Sequence[Link], shown: Mapping[str, Topic]
) -> "Sequence[TopicNeighbour]":
    """The far ends of the links; a reference shows only from the own topic."""
    found: list[tuple[bool, str, str, str, Direction]] = []
    for link in links:
        is_ref = link.type is LinkType.FIELD_REF
        if link.from_id == topic_id:
            far_id, direction = link.to_id, Direction.OUT
        elif link.to_id == topic_id and not is_ref:
            far_id, direction = link.from_id, Direction.IN
        else:
            continue
        if far_id in shown:
            found.append((is_ref, link.kind, shown[far_id].title, far_id, direction))
    return [
        {"id": far_id, "title": title, "kind": kind, "direction": direction}
        for _, kind, title, far_id, direction in sorted(found)
    ]


def entity_ids_of(
    topics: Iterable[Topic],
    trust: Trust,
    world: World,
    loaded: Mapping[str, AnyRecord] = MappingProxyType({}),
) -> Mapping[str, str]:
    """By id of a topic, the id of the visible entity to which the topic refers.

    Of several entities, the entity in the scope of the topic comes before an unscoped entity, and
    the less sensitive entity before the more sensitive. A request reads the names for 50 topics; a
    second request reads the entities, if any bears a title, and one more each step to a successor.
    `loaded` are records by id that no request need read. The names may lag behind.
    """
    named = [each for each in topics if not is_untitled(each.title) and is_name(each.title)]
    places = {
        NamePlace(scope, first_word_of(term_of(topic.title))): None
        for topic in named
        for scope in scopes_in_view(topic.scope)
    }
    stored = world.names.buckets([*places], consistent=False) if places else {}
    candidates = [
        NamesInView(each.scope, trust.ceiling, stored).candidates(term_of(each.title))
        for each in named
    ]
    ids = dict.fromkeys(chain.from_iterable(candidates))
    known = with_successors(ids, world.records.load_own, loaded) if ids else {}
    found = (
        (topic.id, _referred_entity(topic, several, known, trust))
        for topic, several in zip(named, candidates, strict=True)
    )
    return {topic_id: entity.id for topic_id, entity in found if entity is not None}


def _referred_entity(
    topic: Topic,
    entity_ids: Sequence[str],
    known: Mapping[str, AnyRecord],
    trust: Trust,
) -> StoredRecord | None:
    """The first visible entity to which the topic refers, or the successor of such an entity."""
    for held in (known[each] for each in entity_ids if each in known):
        entity = newest_known(held, known)
        if entity is not None and _refers_to(topic, entity, trust):
            return entity
    return None


def _refers_to(topic: Topic, entity: StoredRecord, trust: Trust) -> bool:
    payload = entity.record.payload
    return (
        isinstance(payload, EntityPayload)
        and entity.scope in scopes_in_view(topic.scope)
        and trust.allows(entity.scope, entity.sensitivity)
        and are_namesakes(topic.title, topic.kind, payload)
    )


MAX_TITLES = 40
"""The most titles to look up, each of a scope and kind: one Query a title."""

MAX_TOPICS = 50
"""The most topics of a reply."""


def topics_of_entities(
    entities: Sequence[StoredRecord], trust: Trust, world: World
) -> Sequence[NamedTopic]:
    """The topics visible to the trust that refer to the entities, the canonical names first.

    The titles of an entity are looked up in the scope of the entity. The titles of an unscoped
    entity are looked up among the unscoped topics and in the scopes that the trust lists. One
    request a title; with topics, one for the topics, and those of `entity_ids_of`. The index of
    titles may lag behind.
    """
    keys = list(islice(_title_keys(entities, trust), MAX_TITLES))
    titled = side_by_side(lambda key: world.topics.ids_by_title(key, MAX_TITLED), keys)
    ids = dict.fromkeys(chain.from_iterable(titled))
    if not ids:
        return []
    loaded = load_topics(ids, trust, world.topics)
    found = {loaded[each].id: loaded[each] for each in ids if each in loaded}
    known = {each.id: each for each in entities}
    entity_ids = entity_ids_of(found.values(), trust, world, known)
    return [
        NamedTopic(topic_id, found[topic_id].title, entity_id)
        for topic_id in found
        if (entity_id := entity_ids.get(topic_id)) in known
    ][:MAX_TOPICS]


def _title_keys(entities: Sequence[StoredRecord], trust: Trust) -> Iterator[bytes]:
    """The distinct keys of titles: the likeliest key of every entity before the next keys."""
    by_entity = [_title_keys_of(each, trust) for each in entities]
    turns = chain.from_iterable(zip_longest(*by_entity))
    return iter(dict.fromkeys(key for key in turns if key is not None))


def _title_keys_of(entity: StoredRecord, trust: Trust) -> Iterator[bytes]:
    payload = entity.record.payload
    if isinstance(payload, EntityPayload):
        listed = () if entity.scope else sorted(trust.scopes or ())
        for kind, title in places_of_topics(payload):
            if not is_untitled(title):
                for scope in dict.fromkeys((entity.scope, *listed)):
                    yield title_key(scope, kind, title)


# --- topics and records that events and revisions name --------------------------------------------

MOST_LOOKED_UP = 1_000
"""The most topics, and as many records, to look up for a request; the rest counts as hidden."""

AT_ONCE = 200
"""Events whose references are looked up together."""


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
        """The visible events without hidden references, looked up in batches on demand."""
        for begin in range(0, len(events), AT_ONCE):
            some = events[begin : begin + AT_ONCE]
            seen = self._seen_topics(each for event in some for each in named_in(event.detail))
            named = (each.detail.get(EVIDENCE) for each in some)
            records = self._seen_records(filter(None, named))
            yield from filter(None, (seen_event(each, seen, records) for each in some))

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
    unknown = (each for each in dict.fromkeys(ids) if each not in known)
    new = list(islice(unknown, max(0, MOST_LOOKED_UP - len(known))))
    if new:
        there = visible(new)
        known |= {each: each in there for each in new}
    return frozenset(each for each, is_seen in known.items() if is_seen)
