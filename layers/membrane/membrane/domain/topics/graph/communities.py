"""Communities: groups of topics with more links inside than to the rest of the graph.

The Louvain method maximises the modularity (Blondel et al., "Fast unfolding of communities in large
networks", 2008): a topic moves to the neighbouring community with the highest gain; communities
then become the nodes of the next level. Modularity splits a long chain of links into pieces;
connected components, as in MemState, would make the whole chain one community.

The result is deterministic: nodes are visited in order, and ties go to the lowest community number.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Weights = Sequence[Mapping[int, float]]
"""By node, the neighbours with the weight of the link, in both directions."""

MAX_ROUNDS = 32
"""Passes over all nodes at one level; later moves gain next to nothing."""

LEAST_GAIN = 1e-9


def communities(neighbours: Weights) -> Sequence[int]:
    """By node, the number of the community: from 0, in the order of the first nodes."""
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
    """One level of the method; at first, every node is a community of its own."""

    weights: Weights
    home: list[int] = field(init=False)
    strength: list[float] = field(init=False)
    """By node, the weight of all links."""
    total: list[float] = field(init=False)
    """By community, the strength of all nodes."""

    def __post_init__(self) -> None:
        self.home = list(range(len(self.weights)))
        self.strength = [sum(each.values()) for each in self.weights]
        self.total = list(self.strength)

    def move_nodes(self) -> Sequence[int]:
        """By node, the community, after no move to a different community gains."""
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
        """The community with the highest gain for the node; the current one without a gain."""
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
    """By node, the first node reachable inside the community.

    A community may have become disconnected; the parts are then communities of their own.
    """
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
    """The communities as nodes; links inside a community become a link of the node to itself."""
    joined: list[defaultdict[int, float]] = [defaultdict(float) for _ in range(max(found) + 1)]
    for node, near in enumerate(weights):
        for other, weight in near.items():
            joined[found[node]][found[other]] += weight
    return joined


def _renumber(labels: Sequence[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]
