"""The inquiries of a graph request: one for the roots, one for the further nodes."""

from dataclasses import replace
from typing import NamedTuple

from membrane.domain.access.trust import Gate
from membrane.domain.graph.requests import (
    MAX_EDGES,
    MAX_HOPS,
    MAX_ROOTS,
    USUAL_EDGES,
    USUAL_NODES,
    USUAL_ROOTS,
    RetrieveGraph,
)
from membrane.domain.search.filters import Filters
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.inquiry import Inquiry, binding_of, scopes_of


class Inquiries(NamedTuple):
    """The inquiries and limits of a graph request."""

    roots: Inquiry
    """`limit` is the number of roots."""
    further: Inquiry
    """Of the nodes added by the expansion; `limit` is the number of nodes on the page."""
    max_hops: int
    max_edges: int


def inquiries_of(request: RetrieveGraph, call: Call, services: ReadingServices) -> Inquiries:
    """Raises InvalidArgument if the scopes must be named or are too many."""
    gate = Gate.of(call.principal.trust, request.trust)
    filters = Filters(tags=request.tags)
    roots = Inquiry(
        gate=gate,
        scopes=scopes_of(gate.asked, services),
        types=filters.types_within(request.memory_types),
        filters=filters,
        binding=binding_of(request, call),
        limit=min(request.root_limit or USUAL_ROOTS, MAX_ROOTS),
        min_salience=request.min_salience,
        task=request.task_descriptor.strip(),
        min_score=services.score_floor if request.min_score is None else request.min_score,
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
