"""Sums over records, portion by portion, and over the audit trails of a random sample."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from membrane.domain.language.vocabulary import AuditAction, MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.pruning import Ranked
from membrane.domain.records.stored import AuditSummary
from membrane.domain.salience.function import Curves, lifecycle_of_class, salience_at

DAY_S = 86_400
"""The time over which growth is measured."""

LIMITS = (0.2, 0.4, 0.6, 0.8)
"""The limits between the ranges of the salience distribution."""

CHOSEN = 500
"""Records whose audit trail is read."""

REVISIONS = frozenset((AuditAction.REVISE, AuditAction.FORK, AuditAction.MERGE))

FINE = 2**52
"""Steps of a random fraction; a float represents every one of 2**52 steps between 0 and 1."""


@dataclass(slots=True)
class Lots:
    """A uniform random sample of CHOSEN records, drawn while records are offered.

    Algorithm L (Li 1994) draws the number of records to skip before the next choice. The number of
    draws grows with the logarithm of the number of records.
    """

    draw: Callable[[int], int]
    chosen: list[str] = field(default_factory=list)
    """Ids of the chosen records; the id of a record with a weight above 1 may repeat."""
    _offered: int = 0
    _next: int = 1
    """The number of the next record to choose, counted from 1."""
    _log_least: float = 0.0
    """The logarithm of Li's W: the CHOSENth smallest of random keys of all records so far."""

    def offer(self, record_id: str, weight: int) -> None:
        """Offer a record that represents `weight` records."""
        self._offered += weight
        while self._next <= self._offered:
            if len(self.chosen) < CHOSEN:
                self.chosen.append(record_id)
            else:
                self.chosen[self.draw(CHOSEN)] = record_id
            self._next += 1 + (self._skip() if len(self.chosen) == CHOSEN else 0)

    def _skip(self) -> int:
        self._log_least += self._log_fraction() / CHOSEN
        return int(self._log_fraction() / math.log(-math.expm1(self._log_least)))

    def _log_fraction(self) -> float:
        return math.log((self.draw(FINE) + 0.5) / FINE)


@dataclass(frozen=True, slots=True)
class Trails:
    """Sums over the audit trails of the chosen records, with a record counted once a draw."""

    records: int = 0
    """Distinct records."""
    draws: int = 0
    entries: int = 0
    reinforcements: float = 0.0
    revisions: float = 0.0
    is_whole: bool = True
    """Whether every entry of every trail was read."""

    @classmethod
    def of(cls, audited: Mapping[str, AuditSummary], chosen: Iterable[str]) -> "Trails":
        """The sums over chosen records that still exist.

        The older entries of a long trail count as if their actions were like the newest entries'.
        """
        found = [audited[each] for each in chosen if each in audited]
        return cls(
            len({each.record_id for each in found}),
            len(found),
            sum(each.entries for each in found),
            sum(_entries(each, {AuditAction.REINFORCE}) for each in found),
            sum(_entries(each, REVISIONS) for each in found),
            all(len(each.actions) == each.entries for each in found),
        )

    def share(self, entries: float) -> float:
        return entries / self.entries if self.entries else 0.0


def _entries(audited: AuditSummary, actions: frozenset[AuditAction] | set[AuditAction]) -> float:
    seen = len(audited.actions)
    met = sum(action in actions for action in audited.actions)
    return audited.entries * met / seen if seen else 0.0


@dataclass(frozen=True, slots=True)
class Portion:
    """Records of one type and decay class, read in full or as a sample."""

    type: MemoryType
    decay_class: str
    population: int
    """The number of records; an estimate for a sample of all scopes."""
    read: Sequence[Ranked]
    weight: int = 1
    """The number of records that a read record represents."""
    span: int = 0
    """The upper bound of an estimate from the portion; 0 for a portion read in full."""


@dataclass(slots=True)
class Sums:
    """The sums over all added portions."""

    now_s: float
    curves: Curves
    counts: Estimate = field(default_factory=lambda: Estimate(len(LIMITS) + 2))
    """Records with salience from each of LIMITS, with any salience, and born in the last day."""
    types: Counter[MemoryType] = field(default_factory=Counter)
    pinned: int = 0
    read: int = 0
    """Records read, whatever their weight."""
    estimated: set[MemoryType] = field(default_factory=set)
    """Types with a portion that was read as a sample."""
    highest: float = 1.0
    """The highest salience of a read record, at least 1."""
    rated: Counter[MemoryType] = field(default_factory=Counter)
    """Skills and plans with a recorded performance."""
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
        """The mean over the records of a type with a recorded performance; 0 without any."""
        rated = self.rated[memory_type]
        return fsum(self._performances[memory_type]) / rated if rated else 0.0


def _reaching(saliences: Sequence[float]) -> list[int]:
    levels = Counter(bisect_right(LIMITS, value) for value in saliences)
    return [
        sum(levels[level] for level in range(lowest, len(LIMITS) + 1))
        for lowest in range(1, len(LIMITS) + 1)
    ]
