"""The course of a salience between two known values."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from membrane.domain.salience.function import Anchor, Curves, salience_at
from membrane.domain.salience.lifecycle import Lifecycle

SAME = 1e-6
"""Relative tolerance for a profile's result to count as equal to a known value."""

Course = Callable[[float], float]
"""Salience by instant."""


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
