"""What is summed up of records, portion by portion, as of an instant."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.salience.function import Curves, lifecycle_of_class, salience_at

DAY_S = 86_400
"""Over which growth is measured."""

LIMITS = (0.2, 0.4, 0.6, 0.8)
"""Between the ranges of the distribution."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Records of one type and decay class, of which all were read, or a sample."""

    type: MemoryType
    decay_class: str
    population: int
    """How many there are; of a sample of all scopes, as far as the sample tells."""
    read: Sequence[Ranked]
    weight: int = 1
    """How many records each one that was read stands for."""
    span: int = 0
    """The most that an estimate made of the portion can be; 0 where nothing is estimated."""


@dataclass(slots=True)
class Sums:
    """Of all portions that were added."""

    now_s: float
    curves: Curves
    counts: Estimate = field(default_factory=lambda: Estimate(len(LIMITS) + 2))
    """Records whose salience reaches each of LIMITS; those with any; those born in the last day."""
    types: Counter[MemoryType] = field(default_factory=Counter)
    pinned: int = 0
    read: int = 0
    """Records that were read, however many each stands for."""
    estimated: set[MemoryType] = field(default_factory=set)
    """Types of which not every record was read."""
    highest: float = 1.0
    """No record that was read has more salience; 1 at least."""
    rated: Counter[MemoryType] = field(default_factory=Counter)
    """Skills and plans whose performance somebody noted."""
    _saliences: list[float] = field(default_factory=list)
    _confidences: list[float] = field(default_factory=list)
    _performances: dict[MemoryType, list[float]] = field(default_factory=dict)

    def add(self, portion: Portion) -> None:
        lifecycle = lifecycle_of_class(portion.decay_class)
        read, weight = portion.read, portion.weight
        saliences = [salience_at(self.now_s, each.anchor, lifecycle, self.curves) for each in read]
        active = sum(value > 0 for value in saliences)
        born_lately = sum(each.anchor.born_s > self.now_s - DAY_S for each in read)
        counts = [*_reaching(saliences), active, born_lately]
        self.counts.add(portion.population, counts, weight=weight, span=portion.span)
        self.types[portion.type] += portion.population
        self.pinned += portion.population if lifecycle.pinned else 0
        self.read += len(read)
        self.highest = max(self.highest, *saliences) if saliences else self.highest
        self._saliences.append(weight * fsum(saliences))
        self._confidences.append(weight * fsum(each.confidence for each in read))
        performances = [each.performance for each in read if each.performance is not None]
        self._performances.setdefault(portion.type, []).append(weight * fsum(performances))
        self.rated[portion.type] += weight * len(performances)
        if weight > 1:
            self.estimated.add(portion.type)

    @property
    def records(self) -> int:
        return self.counts.population

    @property
    def salience(self) -> float:
        return fsum(self._saliences)

    @property
    def confidence(self) -> float:
        return fsum(self._confidences)

    def mean_performance(self, memory_type: MemoryType) -> float:
        """Of the records of a type whose performance somebody noted; 0 where there is none."""
        rated = self.rated[memory_type]
        return fsum(self._performances[memory_type]) / rated if rated else 0.0


def _reaching(saliences: Sequence[float]) -> list[int]:
    levels = Counter(bisect_right(LIMITS, value) for value in saliences)
    return [
        sum(levels[level] for level in range(lowest, len(LIMITS) + 1))
        for lowest in range(1, len(LIMITS) + 1)
    ]
