"""Read the graph of topics: page by page, or what is around one topic (spec 6.3)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.topics.graph.graph import edge_links, own_ids, reference_links, references
from membrane.domain.topics.graph.partitions import KEPT_AS, Partition
from membrane.domain.topics.requests.reading import ReadGraph
from membrane.domain.topics.showing import shapes
from membrane.domain.topics.showing.room import Room, fit_each
from membrane.domain.topics.topic import Edge, Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import load_topic, load_topics
from membrane.usecases.topics.neighbourhood import crowded
from membrane.usecases.topics.reading.list_topics import next_page, onwards
from membrane.usecases.topics.saliences import saliences_now

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import TopicGraph, TopicNode

EDGES_READ = 1_000
"""Of each topic and direction, at first; removed ones and hidden ones are among them."""

MOST_EDGES_READ = 5_000
"""Of those that have more: what was removed, or may not be seen, shall not hide what may."""

MOST_CROWDED = 20
"""Topics of which as many are read, at once."""

MAX_FAR = 1_000
"""Topics beyond the nodes that may be seen, to which edges of a page lead."""

MOST_EXAMINED = 5_000
"""Ends of edges that are looked at for them, whether they may be seen or not; and in each step."""

PAGELESS = "cursor must not come with topic_id: what is around a topic has no pages"

AT_ONCE = 100
"""Topics around one that are read at once."""

EDGES_BYTES = 1024 * 1024
"""Of a reply, for edges alone."""

LEAST_NODE_BYTES = 12 * 1024
"""No node is larger without its fields and most of its summary."""


def read_graph(request: ReadGraph, call: Call, services: TopicServices) -> ReplyBody:
    """Topics as nodes, edges and references as edges, as far as they may be seen.

    From a page of a scope, edges lead to topics of other pages, too. Around a topic, the nearest
    topics come first, and edges lie between the nodes. `truncated` tells that there is more than
    was shown; a node `is_cut` of which a reply has no room for all.

    Raises NotFound where the topic in the middle may not be seen, InvalidArgument for a cursor
    that is not ours, or comes with a topic, and where the scopes must be named.
    """
    trust = call.principal.trust
    if request.topic_id is not None and request.cursor is not None:
        raise InvalidArgument(PAGELESS).at("cursor")
    if request.topic_id is None:
        drawing, cursor = _page(request, call, services)
    else:
        scopes = () if request.scope is None else (request.scope,)
        narrowed = trust.narrow_to(TrustInput(scopes=scopes))
        drawing, cursor = _around(request.topic_id, request, narrowed, services), None
    body: TopicGraph = {**drawing.shown(trust, services), **onwards(cursor)}
    return ReplyBody(body)


@dataclass(frozen=True, slots=True)
class _Drawing:
    nodes: Sequence[Topic]
    edges: Sequence[Edge]
    ends: Mapping[str, str]
    """By id that edges and references name, that of the topic at its end; see `edge_links`."""
    is_truncated: bool

    def shown(self, trust: Trust, services: TopicServices) -> "TopicGraph":
        links = [*edge_links(self.edges, self.ends), *reference_links(self.nodes, self.ends)]
        room = Room()
        room.left -= EDGES_BYTES
        shown = list(_nodes(self.nodes, self.ends, trust, services))
        nodes = fit_each(shown, room, LEAST_NODE_BYTES, _fit)
        room.left += EDGES_BYTES
        edges = list(takewhile(room.takes, map(shapes.link, links)))
        is_truncated = self.is_truncated or len(edges) < len(links)
        return {"nodes": nodes, "edges": edges, "truncated": is_truncated}


def _page(request: ReadGraph, call: Call, services: TopicServices) -> tuple[_Drawing, str | None]:
    """The next topics, the most salient first, archived ones too."""
    nodes, cursor = next_page(request, request.limit, call, services, include_archived=True)
    edges, is_cut = _edges_of(nodes, services)
    own = _own_ends(nodes)
    far = [each for each in _named(nodes, edges) if each not in own]
    seen = list(islice(_visible(far, call.principal.trust, services), MAX_FAR + 1))
    ends = {**own, **{each: topic.id for each, topic in seen[:MAX_FAR]}}
    is_truncated = is_cut or len(far) > MOST_EXAMINED or len(seen) > MAX_FAR
    return _Drawing(nodes, edges, ends, is_truncated), cursor


def _around(topic_id: str, request: ReadGraph, trust: Trust, services: TopicServices) -> _Drawing:
    """The topic and what it is linked with, breadth first."""
    middle = load_topic(topic_id, trust, services.topics)
    found, frontier = {middle.id: middle}, [middle]
    edges: list[Edge] = []
    is_truncated = False
    for step in range(request.depth + 1):
        near, is_cut = _edges_of(frontier, services)
        edges += near
        is_truncated = is_truncated or is_cut
        if step == request.depth:
            break
        known = _own_ends(found.values())
        names = [each for each in _named(frontier, near) if each not in known]
        is_truncated = is_truncated or len(names) > MOST_EXAMINED
        frontier = []
        for _, topic in _visible(names, trust, services):
            if topic.id in found:
                continue
            if len(found) == request.limit:
                is_truncated = True
                break
            found[topic.id] = topic
            frontier.append(topic)
    nodes = list(found.values())
    return _Drawing(nodes, edges, _own_ends(nodes), is_truncated)


def _edges_of(topics: Sequence[Topic], services: TopicServices) -> tuple[Sequence[Edge], bool]:
    """The edges of the topics and of what they absorbed; and whether there may be more."""
    first = _read(topics, EDGES_READ, services)
    many = crowded(topics, first, EDGES_READ)
    several = [topic for topic in topics if topic.id in many][:MOST_CROWDED]
    more = _read(several, MOST_EDGES_READ, services)
    is_cut = len(many) > len(several) or bool(crowded(several, more, MOST_EDGES_READ))
    every = dict.fromkeys((*first, *more))
    return [each for each in every if each.removed_at is None], is_cut


def _read(topics: Sequence[Topic], limit: int, services: TopicServices) -> Sequence[Edge]:
    ids = [each for topic in topics for each in own_ids(topic)]
    return services.topics.edges(ids, limit) if ids else ()


def _named(topics: Iterable[Topic], edges: Iterable[Edge]) -> Sequence[str]:
    """The ids that edges and references name, once each, in a stable order."""
    ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
    ends |= {ref for topic in topics for _, ref in references(topic)}
    return sorted(ends)


def _own_ends(topics: Iterable[Topic]) -> dict[str, str]:
    return {each: topic.id for topic in topics for each in own_ids(topic)}


def _visible(
    ids: Sequence[str], trust: Trust, services: TopicServices
) -> Iterator[tuple[str, Topic]]:
    """Each with the topic at its end; read some at a time, as far as they are needed."""
    for start in range(0, min(len(ids), MOST_EXAMINED), AT_ONCE):
        end = min(start + AT_ONCE, MOST_EXAMINED)
        yield from load_topics(ids[start:end], trust, services.topics).items()


def _nodes(
    topics: Sequence[Topic], ends: Mapping[str, str], trust: Trust, services: TopicServices
) -> "Iterator[TopicNode]":
    saliences = saliences_now(topics, services)
    partitions = _partition_by_scope(sorted({topic.scope for topic in topics}), services)
    for topic in topics:
        partition = partitions.get(topic.scope)
        number = None if partition is None else partition.community_of(topic.id, trust.ceiling)
        yield shapes.node(topic, saliences.of(topic).total, number, ends)


def _partition_by_scope(scopes: Iterable[str], services: TopicServices) -> Mapping[str, Partition]:
    kept = ((scope, services.topics.find_document(KEPT_AS, scope)) for scope in scopes)
    return {scope: Partition.from_json(each.progress) for scope, each in kept if each is not None}


def _fit(node: "TopicNode", room: Room) -> "TopicNode":
    for form in (node, shapes.without_values(node)):
        if room.takes(form):
            return form
    least = shapes.without_fields(node)
    room.takes(least)
    return least
