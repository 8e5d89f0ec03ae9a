"""The topics of a window as a graph, page by page."""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.tools.memstate.documents import Document
from membrane.domain.tools.memstate.topics import edges_by_source, node
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate.answers import answer_of
from membrane.usecases.tools.memstate.windows import Window, graph_page_of, place_of, room_beside
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.reading.read_graph import shown_nodes, subgraph_of

MOST_NODES = 25
"""Topics to examine for a page: each takes two requests for the edges, and few more have room."""


class Place(NamedTuple):
    """Where a page of the graph begins."""

    offset: int
    edge_offset: int


def graph_answer(
    window: Window,
    place: Place,
    call: Call,
    world: World,
    *,
    within: bool = False,
) -> ToolAnswer:
    """The next topics of the window as nodes, with the edges that begin at the nodes.

    With `within`, edges to topics outside the window are left out.
    """
    topics = window.topics[place.offset : place.offset + MOST_NODES]
    nodes, is_truncated = _nodes_with_edges(topics, call, world)
    if within:
        own = {topic.id for topic in window.topics}
        nodes = [(each, [edge for edge in edges if edge["to"] in own]) for each, edges in nodes]
    head = {"ok": True, "data": {"nodes": [], "edges": []}, "total": len(window.topics)}
    room = room_beside(head, window)
    page = graph_page_of(nodes, place.offset, place.edge_offset, len(window.topics), room)
    reply = {**head, "data": {"nodes": page.parts, "edges": page.edges}, **place_of(page, window)}
    return answer_of({**reply, "truncated": True} if is_truncated else reply)


def _nodes_with_edges(
    topics: Sequence[Topic], call: Call, world: World
) -> tuple[Sequence[tuple[Document, Sequence[Document]]], bool]:
    """The topics with their edges; and whether a topic has more edges than were examined."""
    trust = call.principal.trust
    subgraph = subgraph_of(topics, trust, world)
    edges = edges_by_source(subgraph.links, with_references=True)
    shown = shown_nodes(topics, subgraph.ends, trust, world)
    nodes = [(node(each), edges.get(each["id"], [])) for each in shown]
    return nodes, subgraph.is_truncated
