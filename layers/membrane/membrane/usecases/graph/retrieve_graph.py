"""Retrieve the records for a task, and further records connected by relations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.trust import Gate
from membrane.domain.graph import requests
from membrane.domain.graph.links import UNKNOWN_SCORE, Predicates, weight_of, worth
from membrane.domain.language.fields import record_named
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds
from membrane.domain.language.values import reply_bytes
from membrane.domain.records.records import Relation
from membrane.domain.search.filters import Filters
from membrane.usecases.graph.expanding import FURTHER_READS, MAX_AT_ONCE, Expansion
from membrane.usecases.graph.hubs import Node, best_first, choose_hubs, read_hubs
from membrane.usecases.graph.roots import Roots, find_roots
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import (
    MAX_REACH,
    Inquiry,
    Progress,
    binding_of,
    mark_of,
    marks_of,
    progress_of,
    scopes_of,
)
from membrane.usecases.search.judging import Candidate, Hydration, Judge, Page
from membrane.usecases.search.retrieve import DIGITS, selection_among

if TYPE_CHECKING:
    from membrane.domain.graph import replies
    from membrane.domain.graph.replies import GraphNode, PathStep
    from membrane.domain.records.replies import GraphEdge


EDGE_ROOM = 512 * 1024
"""The bytes of a reply reserved for edges."""

BESIDE_PATH_BYTES = 128
"""The bytes of a node beside record and path, with the id among the roots."""


MARGIN = 5
"""Records that a hop reads beyond the nodes missing on the page: some have ended or faded."""


def retrieve_graph(request: requests.RetrieveGraph, call: Call, world: World) -> "replies.Graph":
    """The page of the graph within the trust of the request.

    The graph is made again for every page, as of the instant of the first page. Raises
    InvalidArgument for a foreign cursor or token and if the scopes must be named, and WrongEmbedder
    if the index has no vectors of the question's embedder.
    """
    begun_s = world.elapsed_s()
    written = [record_named(token) for token in request.consistency_tokens]
    asked, now = _inquiry_of_roots(request, call, world), world.now()
    progress = progress_of(request.cursor, asked.binding, epoch_seconds(now), world.cursor_key)
    hydration, curves = Hydration(world.records), world.policy.custom_curves
    judge = Judge(asked, curves, now, progress.at_s, hydration)
    fresh = judge.candidates_uncounted(hydration.living(written).values())
    roots = find_roots(judge, fresh, world, begun_s, reach=progress.reach)
    further = Judge(_inquiry_of_nodes(asked, request), curves, now, progress.at_s, hydration)
    body = _page(request, roots, progress, further, world)
    selection = selection_among(roots.scores, roots.candidates, world)
    if selection is not None:
        body["selection"] = asdict(selection)
    return body


def _inquiry_of_roots(request: requests.RetrieveGraph, call: Call, world: World) -> Inquiry:
    """The `limit` is the number of roots; raises InvalidArgument as `scopes_of`."""
    gate = Gate.of(call.principal.trust, request.trust)
    filters = Filters(tags=request.tags)
    return Inquiry(
        gate=gate,
        scopes=scopes_of(gate.asked, world),
        types=filters.types_within(request.memory_types),
        filters=filters,
        binding=binding_of(request, call),
        limit=min(request.root_limit or requests.USUAL_ROOTS, requests.MAX_ROOTS),
        min_salience=request.min_salience,
        task=request.task_descriptor.strip(),
        min_score=world.score_floor if request.min_score is None else request.min_score,
    )


def _inquiry_of_nodes(roots: Inquiry, request: requests.RetrieveGraph) -> Inquiry:
    """For the nodes added by the expansion; `limit` is the number of nodes on the page."""
    filters, limit = Filters(), request.node_limit or requests.USUAL_NODES
    types = filters.types_within(request.node_types)
    return replace(roots, types=types, filters=filters, limit=limit)


def _page(
    request: requests.RetrieveGraph, roots: Roots, progress: Progress, further: Judge, world: World
) -> "replies.Graph":
    """The nodes absent from earlier pages, and the edges of the nodes.

    The next page reads further, by the nodes of this page or with a greater reach. An empty page
    that read all within the greatest reach is the last.
    """
    hops, predicates = min(request.max_hops, requests.MAX_HOPS), Predicates(request.predicates)
    found = _found_nodes(roots, predicates, progress, further, world, hops=hops)
    given = frozenset(progress.given)
    waiting = [each for each in found.nodes if mark_of(each.id) not in given]
    limit = min(further.inquiry.limit, requests.MAX_NODES - len(progress.given))
    shown = _shown_nodes(waiting, Page(limit, further))
    marks = progress.given + marks_of(shown)
    reach = min(progress.reach + found.is_cut, MAX_REACH)
    goes_on = bool(shown) or reach > progress.reach
    has_further = len(shown) < len(waiting) or (found.has_unread and goes_on)
    before = {each.id for each in found.nodes} - {each.id for each in waiting}
    edges = _edges_among(found.nodes, before, shown.keys(), predicates) if hops > 0 else iter(())
    body: replies.Graph = {
        "nodes": [*shown.values()],
        "edges": _within_room(
            edges, min(request.edge_limit or requests.USUAL_EDGES, requests.MAX_EDGES)
        ),
        "root_ids": [each for each, node in shown.items() if node["root"]],
    }
    if has_further and len(marks) < requests.MAX_NODES:
        following = Progress(progress.at_s, marks, None, reach=reach)
        body["next_cursor"] = following.cursor(further.inquiry.binding, world.cursor_key())
    return body


class _Nodes(NamedTuple):
    nodes: Sequence[Node]
    """The best first."""
    has_unread: bool
    """Whether there may be further nodes, which a later page reads."""
    is_cut: bool
    """Whether the page read as far as its reach; the next page reaches further."""


def _found_nodes(
    roots: Roots,
    predicates: Predicates,
    progress: Progress,
    further: Judge,
    world: World,
    *,
    hops: int,
) -> _Nodes:
    """The nodes of this page and of the pages before."""
    first = [_root(each, roots) for each in roots.candidates]
    if hops <= 0:
        return _Nodes(best_first(first), roots.is_cut, roots.is_cut)
    standing = [each for each in first if each.is_expandable]
    chosen = choose_hubs(standing, predicates, with_referred=hops > 1)
    inquiry, before, reach = further.inquiry, len(progress.given), progress.reach
    lacking = max(before + inquiry.limit - len(first), 0)
    at_once = min(lacking + MARGIN, before + MAX_AT_ONCE)
    hubs = read_hubs(chosen, inquiry, predicates, world.records, at_once=at_once, reach=reach)
    expansion = Expansion(further, roots, predicates, hubs, at_once, FURTHER_READS * reach)
    nodes = best_first(expansion.expand(first, hops).values())
    has_unread = expansion.has_unread or roots.is_cut
    return _Nodes(nodes, has_unread, expansion.is_cut or roots.is_cut)


def _root(candidate: Candidate, roots: Roots) -> Node:
    """A root; an entity that the task names is connected most strongly."""
    score = roots.score_of(candidate.id)
    if candidate.id in roots.named:
        rank = worth(1.0, candidate.salience, 1.0)
        return Node(candidate, 1.0, rank, score=score)
    strength = min(1.0, candidate.score)
    rank = worth(strength, candidate.salience, UNKNOWN_SCORE if score is None else score)
    return Node(candidate, strength, rank, score=score)


def _shown_nodes(waiting: Sequence[Node], page: Page) -> "Mapping[str, GraphNode]":
    """The nodes with room on the page, by id, in the order of the reply."""
    page.room -= EDGE_ROOM
    taken = list[Node]()
    for node in waiting:
        beside = 2 * len(node.id) + BESIDE_PATH_BYTES + reply_bytes(_path(node))
        if not page.try_add(node.candidate, beside):
            break
        taken.append(node)
    shown = zip(taken, page.records, strict=True)
    return {node.id: _node_of(node, record) for node, record in shown}


def _edges_among(
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


def _within_room(edges: "Iterable[GraphEdge]", limit: int) -> "list[GraphEdge]":
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
