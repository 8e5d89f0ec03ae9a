"""Buckets of records whose saliences can be told together at every instant, without moving one.

Records of one decay class are put together by what does not change with time:

    zero     a salience of 0, which nothing but a change of the record lifts
    steady   a salience that stays as it is: pinned, or no more than the floor
    rank     exponential decay: a quarter octave of the rank (`salience.rank_of`)
    box      other curves: a quarter octave of the anchor's salience, and a sixteenth of a
             half-life in which the anchor lies

With a limit of age the 64th part of it in which the record was born is told apart, too. Each bucket
holds how many there are and the sum of their weights, which lie between 1 and 2^(1/4); the salience
is the weight times a number that is the same for the whole bucket. So sums are exact wherever a
whole bucket fades alike. Elsewhere `Extent` has the bounds.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from membrane.domain.language.fields import VANISHING
from membrane.domain.language.vocabulary import DecayCurve
from membrane.domain.metrics.extents import Extent
from membrane.domain.salience.function import Anchor, Curves, faded_at, salience_at
from membrane.domain.salience.lifecycle import Lifecycle

PER_OCTAVE = 4
SLOTS = 16
"""Of a half-life, for curves that have no rank."""

AGE_SLOTS = 64
"""Of a limit of age."""

FADED = 2.0**-11
"""A salience below this is next to nothing: who reads need not look at such buckets."""

LIMITS = (0.2, 0.4, 0.6, 0.8)
"""Between the five ranges of the distribution."""

_JUST_ABOVE = 1 + 1e-9
_MAX_EXPONENT = 1_000.0
_NEVER = 10**12 - 1
"""Seconds since 1970; far behind any calendar."""


class Kind(StrEnum):
    """How the salience of a bucket's records goes on."""

    ZERO = "zero"
    STEADY = "steady"
    RANK = "rank"
    BOX = "box"


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket within a decay class."""

    kind: Kind
    place: tuple[int, ...] = ()
    """steady: range and quarter octave; rank: quarter octave; box: quarter octave and slot."""
    born: int | None = None
    """The slot of birth, where the class has a limit of age."""

    @property
    def name(self) -> str:
        """As text; the inverse of `named`."""
        parts = [self.kind, *map(str, self.place)]
        return ":".join(parts if self.born is None else [*parts, f"b{self.born}"])

    @classmethod
    def named(cls, name: str) -> "Bucket":
        """The bucket of that name."""
        kind, *numbers = name.split(":")
        born = int(numbers.pop()[1:]) if numbers and numbers[-1].startswith("b") else None
        return cls(Kind(kind), tuple(map(int, numbers)), born)


def bucket_of(anchor: Anchor, lifecycle: Lifecycle) -> tuple[Bucket, float]:
    """The bucket of a record, and its weight there; 0 for one that has no salience."""
    salience, profile = anchor.salience, lifecycle.decay
    limited = profile.max_age_seconds and not lifecycle.pinned
    born = math.floor(anchor.born_s / _age_slot_s(lifecycle)) if limited else None
    if salience <= 0:
        return Bucket(Kind.ZERO), 0.0
    octave, rest = _quarter(math.log2(salience))
    if lifecycle.pinned or salience <= profile.min_salience:
        level = sum(salience >= limit for limit in LIMITS)
        return Bucket(Kind.STEADY, (level, octave), born), rest
    if profile.curve is DecayCurve.EXPONENTIAL:
        half_lives, left_s = divmod(anchor.at_s, profile.half_life_seconds)
        octave, rest = _quarter(math.log2(salience) + left_s / profile.half_life_seconds)
        return Bucket(Kind.RANK, (octave + PER_OCTAVE * int(half_lives),), born), rest
    slot = math.floor(anchor.at_s / _slot_s(lifecycle))
    return Bucket(Kind.BOX, (octave, slot), born), rest


def fades_s(bucket: Bucket, lifecycle: Lifecycle, curves: Curves) -> int:
    """From when on next to nothing of all its records is left, or the floor, in whole seconds.

    Of what never fades, and of zero, an instant behind all others.
    """
    instants = [float(_NEVER)]
    if bucket.born is not None:
        instants.append(_ends_s(bucket.born, lifecycle)[1])
    threshold = _threshold(lifecycle)
    half_life_s = lifecycle.decay.half_life_seconds
    match bucket.kind:
        case Kind.RANK:
            octaves = (bucket.place[0] + 1) / PER_OCTAVE - math.log2(threshold)
            instants.append(octaves * half_life_s)
        case Kind.BOX:
            newest = _corner(bucket, lifecycle, 1)
            faded_s = faded_at(threshold, newest, lifecycle, curves)
            instants.append(_NEVER if faded_s is None else faded_s)
        case _:
            pass
    return max(0, math.ceil(min(instants)))


def most_left(fades_s: int, lifecycle: Lifecycle, now_s: float) -> float:
    """The most that any record has whose bucket fades by then; infinite where that tells nothing.

    Where age ends a record, or its curve has no rank, it may have had any salience before.
    """
    if fades_s <= now_s:
        return _threshold(lifecycle)
    profile = lifecycle.decay
    if profile.max_age_seconds or profile.curve is not DecayCurve.EXPONENTIAL:
        return math.inf
    return _threshold(lifecycle) * _power((fades_s - now_s) / profile.half_life_seconds)


@dataclass(frozen=True, slots=True)
class Content:
    """So many records of a bucket, and the sum of their weights."""

    bucket: Bucket
    records: int
    weight: float


def extent_of(content: Content, lifecycle: Lifecycle, curves: Curves, now_s: float) -> Extent:
    """What the bucket tells of its records at `now_s`."""
    extent = _ageless(content, lifecycle, curves, now_s)
    if content.bucket.born is None:
        return extent
    first_s, last_s = _ends_s(content.bucket.born, lifecycle)
    if now_s >= last_s:
        return Extent.exactly(content.records, 0.0)
    if now_s < first_s:
        return extent
    return Extent(content.records, 0.0, extent.most, 0.0, extent.total_most)


def _ageless(content: Content, lifecycle: Lifecycle, curves: Curves, now_s: float) -> Extent:
    """As if there were no limit of age."""
    match content.bucket.kind:
        case Kind.ZERO:
            return Extent.exactly(content.records, 0.0)
        case Kind.STEADY:
            return _steady(content)
        case Kind.RANK:
            return _floored(_ranked(content, lifecycle, now_s), lifecycle)
        case Kind.BOX:
            return _boxed(content, lifecycle, curves, now_s)


def _steady(content: Content) -> Extent:
    level, octave = content.bucket.place
    bounds = (VANISHING, *LIMITS, math.inf)
    bottom = _power(octave / PER_OCTAVE)
    top = min(bottom * _power(1 / PER_OCTAVE), math.nextafter(bounds[level + 1], 0))
    total = bottom * content.weight
    return Extent(content.records, max(bottom, bounds[level]), top, total, total, noise=0.0)


def _ranked(content: Content, lifecycle: Lifecycle, now_s: float) -> Extent:
    """Whole half-lives apart from the rest, so that no digit is lost in large instants."""
    half_lives, left_s = divmod(now_s, lifecycle.decay.half_life_seconds)
    octaves = content.bucket.place[0] / PER_OCTAVE - half_lives
    bottom = _power(octaves - left_s / lifecycle.decay.half_life_seconds)
    top, total = bottom * _power(1 / PER_OCTAVE), bottom * content.weight
    return Extent(content.records, bottom, top, total, total)


def _floored(extent: Extent, lifecycle: Lifecycle) -> Extent:
    """Where records have faded no further than to their floor; below 1e-100 nothing is left.

    That what is above the floor stays makes the sum no less than if all were alike, and no more
    than if all were at the ends (Jensen).
    """
    floor, records = lifecycle.decay.min_salience, extent.records
    if extent.most <= floor:
        return Extent.exactly(records, floor)
    if extent.most < VANISHING:
        return Extent.exactly(records, 0.0)
    if extent.least >= max(floor, VANISHING) or not records:
        return extent
    mean = extent.total_most / records
    width = extent.most - extent.least
    share = (mean - extent.least) / width if width else 0.0
    total_most = records * (floor + (extent.most - floor) * min(1.0, max(0.0, share)))
    return Extent(
        records,
        floor,
        extent.most,
        max(extent.total_least, records * floor) if floor else 0.0,
        max(total_most, extent.total_most),
    )


def _boxed(content: Content, lifecycle: Lifecycle, curves: Curves, now_s: float) -> Extent:
    """Between what the weakest, oldest and the strongest, newest of such records would have."""
    oldest, newest = (_corner(content.bucket, lifecycle, end) for end in (0, 1))
    ageless, bare = _with(lifecycle, max_age_seconds=0), _with(lifecycle, **_NO_BOUNDS)
    least = salience_at(now_s, oldest, ageless, curves)
    most = salience_at(now_s, newest, ageless, curves)
    total = content.weight * oldest.salience
    least_left, most_left = (
        total * salience_at(now_s, Anchor(1.0, each.at_s, each.at_s), bare, curves)
        for each in (oldest, newest)
    )
    return Extent(
        content.records,
        least,
        most,
        max(least_left, content.records * least),
        min(most_left + content.records * lifecycle.decay.min_salience, content.records * most),
    )


_NO_BOUNDS = {"max_age_seconds": 0, "min_salience": 0.0}


def _with(lifecycle: Lifecycle, **changes: float) -> Lifecycle:
    decay = lifecycle.decay.model_copy(update=changes)
    return lifecycle.model_copy(update={"decay": decay})


def _corner(bucket: Bucket, lifecycle: Lifecycle, end: int) -> Anchor:
    """The least (0) or the most (1) salient anchor that a box may have."""
    octave, slot = bucket.place
    at_s = float((slot + end) * _slot_s(lifecycle))
    return Anchor(_power((octave + end) / PER_OCTAVE), at_s, at_s)


def _ends_s(born: int, lifecycle: Lifecycle) -> tuple[float, float]:
    """When the first of the records born then comes to its age, and when the last one has."""
    width, age = _age_slot_s(lifecycle), lifecycle.decay.max_age_seconds
    return born * width + age, (born + 1) * width + age


def _slot_s(lifecycle: Lifecycle) -> int:
    return max(1, lifecycle.decay.half_life_seconds // SLOTS)


def _age_slot_s(lifecycle: Lifecycle) -> int:
    return max(1, lifecycle.decay.max_age_seconds // AGE_SLOTS)


def _threshold(lifecycle: Lifecycle) -> float:
    return max(FADED, lifecycle.decay.min_salience * _JUST_ABOVE)


def _quarter(octaves: float) -> tuple[int, float]:
    """In which quarter octave, and how far above its bottom as a factor."""
    quarter = math.floor(octaves * PER_OCTAVE)
    return quarter, _power(octaves - quarter / PER_OCTAVE)


def _power(octaves: float) -> float:
    return math.exp2(min(octaves, _MAX_EXPONENT))
