"""What an audit trail tells of a record's salience."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.endings import DECAY_SERVICE
from membrane.domain.records.records import AuditEntry
from membrane_cli.salience.courses import Point

REPROFILED, UNPINNED = "lifecycle ", "unpinned"
"""How the rationale of such a change begins (`membrane.domain.lifecycle.changes`)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An audit entry that moved the salience, or ended the record."""

    at_s: float
    entry: AuditEntry

    @property
    def is_sweep(self) -> bool:
        """Whether a sweep wrote it: `salience_before` is then the anchor's, from its instant."""
        return self.entry.action is AuditAction.DECAY and self.entry.principal == DECAY_SERVICE

    @property
    def point(self) -> Point | None:
        """What it tells of the salience at its instant."""
        before, after = self.entry.salience_before, self.entry.salience_after
        if before is None or after is None:
            return None
        return Point(self.at_s, after if self.is_sweep else before, after)

    @property
    def is_end(self) -> bool:
        """Whether the record was deleted then."""
        return self.entry.action is AuditAction.DELETE


def marks_of(trail: Sequence[AuditEntry]) -> tuple[Mark, ...]:
    """In order; an instant is never before the last one, whatever a server's clock said."""
    marks: list[Mark] = []
    for entry in trail:
        if entry.salience_after is not None or entry.action is AuditAction.DELETE:
            at_s = max([instant_s(entry.timestamp), *(mark.at_s for mark in marks[-1:])])
            marks.append(Mark(at_s, entry))
    return tuple(marks)


def told_by(marks: Sequence[Mark]) -> list[Point]:
    """Every salience that the trail tells, in order."""
    return [mark.point for mark in marks if mark.point is not None]


def before_sweep(born_s: float, marks: Sequence[Mark]) -> list[Point]:
    """What the record was at first, where a sweep was the first to move it."""
    first = next((mark for mark in marks if mark.point is not None), None)
    if first is None or not first.is_sweep or first.entry.salience_before is None:
        return []
    return [Point(born_s, first.entry.salience_before, first.entry.salience_before)]


def instant_s(timestamp: str) -> float:
    """Seconds since 1970 of a timestamp of the API."""
    return epoch_seconds(datetime.fromisoformat(timestamp))
