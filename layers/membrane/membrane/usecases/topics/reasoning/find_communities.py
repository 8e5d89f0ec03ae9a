"""Find the communities of a scope, for the graph, outside of any read request.

The search reads every topic of the scope. A scope of more than FEW topics pauses in proportion to
the number of topics, so that the cost of an hour does not grow with the scope.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain

from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.graph.communities import communities
from membrane.domain.topics.graph.graph import own_ids, references
from membrane.domain.topics.graph.likeness import alike
from membrane.domain.topics.graph.partitions import KEPT_AS, MAX_TOPICS, Partition
from membrane.domain.topics.topic import Topic
from membrane.table.items import LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.scope_walk import IsOutOfTime, topics_in_scope

AT_ONCE = 1_000
"""Topics in a batch."""

MAX_EDGES = 100
"""Edges of a topic and direction."""

LINKED = 1.0
"""The weight of an edge or a reference; the weight of a similarity is the cosine."""

PACE = "communities-pace"
"""The document with the next due time of a scope, and whether a change waits."""

FEW = 200
"""The most topics of a scope without a pause."""

PAUSE_S = 0.1
"""Seconds of pause for a topic of a larger scope: half an hour for 20,000 topics."""

LONGEST_DELAY_S = 900
"""The longest delay of a message."""

TAKES_S = 0.005
"""Seconds for a topic, besides the seconds that the end of any run needs.

For 20,000 topics of five levels, 28 s of arithmetic were measured; the rest is reading.
"""


def refresh_communities(
    scope: str, world: World, is_out_of_time: IsOutOfTime, *, is_changed: bool
) -> None:
    """Find the communities now, or send a delayed message; do nothing if no change waits.

    `is_changed` is whether the scope has changed since the last call.
    """
    kept = world.topics.find_document(PACE, scope)
    pace = {} if kept is None else kept.progress
    if not is_changed and not pace.get("is_waiting"):
        return
    now_s = epoch_seconds(world.now())
    wait_s = pace.get("due_s", now_s) - now_s
    if wait_s <= 0 and not is_out_of_time(pace.get("size", MAX_TOPICS) * TAKES_S):
        size = find_communities(scope, world)
        pause_s = PAUSE_S * size if size > FEW else 0.0
        after = {"due_s": now_s + pause_s, "is_waiting": False, "size": size}
    elif pace.get("told_s", now_s) > now_s:
        after = {**pace, "is_waiting": True}
    else:
        delay_s = max(1, min(math.ceil(wait_s), LONGEST_DELAY_S))
        world.send_to_reasoning({"scope": scope}, delay_s)
        after = {**pace, "is_waiting": True, "told_s": now_s + delay_s}
    if after != pace:
        with suppress(LostRace):  # a concurrent run has stored the pace
            world.topics.keep_document(PACE, scope, after, kept)


def find_communities(scope: str, world: World) -> int:
    """Find the communities and store the partition with the time; the result is the topic count.

    Edges, references and similarity hold a community together. While the search index is of a
    different embedder, similarity does not count.
    """
    before = world.topics.find_document(KEPT_AS, scope)
    members = _members_of(scope, world)
    links = list(members.links(world))
    vectors = members.vectors(world)
    levels = {
        ceiling: members.communities(ceiling, links, vectors)
        for ceiling in sorted(set(members.levels))
    }
    partition = Partition.of(rfc3339(world.now()), members.ids, levels)
    with suppress(LostRace):  # a concurrent run has stored a partition: enough
        world.topics.keep_document(KEPT_AS, scope, partition.as_json(), before)
    return len(members.ids)


@dataclass(slots=True)
class _Members:
    """The topics of a scope by position, with only the data needed."""

    ids: list[str] = field(default_factory=list)
    levels: list[Sensitivity] = field(default_factory=list)
    positions: dict[str, int] = field(default_factory=dict)
    """By id, also by the ids of absorbed topics."""
    refs: list[tuple[str, str]] = field(default_factory=list)

    def add(self, topic: Topic) -> None:
        self.positions |= dict.fromkeys(own_ids(topic), len(self.ids))
        self.ids.append(topic.id)
        self.levels.append(topic.sensitivity)
        self.refs += [(topic.id, ref) for _, ref in references(topic)]

    def links(self, world: World) -> Iterator[tuple[int, int]]:
        edges = chain.from_iterable(
            world.topics.edges(ids, MAX_EDGES) for ids in _chunks(list(self.positions))
        )
        held = ((each.from_id, each.to_id) for each in edges if each.removed_at is None)
        for ends in chain(held, self.refs):
            one, other = map(self.positions.get, ends)
            if one is not None and other is not None and one != other:
                yield one, other

    def vectors(self, world: World) -> Mapping[int, bytes]:
        """By position, for topics with an index entry."""
        found: dict[int, bytes] = {}
        dimensions = world.embedder.dimensions
        try:
            for ids in _chunks(self.ids):
                entries = world.topic_search.at(ids, dimensions)
                found |= {self.positions[each.record_id]: each.dense for each in entries}
        except WrongEmbedder:
            return {}
        return found

    def communities(
        self,
        ceiling: Sensitivity,
        links: Iterable[tuple[int, int]],
        vectors: Mapping[int, bytes],
    ) -> Sequence[int | None]:
        """By position, the community of a topic up to the ceiling; None for topics above."""
        seen = [at for at, level in enumerate(self.levels) if level.level <= ceiling.level]
        node = {at: number for number, at in enumerate(seen)}
        weights: list[dict[int, float]] = [{} for _ in seen]

        def tie(one: int, other: int, weight: float) -> None:
            most = max(weight, weights[one].get(other, 0.0))
            weights[one][other] = weights[other][one] = most

        for one, other in links:
            if one in node and other in node:
                tie(node[one], node[other], LINKED)
        with_vector = [at for at in seen if at in vectors]
        for first, second, cosine in alike([vectors[at] for at in with_vector]):
            tie(node[with_vector[first]], node[with_vector[second]], cosine)
        found = communities(weights)
        return [found[node[at]] if at in node else None for at in range(len(self.ids))]


def _members_of(scope: str, world: World) -> _Members:
    """The topics of the scope, active and archived; the MAX_TOPICS most salient."""
    members = _Members()
    for topic, _ in topics_in_scope(scope, world, None, AT_ONCE):
        if topic.status in LIVING and topic.id not in members.positions:
            members.add(topic)
        if len(members.ids) == MAX_TOPICS:
            break
    return members


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
