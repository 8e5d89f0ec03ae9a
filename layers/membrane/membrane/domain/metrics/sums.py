"""What is summed up of records, portion by portion, and of the audit trails of some of them."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from membrane.domain.language.vocabulary import AuditAction, MemoryType
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.records.stored import AuditSummary
from membrane.domain.salience.function import Curves, lifecycle_of_class, salience_at

DAY_S = 86_400
"""Over which growth is measured."""

LIMITS = (0.2, 0.4, 0.6, 0.8)
"""Between the ranges of the distribution."""

CHOSEN = 500
"""Records whose audit is read."""

REVISIONS = frozenset((AuditAction.REVISE, AuditAction.FORK, AuditAction.MERGE))

FINE = 2**52
"""Steps of a random fraction: as many as a float tells apart everywhere between 0 and 1."""


@dataclass(slots=True)
class Lots:
    """Draws CHOSEN of the records that are offered, each as likely as any other.

    Algorithm L (Li 1994) draws how many records are passed over before the next one is taken. So
    the draws grow with the logarithm of the number of records that the rows stand for.
    """

    draw: Callable[[int], int]
    chosen: list[str] = field(default_factory=list)
    """Ids; of a record that stands for others, too, the id may come more than once."""
    _offered: int = 0
    _next: int = 1
    """The number, from 1 on, of the next record that is taken."""
    _log_least: float = 0.0
    """The logarithm of W: of random keys for all records so far, the CHOSENth smallest."""

    def offer(self, record_id: str, weight: int) -> None:
        """A record that stands for so many."""
        self._offered += weight
        while self._next <= self._offered:
            if len(self.chosen) < CHOSEN:
                self.chosen.append(record_id)
            else:
                self.chosen[self.draw(CHOSEN)] = record_id
            self._next += 1 + (self._passed_over() if len(self.chosen) == CHOSEN else 0)

    def _passed_over(self) -> int:
        """How many records are not taken before the next one."""
        self._log_least += self._log_fraction() / CHOSEN
        return int(self._log_fraction() / math.log(-math.expm1(self._log_least)))

    def _log_fraction(self) -> float:
        return math.log((self.draw(FINE) + 0.5) / FINE)


@dataclass(frozen=True, slots=True)
class Trails:
    """Sums over the audit of some records, each counted as often as it was drawn."""

    records: int = 0
    """Different ones."""
    draws: int = 0
    entries: int = 0
    reinforcements: float = 0.0
    revisions: float = 0.0
    is_whole: bool = True
    """Whether every entry of each of the records was looked at."""

    @classmethod
    def of(cls, audited: Mapping[str, AuditSummary], chosen: Iterable[str]) -> "Trails":
        """Each chosen record that is still there counts as often as it was chosen.

        Older entries of a long trail are taken to be like the newest.
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
