"""The hubs of a graph: the records whose incoming edges are read."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from membrane.domain.access.trust import View
from membrane.domain.graph.links import Predicates, weight_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.predicates import TO_ENTITIES
from membrane.usecases.graph.nodes import Node
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.records import Incoming, RecordStore
from membrane.usecases.search.inquiry import Inquiry

MAX_HUBS = 2

LEAST_INCOMING = 100
"""Edges of a hub to follow on every page, the newest first; a request reads as many."""

MAX_EXAMINED = 1_000
"""Edges of a hub to read in search of edges to follow."""

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


class Edges(NamedTuple):
    """The edges that point at hubs."""

    by_hub: Mapping[str, Sequence[Incoming]]
    are_cut: bool
    """Whether a hub may have further edges."""


def read_incoming(
    hubs: Sequence[str],
    inquiry: Inquiry,
    predicates: Predicates,
    records: RecordStore,
    at_once: int,
) -> Edges:
    """The edges of sources that the reader may see in full; one request for 100 edges of a hub.

    Reads as many edges of a hub as a hop reads records, or LEAST_INCOMING.

    Edges of hidden sources, of sources of other types and of other predicates take further
    requests, and never displace an edge to follow.
    """
    types, most = frozenset((*inquiry.types, None)), max(at_once, LEAST_INCOMING)

    def is_followed(edge: Incoming) -> bool:
        is_asked = edge.source_type in types and predicates.admit(edge.predicate)
        return is_asked and inquiry.gate.view(edge.scope, edge.sensitivity) is View.FULL

    def read(hub: str) -> Sequence[Incoming]:
        examined = islice(records.incoming(hub), MAX_EXAMINED)
        return list(islice(filter(is_followed, examined), most))

    by_hub = dict(zip(hubs, side_by_side(read, hubs), strict=True))
    return Edges(by_hub, any(len(edges) == most for edges in by_hub.values()))


def _strength_of_root(root: Node) -> float:
    is_entity = root.candidate.stored.type is MemoryType.ENTITY
    return root.strength * (1.0 if is_entity else OF_OTHERS)


def _strengths_of_entities(roots: Sequence[Node], predicates: Predicates) -> dict[str, float]:
    """The strengths of the entities that roots refer to, by id."""
    strengths = dict[str, float]()
    for node in roots:
        for relation in predicates.of(node.record):
            if relation.predicate in TO_ENTITIES:
                known, target = strengths.get(relation.target_id, 0.0), relation.target_id
                strengths[target] = max(known, node.strength * weight_of(relation))
    return strengths
