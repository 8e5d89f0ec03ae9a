"""Retrieve the records for a task, and further records connected by relations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.trust import Gate
from membrane.domain.graph.links import UNKNOWN_SCORE, Predicates, weight_of, worth
from membrane.domain.graph.requests import (
    MAX_EDGES,
    MAX_HOPS,
    MAX_NODES,
    MAX_ROOTS,
    USUAL_EDGES,
    USUAL_NODES,
    USUAL_ROOTS,
    RetrieveGraph,
)
from membrane.domain.language.fields import record_named
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds
from membrane.domain.records.records import Relation
from membrane.domain.records.sizes import reply_bytes
from membrane.domain.search.filters import Filters
from membrane.usecases.graph.expanding import FURTHER_READS, MAX_AT_ONCE, Expansion
from membrane.usecases.graph.hubs import Node, best_first, choose_hubs, read_hubs
from membrane.usecases.graph.roots import Roots, find_roots
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.search.explaining import DIGITS, selection_among
from membrane.usecases.search.inquiry import Inquiry, binding_of, scopes_of
from membrane.usecases.search.judging import Candidate, Hydration, Judge, Page
from membrane.usecases.search.progress import MAX_REACH, Progress, mark_of, marks_of, progress_of

if TYPE_CHECKING:
    from membrane.domain.graph import replies
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
    root_ids: list[str]
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


def within_room(edges: "Iterable[GraphEdge]", limit: int) -> "list[GraphEdge]":
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


MARGIN = 5
"""Records that a hop reads beyond the nodes missing on the page: some have ended or faded."""


class Inquiries(NamedTuple):
    """The inquiries and limits of a graph request."""

    roots: Inquiry
    """`limit` is the number of roots."""
    further: Inquiry
    """Of the nodes added by the expansion; `limit` is the number of nodes on the page."""
    max_hops: int
    max_edges: int


def inquiries_of(request: RetrieveGraph, call: Call, world: World) -> Inquiries:
    """Raises InvalidArgument if the scopes must be named or are too many."""
    gate = Gate.of(call.principal.trust, request.trust)
    filters = Filters(tags=request.tags)
    roots = Inquiry(
        gate=gate,
        scopes=scopes_of(gate.asked, world),
        types=filters.types_within(request.memory_types),
        filters=filters,
        binding=binding_of(request, call),
        limit=min(request.root_limit or USUAL_ROOTS, MAX_ROOTS),
        min_salience=request.min_salience,
        task=request.task_descriptor.strip(),
        min_score=world.score_floor if request.min_score is None else request.min_score,
    )
    anything = Filters()
    further = replace(
        roots,
        types=anything.types_within(request.node_types),
        filters=anything,
        limit=request.node_limit or USUAL_NODES,
    )
    max_edges = min(request.edge_limit or USUAL_EDGES, MAX_EDGES)
    return Inquiries(roots, further, min(request.max_hops, MAX_HOPS), max_edges)


def retrieve_graph(request: RetrieveGraph, call: Call, world: World) -> "replies.Graph":
    """The page of the graph within the trust of the request.

    The graph is made again for every page, as of the instant of the first page. Raises
    InvalidArgument for a foreign cursor or token and if the scopes must be named, and WrongEmbedder
    if the index has no vectors of the question's embedder.
    """
    begun_s = world.elapsed_s()
    written = [record_named(token) for token in request.consistency_tokens]
    asked, now = inquiries_of(request, call, world), world.now()
    binding, now_s = asked.roots.binding, epoch_seconds(now)
    progress = progress_of(request.cursor, binding, now_s, world.cursor_key)
    hydration, curves = Hydration(world.records), world.policy.custom_curves
    judge = Judge(asked.roots, curves, now, progress.at_s, hydration)
    fresh = judge.candidates_uncounted(hydration.living(written).values())
    roots = find_roots(judge, fresh, world, begun_s, reach=progress.reach)
    further = Judge(asked.further, curves, now, progress.at_s, hydration)
    retrieval = _Retrieval(asked, Predicates(request.predicates), progress, further, world)
    return retrieval.page(roots, retrieval.nodes(roots))


class _Nodes(NamedTuple):
    """The nodes of a graph, the best first."""

    nodes: Sequence[Node]
    has_unread: bool
    """Whether there may be further nodes, which a later page reads."""
    is_cut: bool
    """Whether the page read as far as its reach; the next page reaches further."""


@dataclass(frozen=True, slots=True)
class _Retrieval:
    asked: Inquiries
    predicates: Predicates
    progress: Progress
    further: Judge
    """Judges the nodes added by the expansion."""
    world: World

    def nodes(self, roots: Roots) -> "_Nodes":
        """The nodes of this page and of the pages before, the best first."""
        first, hops = [_root(each, roots) for each in roots.candidates], self.asked.max_hops
        if hops <= 0:
            return _Nodes(best_first(first), roots.is_cut, roots.is_cut)
        standing = [each for each in first if each.is_expandable]
        chosen = choose_hubs(standing, self.predicates, with_referred=hops > 1)
        further, before = self.asked.further, len(self.progress.given)
        lacking = max(before + further.limit - len(first), 0)
        at_once = min(lacking + MARGIN, before + MAX_AT_ONCE)
        reach, records = self.progress.reach, self.world.records
        hubs = read_hubs(chosen, further, self.predicates, records, at_once=at_once, reach=reach)
        reads = FURTHER_READS * reach
        expansion = Expansion(self.further, roots, self.predicates, hubs, at_once, reads)
        nodes = best_first(expansion.expand(first, hops).values())
        has_unread = expansion.has_unread or roots.is_cut
        return _Nodes(nodes, has_unread, expansion.is_cut or roots.is_cut)

    def page(self, roots: Roots, found: "_Nodes") -> "replies.Graph":
        """The nodes absent from earlier pages, and the edges of the nodes.

        The next page reads further, by the nodes of this page or with a greater reach. An empty
        page that read all within the greatest reach is the last.
        """
        nodes = found.nodes
        given = self.progress.given
        limit = min(self.asked.further.limit, MAX_NODES - len(given))
        page = page_of(nodes, frozenset(given), Page(limit, self.further))
        marks = given + marks_of(page.nodes)
        reach = min(self.progress.reach + found.is_cut, MAX_REACH)
        goes_on = bool(page.nodes) or reach > self.progress.reach
        has_further = page.has_more or (found.has_unread and goes_on)
        has_more = has_further and len(marks) < MAX_NODES
        body: replies.Graph = {
            "nodes": list(page.nodes.values()),
            "edges": self._edges(nodes, page),
            "root_ids": page.root_ids,
        }
        if has_more:
            body["next_cursor"] = self._cursor(marks, reach)
        selection = selection_among(roots.scores, roots.candidates, self.world)
        if selection is not None:
            body["selection"] = asdict(selection)
        return body

    def _edges(self, nodes: Sequence[Node], page: NodePage) -> "list[GraphEdge]":
        if self.asked.max_hops <= 0:
            return []
        given = frozenset(self.progress.given)
        before = {each.id for each in nodes if mark_of(each.id) in given}
        edges = edges_among(nodes, before, page.nodes.keys(), self.predicates)
        return within_room(edges, self.asked.max_edges)

    def _cursor(self, marks: tuple[str, ...], reach: int) -> str:
        following = Progress(self.progress.at_s, marks, None, reach=reach)
        return following.cursor(self.asked.roots.binding, self.world.cursor_key())


def _root(candidate: Candidate, roots: Roots) -> Node:
    """A root; an entity that the task names is connected most strongly."""
    score = roots.score_of(candidate.id)
    if candidate.id in roots.named:
        rank = worth(1.0, candidate.salience, 1.0)
        return Node(candidate, 1.0, rank, score=score)
    strength = min(1.0, candidate.score)
    rank = worth(strength, candidate.salience, UNKNOWN_SCORE if score is None else score)
    return Node(candidate, strength, rank, score=score)
