"""The strengths of connected roots.

An edge between two roots makes the worse root at least as strong as the edge would make a further
node. Records behind a connected root therefore come before records behind worse roots.
"""

from collections.abc import Sequence
from dataclasses import replace

from membrane.domain.graph.links import Link, Predicates, links_from
from membrane.domain.graph.strength import worth
from membrane.usecases.graph.nodes import Node


def connect_roots(roots: Sequence[Node], predicates: Predicates, max_hops: int) -> list[Node]:
    """The roots with the strengths of the best connections of at most `max_hops` edges."""
    strengths = {each.id: each.strength for each in roots}
    links = _links_among([each for each in roots if each.is_expandable], predicates)
    for _ in range(min(max_hops, len(roots))):
        before = dict(strengths)
        for link in links:
            one, other = link.step.from_id, link.to_id
            strengths[other] = max(strengths[other], before[one] * link.weight)
            strengths[one] = max(strengths[one], before[other] * link.weight)
        if strengths == before:
            break
    return [_with_strength(each, strengths[each.id]) for each in roots]


def _links_among(roots: Sequence[Node], predicates: Predicates) -> Sequence[Link]:
    ids = frozenset(each.id for each in roots)
    return [link for each in roots for link in links_from(each.record, ids, predicates)]


def _with_strength(root: Node, strength: float) -> Node:
    if strength == root.strength:
        return root
    rank = worth(strength, root.candidate.salience, root.score or 0.0)
    return replace(root, strength=strength, rank=rank)
