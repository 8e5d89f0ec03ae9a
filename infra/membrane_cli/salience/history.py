"""A record's past and future salience, computed from the audit trail and the record itself.

Values in the audit trail and in the record are exact, and so is the curve after the last change,
which follows the record's own decay profile. Between two known values the curve also follows the
profile, if the profile leads from the first value to the second. Otherwise a different profile was
in force, of which only the two values are known; the curve is drawn as exponential decay, which is
exact for any half-life of exponential decay and for a pinned record.

The initial salience comes from the audit entry of the sweep that prunes an untouched record, or is
computed backwards from the first known value by the profile. The initial salience stays unknown,
and the curve begins at the first known value, in three cases: the profile was changed later; the
known value is so small that many initial values lead to it; the record is deleted, and a change
came before the deletion.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import MAX_SALIENCE
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.endings import DECAY_SERVICE
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.function import (
    PRUNE_THRESHOLD,
    Anchor,
    Curves,
    due_at,
    salience_at,
    salience_before,
)
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


FORECAST_HALF_LIVES = 3


@dataclass(frozen=True, slots=True)
class Present:
    """The state of a record that is not deleted, and the time of reading the state.

    The clock may be behind the server's; `now_s` is set to the newest audit entry at least.
    """

    now_s: float
    salience: float
    lifecycle: Lifecycle
    type: str


@dataclass(frozen=True, slots=True)
class History:
    """A record's salience over time; all instants are seconds since 1970."""

    marks: tuple[Mark, ...]
    past: tuple[Stretch, ...]
    forecast: Stretch | None = None
    """From now on; None for a deleted record."""
    due_s: int | None = None
    """The instant from which a sweep may prune the record; None if never."""


def history_of(
    trail: Sequence[AuditEntry],
    present: Present | None,
    curves: Curves,
    threshold: float = PRUNE_THRESHOLD,
) -> History:
    """The history of a record; raises NotFound where a deleted record has too few saliences."""
    marks, born_s = marks_of(trail), instant_s(trail[0].timestamp)
    if present is not None:
        newest_s = max(instant_s(entry.timestamp) for entry in trail)
        present = replace(present, now_s=max(present.now_s, newest_s))
        return _Living(born_s, marks, present, curves).history(threshold)
    points = [*point_before_sweep(born_s, marks), *known_points(marks)]
    past = tuple(_stretches(points, marks, lambda _: None))
    if not past:
        raise NotFound("the record was deleted, and the audit has no salience")
    return History(marks, past)


@dataclass(frozen=True, slots=True)
class _Living:
    born_s: float
    marks: tuple[Mark, ...]
    present: Present
    curves: Curves

    def history(self, threshold: float) -> History:
        known = known_points(self.marks)
        points = [
            *(point_before_sweep(self.born_s, self.marks) or self._initial_point(known)),
            *known,
        ]
        last = points[-1] if points else self._now()
        anchor, now_s = self._anchor(last), self.present.now_s
        own = decay_course(anchor, self.present.lifecycle, self.curves)
        due_s = due_at(anchor, self.present.lifecycle, self.curves, threshold)
        past = (
            *_stretches(points, self.marks, self._unpinned_decay),
            Stretch(last.at_s, now_s, own),
        )
        end_s = self._horizon_s(past[0].begin_s, now_s, due_s)
        return History(self.marks, past, Stretch(now_s, end_s, own), due_s)

    def _now(self) -> Point:
        return Point(self.present.now_s, self.present.salience, self.present.salience)

    def _anchor(self, point: Point) -> Anchor:
        return Anchor(point.after, point.at_s, self.born_s)

    def _unpinned_decay(self, point: Point) -> Course:
        lifecycle = self.present.lifecycle.model_copy(update={"pinned": False})
        return decay_course(self._anchor(point), lifecycle, self.curves)

    def _initial_point(self, known: Sequence[Point]) -> list[Point]:
        """The initial salience, if the profile was never changed; empty if unknown."""
        if any(mark.entry.rationale.startswith(REPROFILED) for mark in self.marks):
            return []
        first = known[0] if known else self._now()
        start = first.before if self._began_pinned() else self._initial_salience(first)
        return [] if start is None else [Point(self.born_s, start, start)]

    def _began_pinned(self) -> bool:
        moved = next((mark.entry for mark in self.marks if mark.point), None)
        if moved is None:
            return self.present.lifecycle.pinned
        return moved.rationale.startswith(UNPINNED)

    def _initial_salience(self, known: Point) -> float | None:
        profile = self.present.lifecycle.decay
        if known.before <= profile.min_salience:
            return None
        age_s = known.at_s - self.born_s
        first = salience_before(known.before, age_s, profile, self.curves)
        return first if first is not None and first <= MAX_SALIENCE else None

    def _horizon_s(self, begin_s: float, now_s: float, due_s: int | None) -> float:
        """The end of the forecast: when due, in three half-lives at most; pinned, of a quarter."""
        if self.present.lifecycle.pinned:
            return now_s + max((now_s - begin_s) / 4, 1)
        far_s = now_s + FORECAST_HALF_LIVES * self.present.lifecycle.decay.half_life_seconds
        return far_s if due_s is None else max(now_s, min(far_s, due_s))


def _stretches(
    points: Sequence[Point], marks: Sequence[Mark], own: Callable[[Point], Course | None]
) -> Iterator[Stretch]:
    """The stretches between neighbouring points, without the periods of deletion."""
    ends_s = [mark.at_s for mark in marks if mark.is_end]
    for begin, end in pairwise(points):
        end_s = min([end.at_s, *(each for each in ends_s if each >= begin.at_s)])
        if begin.at_s < end_s:
            yield Stretch(begin.at_s, end_s, course_between(begin, end, own(begin)))
