"""Sheets: the cells of one place as far as they were read, up to some ceiling."""

from dataclasses import dataclass, field
from functools import lru_cache

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.metrics.amounts import RECORDS, Amounts, highest, visible, whole
from membrane.domain.metrics.buckets import Content, extent_of, most_left
from membrane.domain.metrics.cells import WEIGHT, BucketCell, GrowthCell, TotalCell, cell_named
from membrane.domain.metrics.extents import Extent
from membrane.domain.salience.function import Curves, lifecycle_of_class

fading_of = lru_cache(maxsize=1_024)(lifecycle_of_class)
"""How a decay class fades; a sheet has many cells of each."""


@dataclass(slots=True)
class Sheet:
    """What was read, from the last cell of a place back."""

    ceiling: Sensitivity
    totals: dict[TotalCell, Amounts] = field(default_factory=dict)
    growth: dict[GrowthCell, int] = field(default_factory=dict)
    buckets: list[tuple[BucketCell, Amounts]] = field(default_factory=list)
    is_whole: bool = False
    """Whether there is no cell that was not read."""
    fades_s: int | None = None
    """When the last bucket fades that was read, if any was: those behind it fade no later."""

    def add(self, name: str, amounts: Amounts) -> None:
        """One cell more."""
        seen = visible(amounts, self.ceiling)
        match cell_named(name):
            case TotalCell() as cell:
                if seen.get(RECORDS, 0) > 0:
                    self.totals[cell] = seen
            case GrowthCell() as cell:
                self.growth[cell] = seen.get(RECORDS, 0)
            case BucketCell() as cell:
                self.fades_s = cell.fades_s
                if seen.get(RECORDS, 0) > 0:
                    self.buckets.append((cell, seen))

    @property
    def has_come_to_buckets(self) -> bool:
        """Whether all totals were read, and all of growth: what comes before them was met."""
        return self.fades_s is not None

    @property
    def is_complete(self) -> bool:
        """Whether nothing is to be learnt from further cells."""
        return self.is_whole or (bool(self.buckets) and not any(self.missing().values()))

    def missing(self) -> dict[TotalCell, int]:
        """How many more of each class there are than were met in buckets."""
        left = {total: amounts.get(RECORDS, 0) for total, amounts in self.totals.items()}
        for cell, amounts in self.buckets:
            left[cell.total] = left.get(cell.total, 0) - amounts[RECORDS]
        return left

    def extents(self, now_s: float, curves: Curves) -> list[Extent]:
        """What is known of the salience of all records, those in buckets that were not read too.

        Those have faded with the last bucket that was read, or may have what any record may.
        """
        met = [_extent(cell, amounts, now_s, curves) for cell, amounts in self.buckets]
        unmet = [
            Extent.within(left, 0.0, self._most_unmet(total, now_s))
            for total, left in self.missing().items()
            if left > 0
        ]
        return met + unmet

    @property
    def most_salience(self) -> float:
        """No more than this have all records together, whatever became of them since."""
        return sum(each.get(RECORDS, 0) * highest(each) for each in self.totals.values())

    @property
    def highest(self) -> float:
        """No more than this has any record."""
        return max(map(highest, self.totals.values()), default=0.0)

    @property
    def astray(self) -> int:
        """How many records moved while the sheet was read: met twice, or not where they must be."""
        missing = self.missing().values()
        return sum(abs(left) for left in missing if left < 0 or self.is_whole)

    def _most_unmet(self, total: TotalCell, now_s: float) -> float:
        """Where there is nothing that was not read, the records moved, to nobody knows where."""
        most = highest(self.totals[total])
        if self.is_whole or self.fades_s is None:
            return most
        return min(most, most_left(self.fades_s, fading_of(total.decay_class), now_s))


def _extent(cell: BucketCell, amounts: Amounts, now_s: float, curves: Curves) -> Extent:
    lifecycle = fading_of(cell.total.decay_class)
    content = Content(cell.bucket, amounts[RECORDS], whole(amounts.get(WEIGHT, 0)))
    return extent_of(content, lifecycle, curves, now_s)
