"""The nodes of a graph in the making."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from membrane.domain.access.trust import View
from membrane.domain.graph.links import UNKNOWN_SCORE, Step, worth
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.search.judging import Candidate


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
