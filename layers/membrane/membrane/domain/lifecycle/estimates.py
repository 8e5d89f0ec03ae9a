"""Counts that are exact as far as everything was looked at, and estimated where a sample was."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

CONFIDENCE = 0.99
"""With which an error bound holds."""


@dataclass(slots=True)
class Estimate:
    """How many of a population are of each of several kinds, whose numbers are added up together.

    Of the sampled part, each member that was looked at counts as many times as its chance of that
    is small (Horvitz and Thompson 1952), so that the expected value of every count is the true one.
    """

    kinds: int
    population: int = 0
    _sampled: int = 0
    """Of the population: what a sample stands for."""
    _exact: list[int] = field(init=False)
    _estimated: list[int] = field(init=False)
    _spans_squared: int = 0

    def __post_init__(self) -> None:
        self._exact = [0] * self.kinds
        self._estimated = [0] * self.kinds

    def add(
        self, population: int, counts: Sequence[int], *, weight: int = 1, span: int = 0
    ) -> None:
        """A part of the population: a sample of 1 in `weight`, whose estimate is at most `span`."""
        self.population += population
        totals = self._exact
        if weight > 1:
            self._sampled += population
            self._spans_squared += span * span
            totals = self._estimated
        totals[:] = [total + weight * count for total, count in zip(totals, counts, strict=True)]

    @property
    def counts(self) -> tuple[int, ...]:
        """Of each kind; an estimate of more than there are is cut, which brings it nearer."""
        return tuple(
            exact + min(estimated, self._sampled)
            for exact, estimated in zip(self._exact, self._estimated, strict=True)
        )

    @property
    def error_bound(self) -> int:
        """By how much a count may be off: by more with a probability of 1 - CONFIDENCE at most.

        Parts are sampled independently of each other, and the estimate of each lies between 0 and
        its span w, so that for their sum (Hoeffding 1963, theorem 2)

            P(|estimate - truth| >= t) <= 2 exp(-2 t^2 / sum of w^2)

        0 where everything was looked at.
        """
        bound = math.sqrt(math.log(2 / (1 - CONFIDENCE)) / 2 * self._spans_squared)
        return min(math.ceil(bound), self._sampled)
