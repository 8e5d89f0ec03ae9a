"""Make the page of a graph: nodes within the size of a reply, and the edges between them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.graph.links import Predicates, weight_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.records.records import Relation
from membrane.domain.records.sizes import reply_bytes
from membrane.usecases.graph.nodes import Node
from membrane.usecases.search.explaining import DIGITS
from membrane.usecases.search.page import Page
from membrane.usecases.search.progress import mark_of

if TYPE_CHECKING:
    from membrane.domain.graph.replies import GraphNode, PathStep
    from membrane.domain.records.replies import GraphEdge

EDGE_ROOM = 512 * 1024
"""The bytes of a reply reserved for edges."""

BESIDE_PATH_BYTES = 128
"""The bytes of a node beside record and path, with the id among the roots."""


@dataclass(frozen=True, slots=True)
class NodePage:
    """The nodes on a page, by worth."""

    nodes: "Mapping[str, GraphNode]"
    """By id, in the order of the reply."""
    root_ids: Sequence[str]
    has_more: bool


def page_of(nodes: Sequence[Node], given: frozenset[str], page: Page) -> NodePage:
    """The next nodes on `page`, by worth; `given` has the marks of nodes on pages before."""
    page.room -= EDGE_ROOM
    waiting = [each for each in nodes if mark_of(each.id) not in given]
    taken = list[Node]()
    for node in waiting:
        beside = 2 * len(node.id) + BESIDE_PATH_BYTES + reply_bytes(_path(node))
        if not page.try_add(node.candidate, beside):
            break
        taken.append(node)
    records = dict(zip((each.id for each in taken), page.records, strict=True))
    return NodePage(
        {each.id: _node_of(each, records[each.id]) for each in taken},
        [each.id for each in taken if not each.hop],
        len(taken) < len(waiting),
    )


def edges_among(
    nodes: Sequence[Node], ended: AbstractSet[str], shown: AbstractSet[str], predicates: Predicates
) -> "Iterator[GraphEdge]":
    """The relations among nodes `shown` on this page, and between nodes `shown` and `ended` before.

    Edges come in the order of the later of the two nodes.
    """
    places = {each.id: place for place, each in enumerate(nodes) if each.id in ended | shown}
    sources = [each for each in nodes if each.id in places and each.is_expandable]
    found = [
        (tuple(sorted((places[node.id], places[relation.target_id]), reverse=True)), node, relation)
        for node in sources
        for relation in predicates.of(node.record)
        if relation.target_id in places and {node.id, relation.target_id} & shown
    ]
    found.sort(key=lambda each: (each[0], each[1].id, each[2].predicate))
    return (_edge(node.id, relation) for _, node, relation in found)


def within_room(edges: "Iterable[GraphEdge]", limit: int) -> "Sequence[GraphEdge]":
    """The first edges, as many as the limit and the size of a reply permit."""
    kept: list[GraphEdge] = []
    room = EDGE_ROOM
    for edge in islice(edges, limit):
        room -= reply_bytes(edge) + 1
        if room < 0:
            break
        kept.append(edge)
    return kept


def _edge(source_id: str, relation: Relation) -> "GraphEdge":
    return {
        "source_id": source_id,
        "predicate": relation.predicate,
        "target_id": relation.target_id,
        "weight": weight_of(relation),
        "created_at": relation.created_at or NOT_GIVEN,
    }


def _path(node: Node) -> "list[PathStep]":
    return [{"from_id": step.from_id, "predicate": step.predicate} for step in node.path]


def _node_of(node: Node, record: Body) -> "GraphNode":
    shown: GraphNode = {
        "record": record,
        "root": not node.hop,
        "hop": node.hop,
        "path": _path(node),
    }
    if node.score is not None:
        shown["score"] = round(node.score, DIGITS)
    return shown
