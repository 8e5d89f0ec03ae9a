"""The inverses of salience, and the salience of many records at once."""

import math
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.salience import arrays as salience_arrays
from membrane.domain.salience import function as salience
from membrane.domain.salience.arrays import Anchors, Floats
from membrane.domain.salience.function import (
    RANK_OF_ZERO,
    Anchor,
    decay_class,
    due_at,
    faded_at,
    lifecycle_of_class,
    prunable_at,
    rank_of,
    salience_at,
    salience_before,
    salience_of_rank,
)
from membrane.domain.salience.lifecycle import Lifecycle
from tests.builders.observations import (
    ABOVE,
    AGES,
    ANCHORS,
    CURVES,
    FADING,
    INSTANTS,
    LIFECYCLES,
    PLAIN,
    SALIENCES,
    THRESHOLDS,
)
from tests.builders.records import a_lifecycle
from tests.worlds.depth import examples

T0 = 1_769_860_800.0
WIDENING = 1e-6
CLOCK_ERROR_S = 1e-5
"""How far the float nearest to an instant may lie from it, within the next millennia."""


def an_anchor(salience: float = 1.0) -> Anchor:
    return Anchor(salience, T0, T0)


# --- When it has faded ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("salience", "lifecycle", "after_s"),
    [
        (0.5, a_lifecycle(), 3_600),
        (0.25, a_lifecycle(), 7_200),
        (1.0, a_lifecycle(), 0),
        (2.0, a_lifecycle(), 0),
        (0.5, a_lifecycle(max_age_seconds=600), 600),
        (0.5, a_lifecycle(min_salience=0.4), 3_600),
        (0.25, a_lifecycle(curve="linear"), 5_400),
        (0.1, a_lifecycle(curve="custom", custom_curve="steps"), 14_400),
        (0.5, a_lifecycle(curve="custom", custom_curve="steps"), 3_600),
        (0.5, a_lifecycle(deletion_policy="never"), 3_600),
    ],
    ids=str,
)
def test_a_salience_has_faded_so_far_at_the_instant_that_its_curve_says(
    salience: float, lifecycle: Lifecycle, after_s: float
) -> None:
    assert faded_at(salience, an_anchor(), lifecycle, CURVES) == T0 + after_s


@pytest.mark.parametrize(
    ("salience", "lifecycle"),
    [
        (0.5, a_lifecycle(pinned=True)),
        (0.5, a_lifecycle(pinned=True, max_age_seconds=600)),
        (0.5, a_lifecycle(min_salience=0.5)),
        (0.05, a_lifecycle(curve="custom", custom_curve="steps")),
    ],
    ids=str,
)
def test_what_does_not_fade_so_far_never_has(salience: float, lifecycle: Lifecycle) -> None:
    assert faded_at(salience, an_anchor(), lifecycle, CURVES) is None


def test_another_threshold_is_reached_sooner_or_later_than_the_usual_one() -> None:
    lifecycle = a_lifecycle()

    instants = [due_at(an_anchor(), lifecycle, {}, threshold) for threshold in (0.25, 0.001, 1e-9)]

    assert instants == [T0 + 7_200, T0 + 35_877, T0 + 107_631]


@given(ABOVE, FADING)
def test_when_it_has_faded_to_a_threshold_the_threshold_is_left(
    above: tuple[Anchor, float], lifecycle: Lifecycle
) -> None:
    (anchor, threshold), profile = above, lifecycle.decay
    faded_s = faded_at(threshold, anchor, lifecycle, CURVES)
    assume(faded_s is not None)
    assert faded_s is not None

    age_s = faded_s - anchor.at_s

    slope = CLOCK_ERROR_S / profile.half_life_seconds
    least, most = (
        salience_at(anchor.at_s + age_s + late_s, anchor, lifecycle, CURVES)
        for late_s in (CLOCK_ERROR_S, -CLOCK_ERROR_S)
    )
    assert least <= threshold * (1 + WIDENING)
    assert most >= threshold * (1 - WIDENING) - slope * anchor.salience


@given(ABOVE, PLAIN)
def test_exactly_the_threshold_is_left_of_an_exponential_salience(
    above: tuple[Anchor, float], lifecycle: Lifecycle
) -> None:
    anchor, threshold = above
    faded_s = faded_at(threshold, anchor, lifecycle, {})
    assert faded_s is not None
    assume(lifecycle.decay.half_life_seconds >= 60)  # below, a float's instant is too coarse

    left = salience_at(faded_s, anchor, lifecycle, {})

    assert left == pytest.approx(threshold, rel=1e-6)


@given(ANCHORS, LIFECYCLES, THRESHOLDS)
def test_a_record_is_due_at_the_first_whole_second_at_which_it_is_prunable(
    anchor: Anchor, lifecycle: Lifecycle, threshold: float
) -> None:
    prunable_s = prunable_at(anchor, lifecycle, CURVES, threshold)

    due_s = due_at(anchor, lifecycle, CURVES, threshold)

    assert (due_s is None) == (prunable_s is None)
    assert due_s is None or (prunable_s is not None and 0 <= due_s - prunable_s < 1)


@given(ANCHORS, LIFECYCLES, THRESHOLDS)
def test_only_what_may_be_pruned_is_ever_prunable(
    anchor: Anchor, lifecycle: Lifecycle, threshold: float
) -> None:
    for policy in (DeletionPolicy.MANUAL_ONLY, DeletionPolicy.NEVER):
        kept = lifecycle.model_copy(update={"deletion_policy": policy})
        assert prunable_at(anchor, kept, CURVES, threshold) is None
    pinned = lifecycle.model_copy(update={"pinned": True})
    assert prunable_at(anchor, pinned, CURVES, threshold) is None


# --- What a rank tells ------------------------------------------------------------------------


@given(ANCHORS, PLAIN, AGES)
def test_the_rank_of_an_exponential_record_tells_its_salience_at_any_instant(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float
) -> None:
    now_s = anchor.at_s + age_s
    assume(now_s / lifecycle.decay.half_life_seconds < 4e9)  # more, and a rank is too coarse
    salience = salience_at(now_s, anchor, lifecycle, {})

    told = salience_of_rank(rank_of(anchor, lifecycle), now_s, lifecycle)

    assert told == pytest.approx(salience, rel=1e-6, abs=1e-99)


@given(ANCHORS, AGES)
def test_the_rank_of_a_pinned_record_tells_its_salience(anchor: Anchor, age_s: float) -> None:
    lifecycle = a_lifecycle(pinned=True)

    told = salience_of_rank(rank_of(anchor, lifecycle), anchor.at_s + age_s, lifecycle)

    assert told == pytest.approx(anchor.salience, rel=1e-12)


@pytest.mark.parametrize("pinned", [False, True])
def test_the_lowest_rank_tells_that_nothing_is_left(*, pinned: bool) -> None:
    assert salience_of_rank(RANK_OF_ZERO, T0, a_lifecycle(pinned=pinned)) == 0.0


def test_long_before_its_anchor_a_rank_tells_more_than_any_number() -> None:
    lifecycle = a_lifecycle(half_life_seconds=1)

    told = salience_of_rank(rank_of(an_anchor(), lifecycle), T0 - 2_000, lifecycle)

    assert told == math.inf


@pytest.mark.parametrize("curve", ["linear", "custom"])
def test_the_rank_of_another_curve_tells_nothing(curve: str) -> None:
    with pytest.raises(ValueError, match="only exponential decay"):
        salience_of_rank(T0, T0, a_lifecycle(curve=curve))


# --- What it was ------------------------------------------------------------------------------


@given(SALIENCES, LIFECYCLES, AGES)
def test_what_a_salience_was_fades_to_what_it_is(
    salience: float, lifecycle: Lifecycle, age_s: float
) -> None:
    profile = lifecycle.decay.model_copy(update={"min_salience": 0.0, "max_age_seconds": 0})
    unpinned = lifecycle.model_copy(update={"decay": profile, "pinned": False})
    before = salience_before(salience, age_s, profile, CURVES)
    assume(before is not None)
    assert before is not None

    left = salience_at(age_s, Anchor(before, 0.0, 0.0), unpinned, CURVES)

    assert left == pytest.approx(salience, rel=1e-6)


@pytest.mark.parametrize(
    ("salience", "age_s", "curve"),
    [
        (0.001, 7_200.0, "linear"),
        (1.0, 3_600.0 * 1_100, "exponential"),
        (1e-10, 3_600.0 * 1_074, "exponential"),
        (sys.float_info.max, 3_600.0, "exponential"),
    ],
)
def test_of_what_has_gone_nobody_can_say_what_it_was(
    salience: float, age_s: float, curve: str
) -> None:
    profile = a_lifecycle(curve=curve).decay

    assert salience_before(salience, age_s, profile, {}) is None


# --- What a class is --------------------------------------------------------------------------


@given(LIFECYCLES, ANCHORS, AGES)
def test_the_name_of_a_decay_class_tells_how_its_records_fade(
    lifecycle: Lifecycle, anchor: Anchor, age_s: float
) -> None:
    now_s = anchor.at_s + age_s

    told = lifecycle_of_class(decay_class(lifecycle))

    assert decay_class(told) == decay_class(lifecycle)
    assert told.pinned == lifecycle.pinned
    assert rank_of(anchor, told) == rank_of(anchor, lifecycle)
    assert salience_at(now_s, anchor, told, CURVES) == salience_at(now_s, anchor, lifecycle, CURVES)


def test_a_curve_may_have_any_name() -> None:
    lifecycle = a_lifecycle(curve="custom", custom_curve="a.b:c:1:2:3", min_salience=1e-05)

    told = lifecycle_of_class(decay_class(lifecycle)).decay

    assert (told.curve, told.custom_curve) == (DecayCurve.CUSTOM, "a.b:c:1:2:3")
    assert (told.half_life_seconds, told.min_salience) == (3_600, 1e-05)


@pytest.mark.parametrize(
    "named",
    ["", "Pinned", "pinned:1:0:0", "exponential", "sudden:1:0:0", "linear:0:0:0", "linear:1:x:0"],
)
def test_what_is_no_decay_class_is_refused_by_its_name(named: str) -> None:
    with pytest.raises(ValueError, match=f"no decay class has the name {named}"):
        lifecycle_of_class(named)


laws = settings(max_examples=examples(200))
GROUPS = st.lists(ANCHORS, max_size=20)
NOW_S = st.builds(lambda at_s, age_s: at_s + age_s, INSTANTS, AGES)


def agree(
    vector: Floats,
    scalars: Sequence[float | None],
) -> None:
    """Numbers differ by no more than 1e-12 of themselves, or where one is 0 by a trace.

    None is infinity.
    """
    expected = [np.inf if scalar is None else scalar for scalar in scalars]
    assert vector.dtype == np.float64
    assert vector.shape == (len(expected),)
    assert vector.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-99)


@laws
@given(GROUPS, LIFECYCLES, NOW_S)
def test_saliences_are_each_anchors_own(
    group: list[Anchor], lifecycle: Lifecycle, now_s: float
) -> None:
    vector = salience_arrays.saliences_at(now_s, Anchors.of(group), lifecycle, CURVES)

    agree(vector, [salience.salience_at(now_s, each, lifecycle, CURVES) for each in group])


@pytest.mark.parametrize("pinned", [False, True])
def test_saliences_below_the_least_are_0(*, pinned: bool) -> None:
    group = [Anchor(each, 0.0, 0.0) for each in (1e-100, 1e-101, 1e-300, 0.0)]

    vector = salience_arrays.saliences_at(0.0, Anchors.of(group), a_lifecycle(pinned=pinned), {})

    assert vector.tolist() == [1e-100, 0.0, 0.0, 0.0]


@laws
@given(GROUPS, LIFECYCLES, NOW_S, AGES)
def test_anchors_that_were_brought_to_an_instant_fade_on_from_there(
    group: list[Anchor], lifecycle: Lifecycle, now_s: float, age_s: float
) -> None:
    moved = [
        Anchor(
            salience.salience_at(now_s, each, lifecycle, CURVES),
            max(now_s, each.at_s),
            each.born_s,
        )
        for each in group
    ]
    later_s = now_s + age_s

    brought = salience_arrays.anchors_at(Anchors.of(group), now_s, lifecycle, CURVES)

    vector = salience_arrays.saliences_at(later_s, brought, lifecycle, CURVES)
    agree(vector, [salience.salience_at(later_s, each, lifecycle, CURVES) for each in moved])


@laws
@given(GROUPS, LIFECYCLES, THRESHOLDS)
def test_instants_of_fading_are_each_anchors_own(
    group: list[Anchor], lifecycle: Lifecycle, threshold: float
) -> None:
    vector = salience_arrays.faded_at(threshold, Anchors.of(group), lifecycle, CURVES)

    agree(vector, [salience.faded_at(threshold, each, lifecycle, CURVES) for each in group])


@laws
@given(GROUPS, LIFECYCLES, THRESHOLDS, st.sampled_from(["auto_prune", "auto_prune", "manual_only"]))
def test_instants_of_pruning_are_each_records_own(
    group: list[Anchor], lifecycle: Lifecycle, threshold: float, policy: str
) -> None:
    kept = lifecycle.model_copy(update={"deletion_policy": policy})

    vector = salience_arrays.prunable_at(Anchors.of(group), kept, CURVES, threshold)

    agree(vector, [salience.prunable_at(each, kept, CURVES, threshold) for each in group])


def test_no_anchors_have_no_saliences() -> None:
    nothing = Anchors.of([])

    found = [
        salience_arrays.saliences_at(0.0, nothing, a_lifecycle(), {}),
        salience_arrays.prunable_at(nothing, a_lifecycle(), {}),
    ]

    assert [each.tolist() for each in found] == [[], []]


@pytest.mark.parametrize("last", [5e-324, 1e-300, 0.0])
def test_a_curve_that_falls_to_next_to_nothing_overflows_nowhere(last: float) -> None:
    curves = {"steep": ((0.0, 1.0), (5e-324, last), (1e6, last / 2))}
    lifecycle = a_lifecycle(curve="custom", custom_curve="steep", half_life_seconds=1)
    group = [Anchor(each, 1e9, 1e9) for each in (0.0, 1e-100, 1.0, 1e100)]

    for now_s in (1e9, 1e9 + 1, 1e9 + 1e6, 1e9 + 3e10):
        vector = salience_arrays.saliences_at(now_s, Anchors.of(group), lifecycle, curves)
        agree(vector, [salience.salience_at(now_s, each, lifecycle, curves) for each in group])
    for threshold in (1e-100, 0.001, 1e99):
        vector = salience_arrays.faded_at(threshold, Anchors.of(group), lifecycle, curves)
        agree(vector, [salience.faded_at(threshold, each, lifecycle, curves) for each in group])


def test_arrivals_are_counted_with_those_of_the_very_instant() -> None:
    arrivals = np.array([3.0, np.inf, 1.0, 2.0, 2.0])

    counted = salience_arrays.counts_until([5.0, 2.0, 0.0, 1.9], arrivals)

    assert counted == [4, 3, 0, 1]
