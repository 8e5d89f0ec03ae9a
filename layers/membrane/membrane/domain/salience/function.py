"""Salience is a function of time: stored once, evaluated at every read.

The store has a salience `s` and the instant `t0` at which `s` was exact. At `t`, with the age
`a = max(0, t - t0)` and the half-life `h`:

    exponential   s * 2^(-a / h)
    linear        s * max(0, 1 - a / (2 h))
    custom        s * f(a / h), f piecewise linear through the points of a named curve

but at least the floor `min_salience` (which never lifts `s` itself), 0 from `max_age_seconds`
after the record's creation. A pinned record keeps `s`. Every salience below 1e-100 is 0.
All instants are seconds since 1970, all durations seconds.

`salience_at` has the inverses `faded_at` (in time) and `salience_before` (in `s`), `rank_of` has
`salience_of_rank`, and `decay_class` has `lifecycle_of_class`.
`membrane.domain.salience.arrays` computes the same for many anchors of one decay class.
"""

import math
import sys
from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import VANISHING
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle

PRUNE_THRESHOLD = 0.001
"""The salience at which an unpinned `auto_prune` record is prunable by default."""

RANK_OF_ZERO = -1e100
"""The rank of salience 0, below the rank of every positive salience."""

_PINNED = "pinned"
_ANY = "exponential:1:0:0"

CurvePoints = tuple[tuple[float, float], ...]
"""(age in half-lives, share of the salience left), by age; level after the last point."""

Curves = Mapping[str, CurvePoints]
"""The custom curves of the settings, by name.

The settings must keep each curve that records use: a record whose curve is missing raises KeyError,
a fault of the settings and not of a caller.
"""


class Anchor(NamedTuple):
    """A salience, the instant at which it was exact, and the record's creation."""

    salience: float
    at_s: float
    born_s: float


def salience_at(now_s: float, anchor: Anchor, lifecycle: Lifecycle, curves: Curves) -> float:
    """The salience at `now_s`; before the anchor, the salience of the anchor."""
    value = anchor.salience
    if not lifecycle.pinned:
        value = _salience_left(now_s, anchor, lifecycle.decay, curves)
    return value if value >= VANISHING else 0.0


def rank_of(anchor: Anchor, lifecycle: Lifecycle) -> float:
    """A number that does not change with time and orders a decay class by salience.

    Exponential: log2(s) + t0 / h. Pinned: log2(s). Linear and custom curves have no such order,
    and are sorted by t0.
    """
    if anchor.salience < VANISHING:
        return RANK_OF_ZERO
    if lifecycle.pinned:
        return math.log2(anchor.salience)
    if lifecycle.decay.curve is DecayCurve.EXPONENTIAL:
        return math.log2(anchor.salience) + anchor.at_s / lifecycle.decay.half_life_seconds
    return anchor.at_s


def decay_class(lifecycle: Lifecycle) -> str:
    """The name of the class of records that fade alike: curve, half-life, floor, max age."""
    if lifecycle.pinned:
        return _PINNED
    profile = lifecycle.decay
    curve = f"{profile.curve}.{profile.custom_curve}" if profile.custom_curve else profile.curve
    floor = f"{profile.min_salience!r}".removesuffix(".0")
    return f"{curve}:{profile.half_life_seconds}:{floor}:{profile.max_age_seconds}"


def lifecycle_of_class(name: str) -> Lifecycle:
    """A lifecycle of the decay class `name`; raises ValueError for an invalid name.

    Fields without influence on the fading have placeholders: for pinned records, all of the
    profile.
    """
    pinned = name == _PINNED
    try:
        shape, half_life_s, floor, max_age_s = (_ANY if pinned else name).rsplit(":", 3)
        curve, _, custom_curve = shape.partition(".")
        profile = DecayProfile(
            curve=DecayCurve(curve),
            half_life_seconds=int(half_life_s),
            min_salience=float(floor),
            max_age_seconds=int(max_age_s),
            reinforcement_gain=0.0,
            custom_curve=custom_curve,
        )
    except ValueError as error:
        raise ValueError(f"no decay class has the name {name}") from error
    return Lifecycle(
        decay=profile,
        last_reinforced_at=NOT_GIVEN,
        pinned=pinned,
        deletion_policy=DeletionPolicy.AUTO_PRUNE,
    )


def salience_of_rank(rank: float, now_s: float, lifecycle: Lifecycle) -> float:
    """The salience at `now_s` of a record with `rank`, without floor and age limit.

    Raises ValueError for a linear or custom curve, whose rank does not determine the salience.
    Infinity if `now_s` is so long before the anchor that a float overflows.
    """
    if rank <= RANK_OF_ZERO:
        return 0.0
    if lifecycle.pinned:
        return math.exp2(rank)
    if lifecycle.decay.curve is not DecayCurve.EXPONENTIAL:
        raise ValueError("only exponential decay has ranks that tell a salience")
    exponent = rank - now_s / lifecycle.decay.half_life_seconds
    return math.exp2(exponent) if exponent < sys.float_info.max_exp else math.inf


def faded_at(salience: float, anchor: Anchor, lifecycle: Lifecycle, curves: Curves) -> float | None:
    """The first instant, not before the anchor, at which at most `salience` is left.

    `salience` is at least 1e-100. None for never: a pinned record does not fade, and a floor at
    or above `salience` stops the fading.
    """
    if lifecycle.pinned:
        return anchor.at_s if anchor.salience <= salience else None
    instants = []
    fading_s = _age_at(salience, anchor.salience, lifecycle.decay, curves)
    if fading_s is not None:
        instants.append(anchor.at_s + fading_s)
    if lifecycle.decay.max_age_seconds:
        instants.append(max(anchor.at_s, anchor.born_s + lifecycle.decay.max_age_seconds))
    return min(instants, default=None)


def prunable_at(
    anchor: Anchor, lifecycle: Lifecycle, curves: Curves, threshold: float = PRUNE_THRESHOLD
) -> float | None:
    """The instant from which the sweep may prune the record; None for never."""
    if lifecycle.pinned or lifecycle.deletion_policy is not DeletionPolicy.AUTO_PRUNE:
        return None
    return faded_at(threshold, anchor, lifecycle, curves)


def due_at(
    anchor: Anchor, lifecycle: Lifecycle, curves: Curves, threshold: float = PRUNE_THRESHOLD
) -> int | None:
    """The first whole second at which the record is prunable; None for never."""
    instant = prunable_at(anchor, lifecycle, curves, threshold)
    return None if instant is None else math.ceil(instant)


def salience_before(
    salience: float, age_s: float, profile: DecayProfile, curves: Curves
) -> float | None:
    """The earlier salience that fades to `salience` within `age_s`, without the floor.

    None if every salience fades to 0 within `age_s`, or if a float overflows.
    """
    share = _share_left(age_s / profile.half_life_seconds, profile, curves)
    before = salience / share if share else math.inf
    return before if math.isfinite(before) else None


def curve_points(name: str, curves: Curves) -> CurvePoints:
    """The points of a custom curve; raises InvalidArgument with the names of all known curves."""
    try:
        return curves[name]
    except KeyError:
        known = ", ".join(sorted(curves)) or "none"
        raise InvalidArgument(
            f"decay.custom_curve names no curve of the settings (there are: {known})"
        ) from None


def _salience_left(now_s: float, anchor: Anchor, profile: DecayProfile, curves: Curves) -> float:
    if profile.max_age_seconds and now_s - anchor.born_s >= profile.max_age_seconds:
        return 0.0
    age_s = max(0.0, now_s - anchor.at_s)
    faded = anchor.salience * _share_left(age_s / profile.half_life_seconds, profile, curves)
    return max(faded, min(anchor.salience, profile.min_salience))


def _share_left(age: float, profile: DecayProfile, curves: Curves) -> float:
    match profile.curve:
        case DecayCurve.EXPONENTIAL:
            return math.exp2(-age)
        case DecayCurve.LINEAR:
            return max(0.0, 1.0 - age / 2.0)
        case DecayCurve.CUSTOM:
            return _interpolate(age, curves[profile.custom_curve])


def _interpolate(age: float, points: CurvePoints) -> float:
    after = bisect_right(points, age, key=lambda point: point[0])
    if after == len(points):
        return points[-1][1]
    (left_age, left), (right_age, right) = points[after - 1], points[after]
    return left + (right - left) * (age - left_age) / (right_age - left_age)


def _age_at(
    threshold: float, salience: float, profile: DecayProfile, curves: Curves
) -> float | None:
    """Seconds after the anchor at which `salience` has faded to `threshold`; None if never."""
    if profile.min_salience >= threshold and salience >= threshold:
        return None
    if salience <= threshold:
        return 0.0
    age = _age_of_share(threshold / salience, profile, curves)
    return None if age is None else age * profile.half_life_seconds


def _age_of_share(share: float, profile: DecayProfile, curves: Curves) -> float | None:
    """The age, in half-lives, at which at most `share` is left; None if never."""
    match profile.curve:
        case DecayCurve.EXPONENTIAL:
            return -math.log2(share)
        case DecayCurve.LINEAR:
            return 2.0 * (1.0 - share)
        case DecayCurve.CUSTOM:
            return _first_crossing(share, curves[profile.custom_curve])


def _first_crossing(share: float, points: CurvePoints) -> float | None:
    """The first age, in half-lives, at which at most `share` is left; None if never."""
    for (left_age, left), (right_age, right) in pairwise(points):
        if right <= share:
            return left_age + (right_age - left_age) * (left - share) / (left - right)
    return None
