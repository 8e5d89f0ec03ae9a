"""How what speaks for a record becomes one score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

CONTESTED = 0.7
"""What a score is multiplied by where the record is a fact that is contested."""

RECENCY_HALF_LIFE_S = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of a score counts; a part is from 0 to 1 before it is weighed.

    The defaults were chosen on one fold of the sets of `tests/bench` together.
    """

    lexical: float = 1.0
    dense: float = 1.5
    neighbours: float = 2.5
    marks: float = 0.2
    period: float = 0.5
    salience: float = 0.15
    recency: float = 0.05
    selector: float = 0.05

    def score(self, parts: Mapping[str, float]) -> float:
        return math.fsum(
            getattr(self, each.name) * parts.get(each.name, 0.0) for each in fields(self)
        )


def recency(age_s: float) -> float:
    """The part of a score for being new: 1 for what is not older than now, half 30 days later."""
    return math.exp2(-max(0.0, age_s) / RECENCY_HALF_LIFE_S)
