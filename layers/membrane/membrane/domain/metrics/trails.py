"""What the audit trails of some records tell of those of all."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.stored import Audited

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
    def of(cls, audited: Mapping[str, Audited], chosen: Iterable[str]) -> "Trails":
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
        """Of all entries; 0 where there is none."""
        return entries / self.entries if self.entries else 0.0


def _entries(audited: Audited, actions: frozenset[AuditAction] | set[AuditAction]) -> float:
    seen = len(audited.actions)
    met = sum(action in actions for action in audited.actions)
    return audited.entries * met / seen if seen else 0.0
