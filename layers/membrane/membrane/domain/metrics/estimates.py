"""What buckets tell of numbers that change with time: an estimate of each, and its error bound."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from membrane.domain.language.json_text import JsonObject
from membrane.domain.metrics.buckets import LIMITS
from membrane.domain.metrics.cells import GrowthCell
from membrane.domain.metrics.extents import NOISE, Extent
from membrane.domain.metrics.sheets import Sheet
from membrane.domain.salience.function import Curves

DAY_S = 86_400
"""Over which growth is measured."""

RANGES = ("0.0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1.0")
"""Each with its lower bound and without its upper one; the last has all above, too."""


@dataclass(frozen=True, slots=True)
class Between:
    """A number of which two bounds are known."""

    least: float
    most: float

    @property
    def middle(self) -> float:
        """The estimate that is off by the least."""
        return (self.least + self.most) / 2

    @property
    def count(self) -> int:
        """The same of a whole number."""
        return int(self.least + self.most) // 2

    @property
    def bound(self) -> float:
        """By how much the estimate may be off."""
        return (self.most - self.least) / 2

    @property
    def count_bound(self) -> int:
        """By how much `count` may be off."""
        return int(max(self.most - self.count, self.count - self.least))

    def give_or_take(self, off: float, most: float) -> "Between":
        """With bounds that much wider, as far as they lie between 0 and `most`."""
        least, upper = (min(most, max(0, each)) for each in (self.least - off, self.most + off))
        return Between(least, upper)


@dataclass(frozen=True, slots=True)
class Estimates:
    """Of all records of some sheets."""

    salience: Between
    """The sum of all."""
    reaching: Sequence[Between]
    """How many have so much salience at least: each of LIMITS."""
    active: Between
    born: Between
    """Within the last day."""

    @classmethod
    def of(cls, sheets: Sequence[Sheet], records: int, now_s: float, curves: Curves) -> "Estimates":
        """What the sheets tell together of so many records.

        Those that moved meanwhile may have been met twice, or not at all.
        """
        extents = [extent for sheet in sheets for extent in sheet.extents(now_s, curves)]
        astray = sum(sheet.astray for sheet in sheets)

        def counted(counts: Iterable[tuple[int, int]]) -> Between:
            return _together(counts).give_or_take(astray, records)

        return cls(
            salience=_total_salience(extents, sheets),
            reaching=[counted(extent.reaching(limit) for extent in extents) for limit in LIMITS],
            active=counted(extent.active for extent in extents),
            born=_born_since(now_s - DAY_S, sheets).give_or_take(astray, records),
        )

    def distribution(self, records: int) -> dict[str, int]:
        """How many are in each range."""
        counts = [records, *(each.count for each in self.reaching), 0]
        pairs = zip(RANGES, counts[:-1], counts[1:], strict=True)
        return {name: more - less for name, more, less in pairs}

    def bounds(self, records: int) -> JsonObject:
        """By field how far it may be off; those that are exact are left out."""
        off = [0, *(each.count_bound for each in self.reaching), 0]
        pairs = zip(RANGES, off[:-1], off[1:], strict=True)
        found = {
            "avg_salience": self._salience_bound / records,
            "salience_distribution": {
                name: bound for name, one, other in pairs if (bound := min(records, one + other))
            },
            "active_records": self.active.count_bound,
            "memory_growth_rate": self.born.bound / records,
        }
        return {name: bound for name, bound in found.items() if bound}

    @property
    def _salience_bound(self) -> float:
        """What floating-point numbers do not tell apart is no error."""
        bound = self.salience.bound
        return bound if bound > NOISE * self.salience.middle else 0.0


def _total_salience(extents: Sequence[Extent], sheets: Sequence[Sheet]) -> Between:
    """Nobody knows what those have that moved; no more than any record may."""
    least = sum(extent.total_least for extent in extents)
    most = sum(extent.total_most for extent in extents)
    off = sum(sheet.astray * sheet.highest for sheet in sheets)
    return Between(least, most).give_or_take(off, sum(sheet.most_salience for sheet in sheets))


def _together(counts: Iterable[tuple[int, int]]) -> Between:
    every = list(counts)
    return Between(sum(least for least, _ in every), sum(most for _, most in every))


def _born_since(instant_s: float, sheets: Iterable[Sheet]) -> Between:
    """Of the quarter of an hour in which the instant lies nobody knows which came after it."""
    edge = GrowthCell.at(instant_s)
    least = most = 0
    for sheet in sheets:
        later = sum(born for cell, born in sheet.growth.items() if cell.quarter > edge.quarter)
        least += later
        most += later + sheet.growth.get(edge, 0)
    return Between(least, most)
