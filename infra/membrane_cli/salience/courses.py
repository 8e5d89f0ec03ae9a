"""How a salience goes from one value that is known to the next."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from membrane.domain.salience.function import Anchor, Curves, salience_at
from membrane.domain.salience.lifecycle import Lifecycle

SAME = 1e-6
"""Relative: how near a profile must come to a known value to have led there."""

Course = Callable[[float], float]
"""Salience by instant."""


@dataclass(frozen=True, slots=True)
class Point:
    """An instant at which a salience is known, just before and just after it."""

    at_s: float
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which nothing but time moved the salience."""

    begin_s: float
    end_s: float
    salience_at: Course


def fading(anchor: Anchor, lifecycle: Lifecycle, curves: Curves) -> Course:
    """As that lifecycle lets it fade."""
    return lambda instant_s: salience_at(instant_s, anchor, lifecycle, curves)


def leading(begin: Point, end: Point, own: Course | None) -> Course:
    """From one point to the next: by `own`, where it leads there.

    Else exponentially, or, to or from 0, along a line.
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
