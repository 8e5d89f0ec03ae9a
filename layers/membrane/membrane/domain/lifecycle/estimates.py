"""Counts over a population that was examined in part completely and in part by samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

CONFIDENCE = 0.99
"""The probability with which an error bound holds."""


@dataclass(slots=True)
class Estimate:
    """The number of members of each kind in a population, summed over parts.

    A sampled member counts with the inverse of its probability of being sampled (Horvitz and
    Thompson 1952), so the expected value of every count is the true count.
    """

    kinds: int
    population: int = 0
    _sampled: int = 0
    """The size of the parts of the population that were sampled."""
    _exact: list[int] = field(init=False)
    _estimated: list[int] = field(init=False)
    _spans_squared: int = 0

    def __post_init__(self) -> None:
        self._exact = [0] * self.kinds
        self._estimated = [0] * self.kinds

    def add(
        self, population: int, counts: Sequence[int], *, weight: int = 1, span: int = 0
    ) -> None:
        """Add a part: counts of a sample of 1 in `weight`, an estimate of `span` at most."""
        self.population += population
        totals = self._exact
        if weight > 1:
            self._sampled += population
            self._spans_squared += span * span
            totals = self._estimated
        totals[:] = [total + weight * count for total, count in zip(totals, counts, strict=True)]

    @property
    def counts(self) -> tuple[int, ...]:
        """The count of each kind; an estimate is cut at the size of the sampled population."""
        return tuple(
            exact + min(estimated, self._sampled)
            for exact, estimated in zip(self._exact, self._estimated, strict=True)
        )

    @property
    def error_bound(self) -> int:
        """The largest error of a count, with probability CONFIDENCE; 0 without samples.

        Parts are sampled independently, and the estimate of a part lies between 0 and the span w
        of the part, so for the sum of the estimates (Hoeffding 1963, theorem 2)

            P(|estimate - truth| >= t) <= 2 exp(-2 t^2 / sum of w^2)
        """
        bound = math.sqrt(math.log(2 / (1 - CONFIDENCE)) / 2 * self._spans_squared)
        return min(math.ceil(bound), self._sampled)
