"""The edges of a graph, from the end at which an expansion stands, and the worth of a node.

The strength of a way is the strength of its root times the weights of its edges. The strongest way
counts, of at most `max_hops` edges between records that the hops have read. A hop that finds a
stronger way to a known node strengthens the node, and the next hop starts from the node again, as
in the algorithm of Bellman and Ford. A better root strengthens a root, too.
"""

from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from membrane.domain.records.evidence import inverse_of
from membrane.domain.records.records import MemoryRecord, Relation

UNKNOWN_SCORE = 0.0
"""The score of a record that the search did not find."""

SALIENCE_SHARE = 0.25
"""The share of the worth that fades with the salience: evidence fades within hours, and is still
what a question leads to. Chosen on one fold of the captures of `tests/bench`."""


class Step(NamedTuple):
    """One edge of a path."""

    from_id: str
    predicate: str
    """As seen from `from_id`."""


class Link(NamedTuple):
    """An edge that an expansion can follow."""

    step: Step
    to_id: str
    weight: float


class Predicates:
    """The predicates of the edges to follow; none stand for every predicate."""

    def __init__(self, asked: Collection[str]) -> None:
        """`asked` names each predicate as seen from either end of an edge."""
        self._either_end = frozenset(asked) | frozenset(map(inverse_of, asked))

    def admit(self, predicate: str) -> bool:
        return not self._either_end or predicate in self._either_end

    def admit_any(self, several: AbstractSet[str]) -> bool:
        return any(map(self.admit, several))

    def of(self, record: MemoryRecord) -> Iterator[Relation]:
        """The admitted relations of the record, each predicate and target once."""
        known = set[tuple[str, str]]()
        for relation in record.relations:
            key = (relation.predicate, relation.target_id)
            if key not in known and self.admit(relation.predicate):
                known.add(key)
                yield relation


def weight_of(relation: Relation) -> float:
    """The weight of a relation; 0 is the mark of an absent weight, which stands for 1."""
    return relation.weight or 1.0


def links_from(
    record: MemoryRecord, targets: Collection[str], predicates: Predicates
) -> Iterator[Link]:
    """The links from the record to `targets`, along its own relations."""
    for relation in predicates.of(record):
        if relation.target_id in targets and relation.target_id != record.id:
            step = Step(record.id, relation.predicate)
            yield Link(step, relation.target_id, weight_of(relation))


def links_back(
    record: MemoryRecord, targets: Collection[str], predicates: Predicates
) -> Iterator[Link]:
    """The links from `targets` to the record, against the record's own relations."""
    for link in links_from(record, targets, predicates):
        step = Step(link.to_id, inverse_of(link.step.predicate))
        yield Link(step, record.id, link.weight)


def worth(strength: float, salience: float, score: float = UNKNOWN_SCORE) -> float:
    """The worth of a node: the strength of the strongest way, less where the salience has faded.

    A node that answers the task itself is worth up to twice as much.
    """
    kept = 1.0 - SALIENCE_SHARE * (1.0 - min(1.0, salience))
    return strength * kept * (1.0 + score)
