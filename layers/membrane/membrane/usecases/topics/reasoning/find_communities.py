"""Find the communities of a scope, for its graph: off the path of any request that reads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain

from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.graph.communities import communities
from membrane.domain.topics.graph.graph import own_ids, references
from membrane.domain.topics.graph.likeness import alike
from membrane.domain.topics.graph.partitions import KEPT_AS, MAX_TOPICS, Partition
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.scope_walk import sound_topics

AT_ONCE = 1_000
"""Topics that are read at once."""

MAX_EDGES = 100
"""Of a topic and direction."""

_SHOWN = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)

LINKED = 1.0
"""The weight of an edge or a reference; that of a likeness is its cosine."""


def find_communities(scope: str, services: TopicServices) -> int:
    """Seek them anew, and keep them with the time now; among how many topics.

    What another one keeps meanwhile stays.

    Topics belong together that edges or references link, and that are alike. While the search
    index is of another embedder, what is linked alone decides.
    """
    before = services.topics.kept(KEPT_AS, scope)
    members = _members_of(scope, services)
    links = list(members.links(services))
    vectors = members.vectors(services)
    levels = {
        ceiling: members.communities(ceiling, links, vectors)
        for ceiling in sorted(set(members.levels))
    }
    partition = Partition.of(rfc3339(services.now()), members.ids, levels)
    with suppress(LostRace):  # of two that seek at once one is enough
        services.topics.keep(KEPT_AS, scope, partition.as_json(), before)
    return len(members.ids)


@dataclass(slots=True)
class _Members:
    """The topics of a scope by position, and no more of each than is needed."""

    ids: list[str] = field(default_factory=list)
    levels: list[Sensitivity] = field(default_factory=list)
    positions: dict[str, int] = field(default_factory=dict)
    """By id, those of absorbed topics among them."""
    refs: list[tuple[str, str]] = field(default_factory=list)

    def take_in(self, topic: Topic) -> None:
        """One topic more."""
        self.positions |= dict.fromkeys(own_ids(topic), len(self.ids))
        self.ids.append(topic.id)
        self.levels.append(topic.sensitivity)
        self.refs += [(topic.id, ref) for _, ref in references(topic)]

    def links(self, services: TopicServices) -> Iterator[tuple[int, int]]:
        """Pairs of positions."""
        edges = chain.from_iterable(
            services.topics.edges(ids, MAX_EDGES) for ids in _chunks(list(self.positions))
        )
        held = ((each.from_id, each.to_id) for each in edges if each.removed_at is None)
        for ends in chain(held, self.refs):
            one, other = map(self.positions.get, ends)
            if one is not None and other is not None and one != other:
                yield one, other

    def vectors(self, services: TopicServices) -> Mapping[int, bytes]:
        """Of those that have an entry, by position."""
        found: dict[int, bytes] = {}
        dimensions = services.embedder.dimensions
        try:
            for ids in _chunks(self.ids):
                entries = services.topic_search.at(ids, dimensions)
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
        """By position the community, of those up to the ceiling; None of the others."""
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


def _members_of(scope: str, services: TopicServices) -> _Members:
    """The topics of the scope, active and archived; the MAX_TOPICS most salient."""
    members = _Members()
    after = None
    while len(members.ids) < MAX_TOPICS:
        places = services.topics.listed(scope, min(AT_ONCE, MAX_TOPICS - len(members.ids)), after)
        if not places:
            break
        after = places[-1]
        ids = dict.fromkeys(place.topic_id for place in places)
        there = sound_topics([each for each in ids if each not in members.positions], services)
        for topic in (there[each] for each in ids if each in there):
            if topic.scope == scope and topic.status in _SHOWN:
                members.take_in(topic)
    return members


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
