"""The score of a candidate: the weighted sum of the parts."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

UNKNOWN = 0.5
"""The usefulness of a record without credit: as likely useful as not."""

CONTESTED = 0.7
"""The factor on the score of a contested fact."""

USEFULNESS = "usefulness"

RECENCY_HALF_LIFE_S = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of a score; a part is from 0 to 1.

    The defaults were chosen on one fold of all sets of `tests/bench` together.
    """

    lexical: float = 1.0
    dense: float = 1.5
    neighbours: float = 2.5
    marks: float = 0.2
    period: float = 0.5
    entities: float = 0.0
    salience: float = 0.15
    recency: float = 0.05
    selector: float = 0.05
    usefulness: float = 0.1
    """Of the difference from UNKNOWN, so that a record without credit scores as without the part.
    Chosen on seeds of the simulation in `tests/bench/credit.py`."""

    def score(self, parts: Mapping[str, float]) -> float:
        return math.fsum(
            getattr(self, each.name) * (parts.get(each.name, base) - base)
            for each in fields(self)
            for base in [UNKNOWN if each.name == USEFULNESS else 0.0]
        )


def recency(age_s: float) -> float:
    """The part of a score for recency: 1 at age 0, half after RECENCY_HALF_LIFE_S."""
    return math.exp2(-max(0.0, age_s) / RECENCY_HALF_LIFE_S)
