"""How good a ranking is: what it has of what was expected, and how high."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import fmean

DEPTHS = (5, 10, 20)
"""Places of a ranking that are looked at."""

DEPTH = max(DEPTHS)
GAINS = 10
TOP = 3
RETURNED = "returned"


def recall(ranking: Sequence[str], expected: AbstractSet[str], depth: int) -> float:
    """The share of what is expected that the first so many have."""
    return len(expected & set(ranking[:depth])) / len(expected)


def found(ranking: Sequence[str], expected: AbstractSet[str], depth: int) -> float:
    """1 where one of the first so many is expected, else 0."""
    return float(not expected.isdisjoint(ranking[:depth]))


def reciprocal_rank(ranking: Sequence[str], expected: AbstractSet[str]) -> float:
    """1 divided by the place of the first that is expected; 0 where there is none."""
    places = (place for place, key in enumerate(ranking, 1) if key in expected)
    return 1 / next(places, math.inf)


def discounted_gain(ranking: Sequence[str], expected: AbstractSet[str], depth: int) -> float:
    """NDCG: each hit counts 1 / log2(place + 1), as a share of what the best ranking has."""
    gained = sum(
        1 / math.log2(place + 1) for place, key in enumerate(ranking[:depth], 1) if key in expected
    )
    return gained / sum(1 / math.log2(place + 1) for place in range(1, 1 + _most(expected, depth)))


def scores(ranking: Sequence[str], expected: AbstractSet[str], k: int) -> Mapping[str, float]:
    """Every score of one ranking, by name; `k` is how many the question's author looks at."""
    return {
        **{f"recall@{depth}": recall(ranking, expected, depth) for depth in DEPTHS},
        "recall@k": recall(ranking, expected, k),
        f"top-{TOP}": found(ranking, expected, TOP),
        "MRR": reciprocal_rank(ranking, expected),
        f"nDCG@{GAINS}": discounted_gain(ranking, expected, GAINS),
    }


def restraint(ranking: Sequence[str]) -> Mapping[str, float]:
    """What was returned for a question that no record answers; nothing should be."""
    return {"left out": float(not ranking), RETURNED: float(len(ranking))}


def mean(several: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The mean of each score; no score where there is nothing to average."""
    names = several[0] if several else ()
    return {name: fmean(each[name] for each in several) for name in names}


def _most(expected: AbstractSet[str], depth: int) -> int:
    return min(len(expected), depth)
