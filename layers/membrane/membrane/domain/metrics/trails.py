"""What the audit trails of some records tell of those of all."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.audited import Audited

CHOSEN = 500
"""Records whose audit is read."""

REVISIONS = frozenset((AuditAction.REVISE, AuditAction.FORK, AuditAction.MERGE))


@dataclass(slots=True)
class Lots:
    """Draws CHOSEN of the records that are offered, each as likely as any other (Vitter 1985)."""

    draw: Callable[[int], int]
    offered: int = 0
    chosen: list[str] = field(default_factory=list)
    """Ids; of a record that stands for others, too, the id may come more than once."""

    def offer(self, record_id: str, weight: int) -> None:
        """A record that stands for so many."""
        for _ in range(weight):
            self.offered += 1
            if len(self.chosen) < CHOSEN:
                self.chosen.append(record_id)
            elif (place := self.draw(self.offered)) < CHOSEN:
                self.chosen[place] = record_id


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
        """Of the chosen records that are still there, each as often as it was chosen.

        The older entries of a long trail are taken to be like the newest.
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
    """How many of the record's entries tell of these actions."""
    seen = len(audited.actions)
    met = sum(action in actions for action in audited.actions)
    return audited.entries * met / seen if seen else 0.0
