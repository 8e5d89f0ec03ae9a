"""The outcomes of a sweep, by kind and memory type, and the metrics of a sweep."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.world import World

SWEEP = "SweepDue"
"""The name of a sweep in fault reports."""

Kind = Literal["pruned", "forgotten", "passed over"]


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """The outcome of an item; by default nothing was due, or a concurrent writer came first."""

    kind: Kind = "passed over"
    type: MemoryType | None = None
    absorbed: tuple[MemoryType, ...] = ()
    """The types of the absorbed entities that were pruned along."""


@dataclass(slots=True)
class Tally:
    shard: int
    outcomes: Counter[SweepOutcome] = field(default_factory=Counter)
    faults: list[Exception] = field(default_factory=list)
    """The exceptions of items that failed and were put off."""
    failure: Exception | None = None
    """The exception that ended the shard early."""
    oldest_left: Due | None = None
    """The first unsettled item, left for lack of time or because the store was busy."""

    def count(self, result: SweepOutcome | Exception) -> None:
        self.oldest_left = None
        if isinstance(result, Exception):
            self.faults.append(result)
        else:
            self.outcomes[result] += 1


@dataclass(frozen=True, slots=True)
class SweepResult:
    outcomes: Counter[SweepOutcome]
    faults: tuple[Exception, ...]
    failures: tuple[Exception, ...]
    oldest_left: Due | None
    left: tuple[int, ...]
    """The shards with unsettled items, and the shards that failed."""

    @classmethod
    def of(cls, tallies: Iterable[Tally]) -> "SweepResult":
        every = list(tallies)
        left = [each for each in every if each.oldest_left is not None or each.failure is not None]
        unsettled = [each.oldest_left for each in every if each.oldest_left is not None]
        return cls(
            outcomes=sum((tally.outcomes for tally in every), Counter()),
            faults=tuple(fault for tally in every for fault in tally.faults),
            failures=tuple(tally.failure for tally in every if tally.failure is not None),
            oldest_left=min(unsettled, key=lambda due: due.due_s, default=None),
            left=tuple(each.shard for each in left),
        )

    def by_type(self, kind: Kind) -> dict[str, int]:
        """The number of records with an outcome of the kind, by memory type."""
        counts = Counter[MemoryType]()
        for outcome, number in self.outcomes.items():
            if outcome.kind == kind and outcome.type is not None:
                counts[outcome.type] += number
            if kind == "pruned":
                for each in outcome.absorbed:
                    counts[each] += number
        return dict(sorted(counts.items()))

    @property
    def passed_over(self) -> int:
        """The number of items left alone: not yet due, or changed by a concurrent writer."""
        return self.outcomes[SweepOutcome()]

    def publish(self, world: World) -> None:
        """Publish `Pruned` and `Forgotten` by type, the age of the oldest due item, and faults."""
        for metric, kind in _METRICS:
            for type_, number in self.by_type(kind).items():
                world.measure(metric, number, "Count", type=type_)
        world.measure("OldestDueAge", self.oldest_age_s(world), "Seconds")
        for fault in self.faults:
            world.report(SWEEP, FAULT, fault)

    def oldest_age_s(self, world: World) -> float:
        """The seconds since the oldest unsettled item became due; 0 if none is left."""
        if self.oldest_left is None:
            return 0.0
        return max(0.0, epoch_seconds(world.now()) - self.oldest_left.due_s)


_METRICS: tuple[tuple[str, Kind], ...] = (("Pruned", "pruned"), ("Forgotten", "forgotten"))
