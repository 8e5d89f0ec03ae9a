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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import MAX_SALIENCE
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.function import (
    PRUNE_THRESHOLD,
    Anchor,
    Curves,
    due_at,
    salience_before,
)
from membrane.domain.salience.lifecycle import Lifecycle
from membrane_cli.salience.marks import (
    REPROFILED,
    UNPINNED,
    Course,
    Mark,
    Point,
    Stretch,
    course_between,
    decay_course,
    instant_s,
    known_points,
    marks_of,
    point_before_sweep,
)

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
