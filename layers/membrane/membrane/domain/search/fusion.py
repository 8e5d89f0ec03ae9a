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

    The defaults are in the middle of what the sets of `tests/bench` like, with a language model as
    embedder.
    """

    lexical: float = 1.0
    dense: float = 0.7
    neighbours: float = 1.8
    marks: float = 0.45
    period: float = 0.4
    salience: float = 0.15
    recency: float = 0.05
    selector: float = 0.05

    def score(self, parts: Mapping[str, float]) -> float:
        """The weighed sum of the parts, by name."""
        return math.fsum(
            getattr(self, each.name) * parts.get(each.name, 0.0) for each in fields(self)
        )


def default_weights(*, has_model: bool) -> Weights:
    """Without a model, vectors tell little that the words do not."""
    return Weights() if has_model else Weights(dense=0.2)


def recency(age_s: float) -> float:
    """The part of a score for being new: 1 for what is not older than now, half 30 days later."""
    return math.exp2(-max(0.0, age_s) / RECENCY_HALF_LIFE_S)
