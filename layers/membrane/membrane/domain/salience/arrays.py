"""Salience for many anchors of one decay class at once, in numpy.

`membrane.domain.salience.function` has functions of the same names, with formulas and units. Both
modules agree to a relative 1e-12: numpy's powers and logarithms may differ from the C library's in
the last digits. An instant that never comes is infinity, which compares as later than any instant.

No other module of the domain or the use cases imports numpy, because only the Lambda functions
that rank have numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.language.fields import VANISHING
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, CurvePoints, Curves
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Anchors:
    """Anchors as arrays of the same length."""

    salience: Floats
    at_s: Floats
    born_s: Floats

    @classmethod
    def of(cls, anchors: Sequence[Anchor]) -> "Anchors":
        return cls(*np.array(anchors, np.float64).reshape(-1, len(Anchor._fields)).T)


def saliences_at(now_s: float, anchors: Anchors, lifecycle: Lifecycle, curves: Curves) -> Floats:
    if lifecycle.pinned:
        return _without_vanishing(anchors.salience)
    profile = lifecycle.decay
    ages_s = np.maximum(0.0, now_s - anchors.at_s)
    faded = anchors.salience * _shares_left(ages_s / profile.half_life_seconds, profile, curves)
    values = np.maximum(faded, np.minimum(anchors.salience, profile.min_salience))
    values = _without_vanishing(values)
    if not profile.max_age_seconds:
        return values
    return np.where(now_s - anchors.born_s >= profile.max_age_seconds, 0.0, values)


def anchors_at(anchors: Anchors, now_s: float, lifecycle: Lifecycle, curves: Curves) -> Anchors:
    """The anchors moved to `now_s`, from where a new profile may apply; none moves back in time."""
    saliences = saliences_at(now_s, anchors, lifecycle, curves)
    return Anchors(saliences, np.maximum(anchors.at_s, now_s), anchors.born_s)


def faded_at(salience: float, anchors: Anchors, lifecycle: Lifecycle, curves: Curves) -> Floats:
    """See `function.faded_at`; infinity for never."""
    if lifecycle.pinned:
        return np.where(anchors.salience <= salience, anchors.at_s, np.inf)
    profile = lifecycle.decay
    instants = anchors.at_s + _ages_at(salience, anchors.salience, profile, curves)
    if not profile.max_age_seconds:
        return instants
    return np.minimum(instants, np.maximum(anchors.at_s, anchors.born_s + profile.max_age_seconds))


def prunable_at(
    anchors: Anchors, lifecycle: Lifecycle, curves: Curves, threshold: float = PRUNE_THRESHOLD
) -> Floats:
    """See `function.prunable_at`; infinity for never."""
    if lifecycle.pinned or lifecycle.deletion_policy is not DeletionPolicy.AUTO_PRUNE:
        return np.full_like(anchors.at_s, np.inf)
    return faded_at(threshold, anchors, lifecycle, curves)


def counts_until(instants_s: Sequence[float], arrivals_s: Floats) -> list[int]:
    """For each instant, the number of arrivals up to and including the instant."""
    return [int(count) for count in np.searchsorted(np.sort(arrivals_s), instants_s, side="right")]


def soonest(arrivals_s: Floats, by_s: float, count: int) -> list[tuple[float, int]]:
    """The first `count` arrivals up to `by_s`, each with the position among all arrivals."""
    positions = np.argsort(arrivals_s, kind="stable")[:count]
    return [(float(arrivals_s[each]), int(each)) for each in positions if arrivals_s[each] <= by_s]


def _without_vanishing(saliences: Floats) -> Floats:
    return np.where(saliences >= VANISHING, saliences, 0.0)


def _shares_left(ages: Floats, profile: DecayProfile, curves: Curves) -> Floats:
    match profile.curve:
        case DecayCurve.EXPONENTIAL:
            return np.exp2(-ages)
        case DecayCurve.LINEAR:
            return np.maximum(0.0, 1.0 - ages / 2.0)
        case DecayCurve.CUSTOM:
            return _interpolate(ages, curves[profile.custom_curve])


def _interpolate(ages: Floats, points: CurvePoints) -> Floats:
    """Linear interpolation; `np.interp` rounds differently, with large relative errors near 0."""
    at, shares = _columns(points)
    right = np.minimum(np.searchsorted(at, ages, side="right"), len(points) - 1)
    left = right - 1
    within = np.minimum(ages, at[-1])
    fallen = (shares[right] - shares[left]) * (within - at[left]) / (at[right] - at[left])
    left_over: Floats = np.where(ages < at[-1], shares[left] + fallen, shares[-1])
    return left_over


def _ages_at(threshold: float, saliences: Floats, profile: DecayProfile, curves: Curves) -> Floats:
    if profile.min_salience >= threshold:
        return np.where(saliences >= threshold, np.inf, 0.0)
    fading = saliences > threshold
    shares = threshold / np.where(fading, saliences, threshold)  # never divides by 0
    ages = _ages_of_shares(shares, profile, curves)
    return np.where(fading, ages * profile.half_life_seconds, 0.0)


def _ages_of_shares(shares: Floats, profile: DecayProfile, curves: Curves) -> Floats:
    match profile.curve:
        case DecayCurve.EXPONENTIAL:
            return -np.log2(shares)
        case DecayCurve.LINEAR:
            return 2.0 * (1.0 - shares)
        case DecayCurve.CUSTOM:
            return _first_crossings(shares, curves[profile.custom_curve])


def _first_crossings(wanted: Floats, points: CurvePoints) -> Floats:
    at, shares = _columns(points)
    right = np.clip(np.searchsorted(-shares, -wanted, side="left"), 1, len(points) - 1)
    left = right - 1
    within = np.maximum(wanted, shares[-1])
    fall = np.where(shares[left] > shares[right], shares[left] - shares[right], 1.0)
    crossings = at[left] + (at[right] - at[left]) * (shares[left] - within) / fall
    return np.where(wanted < shares[-1], np.inf, crossings)


def _columns(points: CurvePoints) -> tuple[Floats, Floats]:
    at, shares = np.array(points, np.float64).T
    return at, shares
