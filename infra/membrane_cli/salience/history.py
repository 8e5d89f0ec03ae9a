"""What a record's salience was and will be, from its audit trail and the record itself.

Exact is every value that either of them tells, and all that comes after the last change, from where
the record's own profile holds. It also holds between two told values where it leads from the one to
the other. Else the profile was another one, of which no more than its two ends are known: there the
curve is drawn as exponential decay, which is exact for any half-life and for a pinned record.

What a record was at first is told by the sweep that prunes it untouched, or computed backwards by
its profile. It stays unknown, so that the curve begins at the first told value, where the profile
was changed later, where so little is left that many beginnings lead there, or where the record is
deleted and another change came before.
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
from membrane_cli.salience.courses import Course, Point, Stretch, fading, leading
from membrane_cli.salience.marks import (
    REPROFILED,
    UNPINNED,
    Mark,
    before_sweep,
    instant_s,
    marks_of,
    told_by,
)

FORECAST_HALF_LIVES = 3


@dataclass(frozen=True, slots=True)
class Present:
    """What a record that is not deleted says of itself, and when.

    By a clock that may be behind the server's: it is not earlier than the newest audit entry.
    """

    now_s: float
    salience: float
    lifecycle: Lifecycle
    type: str


@dataclass(frozen=True, slots=True)
class History:
    """A salience over time; all instants are seconds since 1970."""

    marks: tuple[Mark, ...]
    past: tuple[Stretch, ...]
    forecast: Stretch | None = None
    """From now on, where the record is not deleted."""
    due_s: int | None = None
    """When the record becomes prunable, where it ever does."""


def history_of(
    trail: Sequence[AuditEntry],
    present: Present | None,
    curves: Curves,
    threshold: float = PRUNE_THRESHOLD,
) -> History:
    """The history of a record; a deleted one has no present.

    Raises NotFound where the audit of a deleted record tells too little.
    """
    marks, born_s = marks_of(trail), instant_s(trail[0].timestamp)
    if present is not None:
        newest_s = max(instant_s(entry.timestamp) for entry in trail)
        present = replace(present, now_s=max(present.now_s, newest_s))
        return _Living(born_s, marks, present, curves).history(threshold)
    points = [*before_sweep(born_s, marks), *told_by(marks)]
    past = tuple(_stretches(points, marks, lambda _: None))
    if not past:
        raise NotFound("the record was deleted, and its audit does not tell its salience")
    return History(marks, past)


@dataclass(frozen=True, slots=True)
class _Living:
    """A record that is not deleted."""

    born_s: float
    marks: tuple[Mark, ...]
    present: Present
    curves: Curves

    def history(self, threshold: float) -> History:
        """With the forecast."""
        told = told_by(self.marks)
        points = [*(before_sweep(self.born_s, self.marks) or self._computed(told)), *told]
        last = points[-1] if points else self._now()
        anchor, now_s = self._anchor(last), self.present.now_s
        own = fading(anchor, self.present.lifecycle, self.curves)
        due_s = due_at(anchor, self.present.lifecycle, self.curves, threshold)
        past = (*_stretches(points, self.marks, self._unpinned), Stretch(last.at_s, now_s, own))
        end_s = self._horizon_s(past[0].begin_s, now_s, due_s)
        return History(self.marks, past, Stretch(now_s, end_s, own), due_s)

    def _now(self) -> Point:
        return Point(self.present.now_s, self.present.salience, self.present.salience)

    def _anchor(self, point: Point) -> Anchor:
        return Anchor(point.after, point.at_s, self.born_s)

    def _unpinned(self, point: Point) -> Course:
        """As the record would have faded from there with the profile that it has now."""
        lifecycle = self.present.lifecycle.model_copy(update={"pinned": False})
        return fading(self._anchor(point), lifecycle, self.curves)

    def _computed(self, told: Sequence[Point]) -> list[Point]:
        """What the record was at first, if its profile was always this one; nothing if unknown."""
        if any(mark.entry.rationale.startswith(REPROFILED) for mark in self.marks):
            return []
        known = told[0] if told else self._now()
        first = known.before if self._began_pinned() else self._faded_from(known)
        return [] if first is None else [Point(self.born_s, first, first)]

    def _began_pinned(self) -> bool:
        moved = next((mark.entry for mark in self.marks if mark.point), None)
        if moved is None:
            return self.present.lifecycle.pinned
        return moved.rationale.startswith(UNPINNED)

    def _faded_from(self, known: Point) -> float | None:
        profile = self.present.lifecycle.decay
        if known.before <= profile.min_salience:
            return None
        age_s = known.at_s - self.born_s
        first = salience_before(known.before, age_s, profile, self.curves)
        return first if first is not None and first <= MAX_SALIENCE else None

    def _horizon_s(self, begin_s: float, now_s: float, due_s: int | None) -> float:
        """Until it is due, three half-lives at most; what is pinned stays as it is."""
        if self.present.lifecycle.pinned:
            return now_s + max((now_s - begin_s) / 4, 1)
        far_s = now_s + FORECAST_HALF_LIVES * self.present.lifecycle.decay.half_life_seconds
        return far_s if due_s is None else max(now_s, min(far_s, due_s))


def _stretches(
    points: Sequence[Point], marks: Sequence[Mark], own: Callable[[Point], Course | None]
) -> Iterator[Stretch]:
    """From point to point, but for the times in which the record was deleted."""
    ends_s = [mark.at_s for mark in marks if mark.is_end]
    for begin, end in pairwise(points):
        end_s = min([end.at_s, *(each for each in ends_s if each >= begin.at_s)])
        if begin.at_s < end_s:
            yield Stretch(begin.at_s, end_s, leading(begin, end, own(begin)))
