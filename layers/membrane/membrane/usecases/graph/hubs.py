"""The hubs of a graph: the records whose incoming edges are read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from membrane.domain.access.trust import View
from membrane.domain.graph.links import UNKNOWN_SCORE, Predicates, Step, weight_of, worth
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.evidence import TO_ENTITIES
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.records import Incoming
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.judging import Candidate

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


@dataclass(frozen=True, slots=True)
class Node:
    """A record in the graph."""

    candidate: Candidate
    strength: float
    """From 0 to 1, of the strongest way; see `domain.graph.links`."""
    rank: float
    """The worth of the node in the answer; see `domain.graph.links.worth`."""
    hop: int = 0
    path: tuple[Step, ...] = ()
    """The edges from the root, in order."""
    score: float | None = None
    """How well the record answers the task; None if not known."""

    @property
    def id(self) -> str:
        return self.candidate.id

    @property
    def record(self) -> MemoryRecord:
        return self.candidate.stored.record

    @property
    def is_expandable(self) -> bool:
        """Whether relations of the record may be shown; a redacted record has none."""
        return self.candidate.view is View.FULL

    @property
    def place(self) -> tuple[float, int, float, str]:
        """The sort key: the highest rank first; of equal ranks the nearer to a root, the newer."""
        return (-self.rank, self.hop, -self.candidate.stored.born_s, self.id)


def with_strength(root: Node, strength: float) -> Node:
    """The root with another strength; a root stays at hop 0 however strong the ways to the root."""
    score = UNKNOWN_SCORE if root.score is None else root.score
    rank = worth(strength, root.candidate.salience, score)
    return replace(root, strength=strength, rank=rank)


def best_first(nodes: Iterable[Node]) -> Sequence[Node]:
    return sorted(nodes, key=lambda each: each.place)


MAX_HUBS = 2

LEAST_INCOMING = 100
"""Edges of a hub to follow on every page, the newest first; a request reads as many."""

MAX_EXAMINED = 5_000
"""Edges of a hub to examine in search of edges to follow; a page with a greater reach examines
this number times the reach."""

OF_OTHERS = 0.25
"""The factor on the strength of a root other than an entity: few edges point at such a record."""


def choose_hubs(
    roots: Sequence[Node], predicates: Predicates, *, with_referred: bool
) -> Sequence[str]:
    """The ids of at most MAX_HUBS hubs, the strongest first.

    `with_referred` also considers entities that roots refer to; an entity is as strong as the
    edges of all roots together.
    """
    strengths = {node.id: _strength_of_root(node) for node in roots}
    if with_referred:
        strengths = {**_strengths_of_entities(roots, predicates), **strengths}
    return sorted(strengths, key=lambda each: (-strengths[each], each))[:MAX_HUBS]


@dataclass(slots=True)
class Hub:
    """The edges that point at a hub, read when a hop needs them.

    Hidden sources, sources of other types and other predicates take further requests. Such an edge
    displaces no edge to follow, except behind `may_examine` edges.
    """

    edges: Iterator[Incoming]
    """The edges that have not been examined, the newest first."""
    is_followed: Callable[[Incoming], bool]
    at_once: int
    may_examine: int
    """Edges that may still be examined on this page."""
    followed: list[Incoming] = field(default_factory=list)
    """The edges of sources that the reader may see in full."""
    is_at_end: bool = False

    def read_on(self) -> None:
        """Find `at_once` further edges to follow, or as many as there are."""
        wanted = len(self.followed) + self.at_once
        while len(self.followed) < wanted and self.may_examine:
            edge = next(self.edges, None)
            if edge is None:
                self.is_at_end = True
                return
            self.may_examine -= 1
            if self.is_followed(edge):
                self.followed.append(edge)

    @property
    def can_read_on(self) -> bool:
        return bool(self.may_examine) and not self.is_at_end

    @property
    def is_cut(self) -> bool:
        """Whether edges remain that this page may not examine."""
        return not (self.is_at_end or self.may_examine)


def read_hubs(
    ids: Sequence[str],
    inquiry: Inquiry,
    predicates: Predicates,
    records: "DynamoRecords",
    *,
    at_once: int,
    reach: int,
) -> Mapping[str, Hub]:
    """The hubs by id, each with as many edges to follow as a hop reads, or LEAST_INCOMING.

    One request reads the first 100 edges of a hub. A page with a greater `reach` examines further.
    """
    types = frozenset((*inquiry.types, None))

    def is_followed(edge: Incoming) -> bool:
        is_asked = edge.source_type in types and predicates.admit(edge.predicate)
        return is_asked and inquiry.gate.view(edge.scope, edge.sensitivity) is View.FULL

    def read(hub_id: str) -> Hub:
        edges, most = records.incoming(hub_id, growing=True), max(at_once, LEAST_INCOMING)
        hub = Hub(edges, is_followed, most, MAX_EXAMINED * reach)
        hub.read_on()
        return hub

    return dict(zip(ids, side_by_side(read, ids), strict=True))


def _strength_of_root(root: Node) -> float:
    is_entity = root.candidate.stored.type is MemoryType.ENTITY
    return root.strength * (1.0 if is_entity else OF_OTHERS)


def _strengths_of_entities(roots: Sequence[Node], predicates: Predicates) -> dict[str, float]:
    strengths = dict[str, float]()
    for node in roots:
        for relation in predicates.of(node.record):
            if relation.predicate in TO_ENTITIES:
                known, target = strengths.get(relation.target_id, 0.0), relation.target_id
                strengths[target] = max(known, node.strength * weight_of(relation))
    return strengths
