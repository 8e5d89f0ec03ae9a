"""Expand a graph from the roots: hop by hop, along relations in both directions, the best first.

A hop reads at most `at_once` records in one request. Edges decide the records to read: relations of
the nodes, edges stored with the hubs, and entries found by the search. The records as read then
decide whether an edge counts: the source must have the relation and must be shown in full.

A hop can also lead to a node that is in the graph already. If the new way is stronger, the node
takes the strength of the new way, and the next hop goes on from the node again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from membrane.domain.access.trust import View
from membrane.domain.graph.links import Link, Predicates, links_back, links_from, weight_of
from membrane.domain.graph.strength import UNKNOWN_SCORE, worth
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.predicates import TO_ENTITIES
from membrane.domain.search.entries import has_term
from membrane.domain.search.searchable import ENTITY
from membrane.domain.search.terms import mark
from membrane.usecases.graph.nodes import Node, with_strength
from membrane.usecases.graph.roots import Roots
from membrane.usecases.ports.records import Incoming
from membrane.usecases.search.judging import Candidate, Judge


@dataclass(slots=True)
class Expansion:
    """A graph growing hop by hop."""

    judge: Judge
    """Judges the nodes added by the expansion."""
    roots: Roots
    predicates: Predicates
    incoming: Mapping[str, Sequence[Incoming]]
    """The edges to the hubs, by hub."""
    at_once: int
    """The most records that a hop reads."""
    nodes: dict[str, Node] = field(default_factory=dict)
    has_unread: bool = False
    """Whether a hop left out records that may be nodes."""

    def expand(self, roots: Sequence[Node], max_hops: int) -> Mapping[str, Node]:
        """The roots and the nodes up to `max_hops` hops away, by id."""
        self.nodes = {each.id: each for each in roots}
        frontier = roots
        for _ in range(max_hops):
            standing = {each.id: each for each in frontier if each.is_expandable}
            frontier = self._hop(standing)
            if not frontier:
                break
            self.nodes |= {each.id: each for each in frontier}
        return self.nodes

    def _hop(self, standing: Mapping[str, Node]) -> Sequence[Node]:
        """The new and the strengthened nodes next to the nodes `standing`, read in one request."""
        living = self.judge.hydration.living(self._ids_to_judge(standing))
        judged = (self.judge.candidate_of(each) for each in living.values())
        reached = {each.id: each for each in judged if each is not None}
        reached |= {each.id: each.candidate for each in self.nodes.values()}
        links = sorted(self._links(standing, reached), key=lambda each: each.to_id)
        grouped = groupby(links, key=lambda each: each.to_id)
        nodes = (self._node(reached[each], standing, list(several)) for each, several in grouped)
        return [each for each in nodes if self._is_stronger(each)]

    def _is_stronger(self, node: Node) -> bool:
        known = self.nodes.get(node.id)
        return known is None or node.strength > known.strength

    def _ids_to_judge(self, standing: Mapping[str, Node]) -> Sequence[str]:
        """The ids of the records to judge: all records read before, and the best of the rest."""
        worths = dict[str, tuple[float, float]]()
        for record_id, strength, born_s in chain.from_iterable(
            map(self._offers, standing.values())
        ):
            if record_id not in self.nodes:
                offered = worth(strength, 1.0, self._highest_score(record_id)), born_s
                worths[record_id] = max(offered, worths.get(record_id, offered))
        ranked = sorted(worths, key=lambda each: (worths[each], each), reverse=True)
        known = self.judge.hydration.known
        unread = [each for each in ranked if each not in known]
        self.has_unread |= len(unread) > self.at_once
        return [each for each in ranked if each in known] + unread[: self.at_once]

    def _offers(self, node: Node) -> Iterator[tuple[str, float, float]]:
        """Possible neighbours of the node: id, strength, and creation if known, else 0."""
        for relation in self.predicates.of(node.record):
            yield relation.target_id, node.strength * weight_of(relation), 0.0
        for edge in self.incoming.get(node.id, ()):
            yield edge.source_id, node.strength * edge.weight, edge.born_s
        scores, is_entity = self.roots.scores, node.candidate.stored.type is MemoryType.ENTITY
        if scores is not None and is_entity and self.predicates.admit_any(TO_ENTITIES):
            about = mark(ENTITY, node.id)
            for entry in scores.entries:
                if has_term(entry.terms, about):
                    yield entry.record_id, node.strength, entry.happened_s

    def _highest_score(self, record_id: str) -> float:
        scores = self.roots.scores
        return UNKNOWN_SCORE if scores is None else scores.bounds.get(record_id, UNKNOWN_SCORE)

    def _links(
        self, standing: Mapping[str, Node], reached: Mapping[str, Candidate]
    ) -> Iterator[Link]:
        for node in standing.values():
            yield from links_from(node.record, reached, self.predicates)
        for candidate in reached.values():
            if candidate.view is View.FULL:
                yield from links_back(candidate.stored.record, standing, self.predicates)

    def _node(
        self, candidate: Candidate, standing: Mapping[str, Node], links: Sequence[Link]
    ) -> Node:
        """The node behind links from nodes `standing`; the path goes on along the strongest."""
        strongest = dict[str, Link]()
        for link in sorted(links, key=lambda each: (-each.weight, each.step.predicate)):
            strongest.setdefault(link.step.from_id, link)
        parents = {each: standing[each].strength * strongest[each].weight for each in strongest}
        best = min(parents, key=lambda each: (-parents[each], standing[each].place))
        strength = parents[best]
        known = self.nodes.get(candidate.id)
        if known is not None and not known.hop:
            return with_strength(known, strength)
        parent = standing[best]
        score = self.roots.score_of(candidate.id) if candidate.view is View.FULL else None
        own = worth(strength, candidate.salience, UNKNOWN_SCORE if score is None else score)
        return Node(
            candidate,
            strength,
            own,
            parent.hop + 1,
            (*parent.path, strongest[best].step),
            score,
        )
