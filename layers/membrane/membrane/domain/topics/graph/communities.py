"""Communities: topics that belong together more than with others.

Communities are sought that have the highest modularity, by the method of Louvain (Blondel et al.,
"Fast unfolding of communities in large networks", 2008): each topic goes to the community of its
neighbours that it adds most to; communities then become nodes, and it begins again. A chain of
links falls apart into pieces, where joining whatever is linked (spec 6.4) would make it one.

Nothing is left to chance: nodes are visited in their order, and of equal communities that of the
lowest number is taken.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Weights = Sequence[Mapping[int, float]]
"""By node its neighbours, each with the weight of the link; in both directions."""

MAX_ROUNDS = 32
"""Of visiting every node at one level; what still moves then adds next to nothing."""

LEAST_GAIN = 1e-9


def communities(neighbours: Weights) -> Sequence[int]:
    """By node the number of its community: from 0, in the order of their first nodes."""
    members = list(range(len(neighbours)))
    weights = neighbours
    while True:
        found = _renumber(_Level(weights).move_nodes())
        if len(set(found)) == len(weights):
            return _renumber(_split_disconnected(neighbours, members))
        members = [found[node] for node in members]
        weights = _aggregate(weights, found)


@dataclass(slots=True)
class _Level:
    """Nodes, each of which begins as a community of its own."""

    weights: Weights
    home: list[int] = field(init=False)
    strength: list[float] = field(init=False)
    """By node the weight of all its links."""
    total: list[float] = field(init=False)
    """By community the strength of all its nodes."""

    def __post_init__(self) -> None:
        self.home = list(range(len(self.weights)))
        self.strength = [sum(each.values()) for each in self.weights]
        self.total = list(self.strength)

    def move_nodes(self) -> Sequence[int]:
        """By node its community, once no node gains by going elsewhere."""
        whole = sum(self.strength)
        for _ in range(MAX_ROUNDS if whole > 0.0 else 0):
            moves = sum(self._move_node(node, whole) for node in range(len(self.weights)))
            if not moves:
                break
        return self.home

    def _move_node(self, node: int, whole: float) -> bool:
        before = self.home[node]
        self.total[before] -= self.strength[node]
        after = self._best(node, whole)
        self.total[after] += self.strength[node]
        self.home[node] = after
        return after != before

    def _best(self, node: int, whole: float) -> int:
        """The community that the node adds most to; its own where no other gains."""
        links: defaultdict[int, float] = defaultdict(float)
        for other, weight in self.weights[node].items():
            if other != node:
                links[self.home[other]] += weight
        share = self.strength[node] / whole
        best = self.home[node]
        most = links[best] - share * self.total[best]
        for community in sorted(links):
            gain = links[community] - share * self.total[community]
            if gain > most + LEAST_GAIN:
                best, most = community, gain
        return best


def _split_disconnected(weights: Weights, members: Sequence[int]) -> Sequence[int]:
    """By node the first node it reaches inside its community, which may have fallen in two."""
    first: dict[int, int] = {}
    for node in range(len(weights)):
        waiting = [] if node in first else [node]
        while waiting:
            reached = waiting.pop()
            if reached not in first:
                first[reached] = node
                waiting += [each for each in weights[reached] if members[each] == members[node]]
    return [first[node] for node in range(len(weights))]


def _aggregate(weights: Weights, found: Sequence[int]) -> Weights:
    """The communities as nodes; what is linked within one is a link to itself."""
    joined: list[defaultdict[int, float]] = [defaultdict(float) for _ in range(max(found) + 1)]
    for node, near in enumerate(weights):
        for other, weight in near.items():
            joined[found[node]][found[other]] += weight
    return joined


def _renumber(labels: Sequence[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]
