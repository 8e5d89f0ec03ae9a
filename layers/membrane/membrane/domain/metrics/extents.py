"""Between what and what the saliences of some records lie."""

import math
from dataclasses import dataclass

from membrane.domain.language.fields import VANISHING

NOISE = 1e-9
"""Relative: what floating-point numbers do not tell apart here."""


@dataclass(frozen=True, slots=True)
class Extent:
    """So many records, the bounds of each one's salience, and those of their sum."""

    records: int
    least: float
    most: float
    total_least: float
    total_most: float
    noise: float = NOISE
    """How far off, relatively, the bounds of each may be."""

    @classmethod
    def within(cls, records: int, least: float, most: float) -> "Extent":
        """Of which nothing is known but the bounds of each, and these precisely."""
        return cls(records, least, most, records * least, records * most, noise=0.0)

    @classmethod
    def exactly(cls, records: int, salience: float) -> "Extent":
        """Which all have that salience."""
        return cls.within(records, salience, salience)

    def reaching(self, limit: float) -> tuple[int, int]:
        """How many of them have that much salience at least: so many at least, and at most.

        With so many that reach it, the sum is `reaching * limit + others * least` at least, and
        `reaching * most + others * limit` at most.
        """
        below, above = limit * (1 - self.noise), limit * (1 + self.noise)
        if self.least >= above:
            return self.records, self.records
        if self.most < below:
            return 0, 0
        fewest, most = 0, self.records
        if below > self.least:
            share = (self.total_most - self.records * self.least) / (below - self.least)
            most = _within(math.floor(share + NOISE * (1 + self.records)), self.records)
        if self.most > above:
            share = (self.total_least - self.records * above) / (self.most - above)
            fewest = _within(math.ceil(share - NOISE * (1 + self.records)), self.records)
        return min(fewest, most), most

    @property
    def active(self) -> tuple[int, int]:
        """How many of them have any salience at all."""
        return self.reaching(VANISHING)


def _within(count: int, records: int) -> int:
    return max(0, min(count, records))
