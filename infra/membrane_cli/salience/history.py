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
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import MAX_SALIENCE
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.changes import DECAY_SERVICE
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience import function
from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, Curves
from membrane.domain.salience.lifecycle import Lifecycle

Course = Callable[[float], float]


class Point(NamedTuple):
    """An instant with a known salience, just before and just after the instant."""

    at_s: float
    before: float
    after: float


class Stretch(NamedTuple):
    """A period in which time alone changed the salience."""

    begin_s: float
    end_s: float
    salience_at: Course


def course_between(begin: Point, end: Point, own: Course | None) -> Course:
    """The course from one point to the next: `own`, where `own` reaches the next point.

    Else exponential decay, or a straight line where either salience is 0.
    """
    if own is not None and math.isclose(own(end.at_s), end.before, rel_tol=1e-6):
        return own
    length_s = end.at_s - begin.at_s

    def exponentially(instant_s: float) -> float:
        share = end.before / begin.after
        return float(begin.after * share ** ((instant_s - begin.at_s) / length_s))

    def along_a_line(instant_s: float) -> float:
        return begin.after + (end.before - begin.after) * (instant_s - begin.at_s) / length_s

    return exponentially if begin.after and end.before else along_a_line


class Mark(NamedTuple):
    at_s: float
    entry: AuditEntry
    is_sweep: bool
    """Whether a sweep wrote the entry; `salience_before` is then the anchor's salience."""
    point: Point | None


def instant_s(timestamp: str) -> float:
    return epoch_seconds(datetime.fromisoformat(timestamp))


class Present(NamedTuple):
    """The state of a record that is not deleted, and the time of reading the state.

    The clock may be behind the server's; `now_s` is set to the newest audit entry at least.
    """

    now_s: float
    salience: float
    lifecycle: Lifecycle
    type: str


class History(NamedTuple):
    """A record's salience over time; all instants are seconds since 1970."""

    marks: Sequence[Mark]
    past: Sequence[Stretch]
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
    marks, born_s = _marks_of(trail), instant_s(trail[0].timestamp)
    known = [mark.point for mark in marks if mark.point is not None]
    moved = next((mark for mark in marks if mark.point is not None), None)
    start: float | None = None
    if moved is not None and moved.is_sweep:  # it wrote the initial salience
        start = moved.entry.salience_before
    if present is None:
        points = known if start is None else [Point(born_s, start, start), *known]
        past = [*_stretches(points, marks, lambda _: None)]
        if not past:
            raise NotFound("the record was deleted, and the audit has no salience")
        return History(marks, past)
    now_s = max(present.now_s, *(instant_s(entry.timestamp) for entry in trail))
    now = Point(now_s, present.salience, present.salience)
    if start is None:
        start = _initial_salience(now, born_s, marks, present, curves)
    points = known if start is None else [Point(born_s, start, start), *known]

    def course_from(point: Point, lifecycle: Lifecycle) -> Course:
        anchor = Anchor(point.after, point.at_s, born_s)
        return lambda instant_s: function.salience_at(instant_s, anchor, lifecycle, curves)

    lifecycle, last = present.lifecycle, points[-1] if points else now
    unpinned = lifecycle.model_copy(update={"pinned": False})
    own = course_from(last, lifecycle)
    past = [*_stretches(points, marks, lambda point: course_from(point, unpinned))]
    past.append(Stretch(last.at_s, now_s, own))
    due_s = function.due_at(Anchor(last.after, last.at_s, born_s), lifecycle, curves, threshold)
    end_s = now_s + 3 * lifecycle.decay.half_life_seconds
    if lifecycle.pinned:
        end_s = now_s + max((now_s - past[0].begin_s) / 4, 1)
    elif due_s is not None:
        end_s = max(now_s, min(end_s, due_s))
    return History(marks, past, Stretch(now_s, end_s, own), due_s)


def _marks_of(trail: Sequence[AuditEntry]) -> Sequence[Mark]:
    """The marks in order; no instant precedes an earlier mark's, even after a clock went back."""
    marks: list[Mark] = []
    for entry in trail:
        before, after = entry.salience_before, entry.salience_after
        if after is not None or entry.action is AuditAction.DELETE:
            at_s = max([instant_s(entry.timestamp), *(mark.at_s for mark in marks[-1:])])
            is_sweep = entry.action is AuditAction.DECAY and entry.principal == DECAY_SERVICE
            point = None
            if before is not None and after is not None:
                point = Point(at_s, after if is_sweep else before, after)
            marks.append(Mark(at_s, entry, is_sweep, point))
    return marks


def _initial_salience(
    now: Point, born_s: float, marks: Sequence[Mark], present: Present, curves: Curves
) -> float | None:
    """The initial salience before the first known point, if the profile was never changed.

    `membrane.domain.lifecycle.changes` writes the rationale of a changed profile and of an unpin.
    """
    if any(mark.entry.rationale.startswith("lifecycle ") for mark in marks):
        return None
    known, was_pinned = now, present.lifecycle.pinned
    for mark in marks:
        if mark.point is not None:
            known, was_pinned = mark.point, mark.entry.rationale.startswith("unpinned")
            break
    if was_pinned:
        return known.before
    profile = present.lifecycle.decay
    if known.before <= profile.min_salience:
        return None
    start = function.salience_before(known.before, known.at_s - born_s, profile, curves)
    return start if start is not None and start <= MAX_SALIENCE else None


def _stretches(
    points: Sequence[Point], marks: Sequence[Mark], own: Callable[[Point], Course | None]
) -> Iterator[Stretch]:
    """The stretches between neighbouring points, without the periods of deletion."""
    ends_s = [mark.at_s for mark in marks if mark.entry.action is AuditAction.DELETE]
    for begin, end in pairwise(points):
        end_s = min([end.at_s, *(each for each in ends_s if each >= begin.at_s)])
        if begin.at_s < end_s:
            yield Stretch(begin.at_s, end_s, course_between(begin, end, own(begin)))
