"""The neighbours of topics by edges and references, aliases followed, within the trust."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.topics.graph.graph import (
    Direction,
    Link,
    LinkType,
    edge_links,
    own_ids,
    reference_links,
)
from membrane.domain.topics.topic import Edge, Topic, TopicStatus
from membrane.usecases.topics.loading import load_topics

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
    reader = _NeighbourhoodReader(trust, store, as_of, include_archived)
    first = reader.neighbourhood_of(topics, EDGES_READ)
    short = [
        topic
        for topic in topics
        if topic.id in first.crowded and len(first.neighbours[topic.id]) <= MAX_NEIGHBOURS
    ]
    if not short:
        return first
    more = reader.neighbourhood_of(short, MOST_EDGES_READ)
    neighbours = {**first.neighbours, **more.neighbours}
    return Neighbourhood(neighbours, {**first.refs, **more.refs}, more.crowded)


def refs_of(topics: Sequence[Topic], trust: Trust, store: "DynamoTopics") -> Mapping[str, str]:
    """The `refs` of a `Neighbourhood` alone."""
    there = load_topics(_referenced_ids(topics), trust, store)
    return {each: topic.id for each, topic in there.items()}


@dataclass(frozen=True, slots=True)
class _NeighbourhoodReader:
    trust: Trust
    store: "DynamoTopics"
    as_of: datetime | None
    include_archived: bool

    def neighbourhood_of(self, topics: Sequence[Topic], limit: int) -> Neighbourhood:
        """The neighbourhood by up to `limit` edges of a topic and direction."""
        edges = self.store.edges([each for topic in topics for each in own_ids(topic)], limit)
        at = self.as_of
        held = (each for each in edges if (each.held_at(at) if at else each.removed_at is None))
        standing = [replace(each, removed_at=None) for each in held]
        ends = self._ends(topics, standing)
        ids = {each: topic.id for each, topic in ends.items()}
        links = [*edge_links(standing, ids), *reference_links(topics, ids)]
        shown = {
            each.id: each
            for each in ends.values()
            if self.include_archived or each.status is not TopicStatus.ARCHIVED
        }
        neighbours = {topic.id: _neighbours(topic.id, links, shown) for topic in topics}
        return Neighbourhood(neighbours, ids, crowded_topics(topics, edges, limit))

    def _ends(self, topics: Sequence[Topic], edges: Sequence[Edge]) -> Mapping[str, Topic]:
        """By id in an edge or a reference, the topic that the id leads to."""
        own = {each: topic for topic in topics for each in own_ids(topic)}
        far = [end for edge in edges for end in (edge.from_id, edge.to_id)]
        asked = [each for each in (*far, *_referenced_ids(topics)) if each not in own]
        return {**load_topics(asked, self.trust, self.store), **own}


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
