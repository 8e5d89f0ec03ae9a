"""Read the graph of topics: page by page, or around a topic."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.values import Room
from membrane.domain.topics.requests.reading import ReadGraph
from membrane.domain.topics.showing import fit_each, forms_of_node, link, node, number_communities
from membrane.domain.topics.topic import (
    Edge,
    Link,
    Topic,
    edge_links,
    own_ends,
    reference_links,
    references,
)
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import load_topic, load_topics, saliences_now
from membrane.usecases.topics.neighbourhood import crowded_topics, entity_ids_of
from membrane.usecases.topics.reading.list_topics import next_page

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import TopicGraph, TopicNode

EDGES_READ = 1_000
"""Edges of a topic and direction in the first read, removed and hidden edges too."""

MOST_EDGES_READ = 5_000
"""Edges in the second read: removed and hidden edges must not hide visible edges."""

MOST_CROWDED = 20
"""The most topics of a second read."""

MAX_FAR = 1_000
"""The most visible topics beyond the nodes to which edges of a page lead."""

MOST_EXAMINED = 5_000
"""The most ends of edges to examine for a page, or for a step; visible or not."""

PAGELESS = "cursor must not come with topic_id: what is around a topic has no pages"

AT_ONCE = 100
"""Ends of edges to load at a time."""

EDGES_BYTES = 1024 * 1024
"""Bytes of a reply for edges alone."""


def read_graph(request: ReadGraph, call: Call, world: World) -> ReplyBody:
    """Topics as nodes, relationships and references as edges, as far as visible.

    From a page of a scope, edges lead to topics of further pages, too. Around a topic, the nearest
    topics come first, and edges lie between the nodes. `truncated` is true if the graph has more; a
    node has `is_cut` if the reply has no room for the whole node.

    Raises NotFound if the topic in the middle is hidden, InvalidArgument for a foreign cursor, for
    a cursor with a topic, and if scopes must be named.
    """
    trust = call.principal.trust
    if request.topic_id is not None and request.cursor is not None:
        raise InvalidArgument(PAGELESS).at("cursor")
    if request.topic_id is None:
        # archived topics too
        nodes, cursor = next_page(request, request.limit, call, world, include_archived=True)
        subgraph = subgraph_of(nodes, trust, world)
    else:
        scopes = () if request.scope is None else (request.scope,)
        narrowed = trust.narrow_to(TrustInput(scopes=scopes))
        subgraph, cursor = _around(request.topic_id, request, narrowed, world), None
    body: TopicGraph = {**subgraph.as_json(trust, world), **cursor_part(cursor)}
    return ReplyBody(body)


@dataclass(frozen=True, slots=True)
class Subgraph:
    nodes: Sequence[Topic]
    edges: Sequence[Edge]
    ends: Mapping[str, str]
    """By id in an edge or a reference, the id of the topic at the end; see `edge_links`."""
    is_truncated: bool

    @property
    def links(self) -> Sequence[Link]:
        """The visible edges, then the visible references of the nodes."""
        return [*edge_links(self.edges, self.ends), *reference_links(self.nodes, self.ends)]

    def as_json(self, trust: Trust, world: World) -> "TopicGraph":
        links, room = self.links, Room()
        room.left -= EDGES_BYTES
        shown = list(self.shown_nodes(trust, world))
        nodes = fit_each(shown, room, forms_of_node)
        room.left += EDGES_BYTES
        edges = list(takewhile(room.takes, map(link, links)))
        number_communities(nodes, edges)
        is_truncated = self.is_truncated or len(edges) < len(links)
        return {"nodes": nodes, "edges": edges, "truncated": is_truncated}

    def shown_nodes(self, trust: Trust, world: World) -> "Iterator[TopicNode]":
        """The nodes in the shape of a reply, each a community of its own."""
        saliences = saliences_now(self.nodes, world)
        entity_ids = entity_ids_of(self.nodes, trust, world)
        for number, topic in enumerate(self.nodes):
            shown = node(topic, saliences.of(topic).total, number, self.ends)
            if topic.id in entity_ids:
                shown["entity_id"] = entity_ids[topic.id]
            yield shown


def subgraph_of(nodes: Sequence[Topic], trust: Trust, world: World) -> Subgraph:
    """The topics as nodes, with the edges and references between a node and any visible topic."""
    edges, is_cut = _edges_of(nodes, world)
    own = own_ends(nodes)
    far = [each for each in _linked_ids(nodes, edges) if each not in own]
    seen = list(islice(_visible(far, trust, world), MAX_FAR + 1))
    ends = {**own, **{each: topic.id for each, topic in seen[:MAX_FAR]}}
    is_truncated = is_cut or len(far) > MOST_EXAMINED or len(seen) > MAX_FAR
    return Subgraph(nodes, edges, ends, is_truncated)


def _around(topic_id: str, request: ReadGraph, trust: Trust, world: World) -> Subgraph:
    """The topic and linked topics, breadth first."""
    middle = load_topic(topic_id, trust, world.topics)
    found, frontier = {middle.id: middle}, [middle]
    edges: list[Edge] = []
    is_truncated = False
    for step in range(request.depth + 1):
        near, is_cut = _edges_of(frontier, world)
        edges += near
        is_truncated = is_truncated or is_cut
        if step == request.depth:
            break
        known = own_ends(found.values())
        names = [each for each in _linked_ids(frontier, near) if each not in known]
        is_truncated = is_truncated or len(names) > MOST_EXAMINED
        frontier = []
        for _, topic in _visible(names, trust, world):
            if topic.id in found:
                continue
            if len(found) == request.limit:
                is_truncated = True
                break
            found[topic.id] = topic
            frontier.append(topic)
    nodes = list(found.values())
    return Subgraph(nodes, edges, own_ends(nodes), is_truncated)


def _edges_of(topics: Sequence[Topic], world: World) -> tuple[Sequence[Edge], bool]:
    """The edges of the topics and of absorbed topics; and whether more may exist."""
    first = _load_edges(topics, EDGES_READ, world)
    many = crowded_topics(topics, first, EDGES_READ)
    several = [topic for topic in topics if topic.id in many][:MOST_CROWDED]
    more = _load_edges(several, MOST_EDGES_READ, world)
    is_cut = len(many) > len(several) or bool(crowded_topics(several, more, MOST_EDGES_READ))
    every = dict.fromkeys((*first, *more))
    return [each for each in every if each.removed_at is None], is_cut


def _load_edges(topics: Sequence[Topic], limit: int, world: World) -> Sequence[Edge]:
    ids = [*own_ends(topics)]
    return world.topics.edges(ids, limit) if ids else ()


def _linked_ids(topics: Iterable[Topic], edges: Iterable[Edge]) -> Sequence[str]:
    """The ids in edges and references, each once, in a stable order."""
    ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
    ends |= {ref for topic in topics for _, ref in references(topic)}
    return sorted(ends)


def _visible(ids: Sequence[str], trust: Trust, world: World) -> Iterator[tuple[str, Topic]]:
    """Each visible id with the topic at the end; read in batches, on demand."""
    for start in range(0, min(len(ids), MOST_EXAMINED), AT_ONCE):
        end = min(start + AT_ONCE, MOST_EXAMINED)
        yield from load_topics(ids[start:end], trust, world.topics).items()
