"""Expand a graph from the roots: hop by hop, along relations in both directions, the best first.

A hop reads the `at_once` best records in one request. Edges decide the records to read: relations
of the nodes, edges stored with the hubs, and entries found by the search. The records as read then
decide whether an edge counts: the source must have the relation and must be shown in full.

A record that ended keeps its edges as long as the record may be restored, and a relation does not
say whether the reader may see the target. Where records read are no answer, the hop reads on until
`at_once` records are, or the page has used up its further requests: FURTHER_READS times the reach.

A hop can also lead to a node that is in the graph already. If the new way is stronger, the node
takes the strength of the new way, and the next hop goes on from the node again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from membrane.domain.access.trust import View
from membrane.domain.graph.links import (
    UNKNOWN_SCORE,
    Link,
    Predicates,
    links_back,
    links_from,
    weight_of,
    worth,
)
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.evidence import TO_ENTITIES
from membrane.domain.search.entries import has_term, mark
from membrane.domain.search.searchable import ENTITY
from membrane.usecases.graph.hubs import Hub, Node, with_strength
from membrane.usecases.graph.roots import Roots
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.search.judging import Candidate, Judge

MAX_AT_ONCE = 100
"""The most records that a hop reads, the records of one request, beside nodes of earlier pages."""

FURTHER_READS = 10
"""Further requests for records on a page; a page with a greater reach has this number times the
reach."""


@dataclass(slots=True)
class Expansion:
    """A graph growing hop by hop."""

    judge: Judge
    """Judges the nodes added by the expansion."""
    roots: Roots
    predicates: Predicates
    hubs: Mapping[str, Hub]
    """The hubs by id."""
    at_once: int
    """The records that a hop adds to the records read before."""
    further_reads: int
    """The further requests for records that are left."""
    nodes: dict[str, Node] = field(default_factory=dict)
    judged: dict[str, Candidate | None] = field(default_factory=dict)
    """The candidate of each record that was judged, by id; None for a record that is no answer."""
    early: set[str] = field(default_factory=set)
    """The ids of records that roots and earlier hops have read and used."""
    has_unread: bool = False
    """Whether there may be further nodes, which a later page reads."""
    is_cut: bool = False
    """Whether a hop ended for want of requests."""

    def expand(self, roots: Sequence[Node], max_hops: int) -> Mapping[str, Node]:
        """The roots and the nodes up to `max_hops` hops away, by id."""
        self.nodes = {each.id: each for each in roots}
        self.early |= self.judge.hydration.known.keys()
        frontier = roots
        for _ in range(max_hops):
            standing = {each.id: each for each in frontier if each.is_expandable}
            frontier = self._hop(standing)
            if not frontier:
                break
            self.nodes |= {each.id: each for each in frontier}
        self.has_unread |= any(not each.is_at_end for each in self.hubs.values())
        self.is_cut |= any(each.is_cut for each in self.hubs.values())
        return self.nodes

    def _hop(self, standing: Mapping[str, Node]) -> Sequence[Node]:
        reached = self._neighbours(standing)
        reached |= {each.id: each.candidate for each in self.nodes.values()}
        links = sorted(self._links(standing, reached), key=lambda each: each.to_id)
        grouped = groupby(links, key=lambda each: each.to_id)
        nodes = (self._node(reached[each], standing, list(several)) for each, several in grouped)
        return [each for each in nodes if self._is_stronger(each)]

    def _is_stronger(self, node: Node) -> bool:
        known = self.nodes.get(node.id)
        return known is None or node.strength > known.strength

    def _neighbours(self, standing: Mapping[str, Node]) -> dict[str, Candidate]:
        """The candidates among the records read before, and the `at_once` best of the rest."""
        ranked, in_vain, reads = self._ids_by_worth(standing), 0, 0
        while True:
            self._judge([each for each in ranked if each in self.early and each not in self.judged])
            found = self._best_of(ranked)
            lacking = self.at_once - len(found.keys() - self.early)
            if lacking and self._read_hubs_on(standing):
                ranked = self._ids_by_worth(standing)
                continue
            unread = [each for each in ranked if each not in self.judged]
            if not (lacking and unread):
                break
            if reads and not self.further_reads:
                self.is_cut = True
                break
            self.further_reads -= bool(reads)
            size = min(lacking + in_vain, MAX_AT_ONCE) if reads else lacking
            in_vain += self._judge(unread[:size])
            reads += 1
        unused = (each for each in ranked if self.judged.get(each) and each not in found)
        self.has_unread |= bool(unread) or any(unused)
        self.early |= found.keys()
        return found

    def _judge(self, record_ids: Sequence[str]) -> int:
        """Judge the records, unknown ones by one request; the number that are no answer."""
        living = self.judge.hydration.living(record_ids)
        judged = {each: self.judge.candidate_of(stored) for each, stored in living.items()}
        self.judged |= {each: judged.get(each) for each in record_ids}
        return sum(judged.get(each) is None for each in record_ids)

    def _best_of(self, ranked: Sequence[str]) -> dict[str, Candidate]:
        """The candidates among the records read before, and the `at_once` best of the rest."""
        candidates = ((each, self.judged.get(each)) for each in ranked)
        found = {each: candidate for each, candidate in candidates if candidate is not None}
        rest = [each for each in found if each not in self.early]
        for each in rest[self.at_once :]:
            del found[each]
        return found

    def _read_hubs_on(self, standing: Mapping[str, Node]) -> bool:
        """Read on at each hub whose edges all lead to judged records; whether there are further."""
        due = [
            hub
            for each, hub in self.hubs.items()
            if each in standing and hub.can_read_on and self._has_judged_all(hub)
        ]
        before = sum(len(hub.followed) for hub in due)
        side_by_side(Hub.read_on, due)
        return sum(len(hub.followed) for hub in due) > before

    def _has_judged_all(self, hub: Hub) -> bool:
        sources = (each.source_id for each in hub.followed)
        return all(each in self.judged or each in self.nodes for each in sources)

    def _ids_by_worth(self, standing: Mapping[str, Node]) -> Sequence[str]:
        """The ids of records that may be new nodes, the best first."""
        worths = dict[str, tuple[float, float]]()
        for record_id, strength, born_s in chain.from_iterable(
            map(self._offers, standing.values())
        ):
            if record_id not in self.nodes:
                offered = worth(strength, 1.0, self._highest_score(record_id)), born_s
                worths[record_id] = max(offered, worths.get(record_id, offered))
        return sorted(worths, key=lambda each: (worths[each], each), reverse=True)

    def _offers(self, node: Node) -> Iterator[tuple[str, float, float]]:
        """Possible neighbours of the node: id, strength, and creation if known, else 0."""
        for relation in self.predicates.of(node.record):
            yield relation.target_id, node.strength * weight_of(relation), 0.0
        hub = self.hubs.get(node.id)
        for edge in () if hub is None else hub.followed:
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
