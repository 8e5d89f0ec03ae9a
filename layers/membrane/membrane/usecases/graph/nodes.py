"""The nodes of a graph in the making."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import View
from membrane.domain.graph.links import Step
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.search.judging import Candidate


@dataclass(frozen=True, slots=True)
class Node:
    """A record in the graph."""

    candidate: Candidate
    strength: float
    """From 0 to 1: the score of the root times the weights of the edges, over all parents."""
    rank: float = math.inf
    """The worth, but at most that of the parent; a root is above every other node."""
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
        """The sort key among nodes that are no roots; no node comes before its parent."""
        return (-self.rank, self.hop, -self.candidate.stored.born_s, self.id)


def best_first(nodes: Iterable[Node]) -> Sequence[Node]:
    """The roots in the given order, then the other nodes by rank."""
    several = list(nodes)
    roots = [each for each in several if not each.hop]
    return [*roots, *sorted((each for each in several if each.hop), key=lambda each: each.place)]
