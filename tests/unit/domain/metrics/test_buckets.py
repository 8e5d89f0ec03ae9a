"""Buckets: what they tell of their records holds at every instant, and is exact if it says so."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.metrics.amounts import parts, whole
from membrane.domain.metrics.buckets import (
    FADED,
    Bucket,
    Content,
    Kind,
    bucket_of,
    extent_of,
    fades_s,
)
from membrane.domain.salience.function import Anchor, decay_class, lifecycle_of_class, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle

BEGIN_S = 1_772_355_600.25
CURVES = {
    "steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.0)),
    "level": ((0.0, 1.0), (1.0, 0.3)),
}


def lifecycle(
    curve: DecayCurve = DecayCurve.EXPONENTIAL,
    *,
    half_life_s: int = 3_600,
    floor: float = 0.0,
    max_age_s: int = 0,
    pinned: bool = False,
    named: str = "",
) -> Lifecycle:
    """A lifecycle of that decay class."""
    decay = DecayProfile(
        curve=curve,
        half_life_seconds=half_life_s,
        min_salience=floor,
        max_age_seconds=max_age_s,
        reinforcement_gain=0.2,
        custom_curve=named,
    )
    return Lifecycle(
        decay=decay,
        last_reinforced_at=NOT_GIVEN,
        pinned=pinned,
        deletion_policy=DeletionPolicy.AUTO_PRUNE,
    )


def born(salience: float = 1.0, after_s: float = 0.0) -> Anchor:
    """The anchor of a record that was never touched since."""
    return Anchor(salience, BEGIN_S + after_s, BEGIN_S + after_s)


SALIENCES = st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0, 5.0, 0.0005]) | st.floats(0, 2)
ANCHORS = st.builds(
    lambda salience, at_s, age_s: Anchor(salience, BEGIN_S + at_s, BEGIN_S + at_s - age_s),
    SALIENCES.map(lambda value: value if value >= 1e-100 else 0.0),
    st.integers(0, 40_000) | st.floats(0, 40_000),
    st.integers(0, 40_000),
)
SHAPES = st.sampled_from(
    [
        (DecayCurve.EXPONENTIAL, ""),
        (DecayCurve.LINEAR, ""),
        (DecayCurve.CUSTOM, "steps"),
        (DecayCurve.CUSTOM, "level"),
    ]
)
LIFECYCLES = st.builds(
    lambda shape, half_life_s, floor, max_age_s, pinned: lifecycle(
        shape[0],
        named=shape[1],
        half_life_s=half_life_s,
        floor=floor,
        max_age_s=max_age_s,
        pinned=pinned,
    ),
    SHAPES,
    st.sampled_from([1, 7, 3_600, 86_400, 2_592_000]),
    st.sampled_from([0.0, 0.0, 0.1, 0.4, 1e-5]),
    st.sampled_from([0, 0, 1, 5_000, 86_400]),
    st.sampled_from([False, False, False, True]),
)
AGES_S = st.sampled_from([0.0, 1.0, 3_600.0, 50_000.0]) | st.floats(0, 3_000_000)


@given(st.lists(ANCHORS, min_size=1, max_size=12), LIFECYCLES, AGES_S)
def test_what_a_bucket_tells_holds_for_its_records_at_every_later_instant(
    anchors: Sequence[Anchor], kept: Lifecycle, later_s: float
) -> None:
    now_s = max(anchor.at_s for anchor in anchors) + later_s
    found = [(anchor, *bucket_of(anchor, kept)) for anchor in anchors]

    for bucket in {bucket for _, bucket, _ in found}:
        mine = [(anchor, weight) for anchor, where, weight in found if where == bucket]
        weight = whole(sum(parts(weight) for _, weight in mine))
        of_class = lifecycle_of_class(decay_class(kept))
        extent = extent_of(Content(bucket, len(mine), weight), of_class, CURVES, now_s)
        now = [salience_at(now_s, anchor, kept, CURVES) for anchor, _ in mine]

        slack = 1e-9 * max(now)
        assert extent.least - slack <= min(now)
        assert max(now) <= extent.most + slack
        assert extent.total_least - len(now) * slack <= sum(now) + 1e-99
        assert sum(now) <= extent.total_most + len(now) * slack
        for limit in (0.2, 0.4, 0.6, 0.8, 1e-100):
            least, most = extent.reaching(limit)
            assert least <= sum(value >= limit for value in now) <= most


@given(ANCHORS, LIFECYCLES)
def test_once_a_bucket_has_faded_next_to_nothing_is_left_above_the_floor(
    anchor: Anchor, kept: Lifecycle
) -> None:
    bucket, _ = bucket_of(anchor, kept)

    faded_s = fades_s(bucket, kept, CURVES)

    if faded_s < 10**12 - 1:
        left = salience_at(max(anchor.at_s, faded_s), anchor, kept, CURVES)
        assert left <= max(FADED, kept.decay.min_salience) * (1 + 1e-6)


@given(ANCHORS, LIFECYCLES)
def test_a_bucket_is_known_by_its_name(anchor: Anchor, kept: Lifecycle) -> None:
    bucket, weight = bucket_of(anchor, kept)

    assert Bucket.named(bucket.name) == bucket
    assert weight == 0 or 1 <= weight < 2**0.25 * (1 + 1e-9)


@given(st.lists(st.floats(0.01, 2), min_size=1, max_size=9), AGES_S)
def test_the_sum_of_what_fades_exponentially_is_exact(
    saliences: Sequence[float], later_s: float
) -> None:
    kept, now_s = lifecycle(), BEGIN_S + min(later_s, 300_000)

    total = 0.0
    for salience in saliences:
        bucket, weight = bucket_of(born(salience), kept)
        extent = extent_of(Content(bucket, 1, whole(parts(weight))), kept, CURVES, now_s)
        assert extent.total_least == extent.total_most
        total += extent.total_least

    right = sum(salience_at(now_s, born(salience), kept, CURVES) for salience in saliences)
    assert math.isclose(total, right, rel_tol=1e-9)


def test_what_is_pinned_or_no_more_than_its_floor_stays_as_it_is() -> None:
    pinned, low = lifecycle(pinned=True), lifecycle(floor=0.5)

    kinds = [
        bucket_of(born(0.3), pinned)[0].kind,
        bucket_of(born(0.3), low)[0].kind,
        bucket_of(born(0.6), low)[0].kind,
        bucket_of(born(0.0), pinned)[0].kind,
    ]

    assert kinds == [Kind.STEADY, Kind.STEADY, Kind.RANK, Kind.ZERO]


@pytest.mark.parametrize(("salience", "level"), [(0.2, 1), (0.19999999, 0), (0.8, 4), (5.0, 4)])
def test_the_range_of_what_stays_as_it_is_is_exact(salience: float, level: int) -> None:
    kept = lifecycle(pinned=True)
    bucket, weight = bucket_of(born(salience), kept)

    extent = extent_of(Content(bucket, 1, weight), kept, CURVES, BEGIN_S)

    reached = [extent.reaching(limit) for limit in (0.2, 0.4, 0.6, 0.8)]
    assert reached == [(1, 1)] * level + [(0, 0)] * (4 - level)


def test_what_is_past_its_age_has_no_salience_and_what_is_about_to_be_is_not_known() -> None:
    kept = lifecycle(max_age_s=6_400)
    bucket, weight = bucket_of(born(), kept)

    before, amid, after = (
        extent_of(Content(bucket, 1, weight), kept, CURVES, BEGIN_S + age_s)
        for age_s in (6_200, 6_399.9, 6_600)
    )

    assert before.total_least == before.total_most > 0
    assert (amid.total_least, amid.total_most > 0) == (0, True)
    assert (after.total_most, after.active) == (0, (0, 0))
