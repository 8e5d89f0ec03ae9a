"""The changes of salience in an audit trail, and the course between two of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.endings import DECAY_SERVICE
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.function import Anchor, Curves, salience_at
from membrane.domain.salience.lifecycle import Lifecycle

SAME = 1e-6
"""Relative tolerance for a profile's result to count as equal to a known value."""
Course = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Point:
    """An instant with a known salience, just before and just after the instant."""

    at_s: float
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A period in which time alone changed the salience."""

    begin_s: float
    end_s: float
    salience_at: Course


def decay_course(anchor: Anchor, lifecycle: Lifecycle, curves: Curves) -> Course:
    return lambda instant_s: salience_at(instant_s, anchor, lifecycle, curves)


def course_between(begin: Point, end: Point, own: Course | None) -> Course:
    """The course from one point to the next: `own`, where `own` reaches the next point.

    Else exponential decay, or a straight line where either salience is 0.
    """
    if own is not None and math.isclose(own(end.at_s), end.before, rel_tol=SAME):
        return own
    length_s = end.at_s - begin.at_s

    def exponentially(instant_s: float) -> float:
        share = end.before / begin.after
        return float(begin.after * share ** ((instant_s - begin.at_s) / length_s))

    def along_a_line(instant_s: float) -> float:
        return begin.after + (end.before - begin.after) * (instant_s - begin.at_s) / length_s

    return exponentially if begin.after and end.before else along_a_line


REPROFILED, UNPINNED = "lifecycle ", "unpinned"
"""The first words of the rationale of a changed profile, and of an unpin.

`membrane.domain.lifecycle.changes` writes both.
"""


@dataclass(frozen=True, slots=True)
class Mark:
    at_s: float
    entry: AuditEntry

    @property
    def is_sweep(self) -> bool:
        """Whether a sweep wrote the entry; `salience_before` is then the anchor's salience."""
        return self.entry.action is AuditAction.DECAY and self.entry.principal == DECAY_SERVICE

    @property
    def point(self) -> Point | None:
        before, after = self.entry.salience_before, self.entry.salience_after
        if before is None or after is None:
            return None
        return Point(self.at_s, after if self.is_sweep else before, after)

    @property
    def is_end(self) -> bool:
        return self.entry.action is AuditAction.DELETE


def marks_of(trail: Sequence[AuditEntry]) -> tuple[Mark, ...]:
    """The marks in order; no instant precedes an earlier mark's, even after a clock went back."""
    marks: list[Mark] = []
    for entry in trail:
        if entry.salience_after is not None or entry.action is AuditAction.DELETE:
            at_s = max([instant_s(entry.timestamp), *(mark.at_s for mark in marks[-1:])])
            marks.append(Mark(at_s, entry))
    return tuple(marks)


def known_points(marks: Sequence[Mark]) -> list[Point]:
    return [mark.point for mark in marks if mark.point is not None]


def point_before_sweep(born_s: float, marks: Sequence[Mark]) -> list[Point]:
    """The initial salience, where a sweep made the first change of salience."""
    first = next((mark for mark in marks if mark.point is not None), None)
    if first is None or not first.is_sweep or first.entry.salience_before is None:
        return []
    return [Point(born_s, first.entry.salience_before, first.entry.salience_before)]


def instant_s(timestamp: str) -> float:
    """Seconds since 1970 of a timestamp of the API."""
    return epoch_seconds(datetime.fromisoformat(timestamp))
