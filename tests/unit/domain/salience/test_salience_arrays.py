"""Salience of many anchors in numpy: in every place what the scalar functions say."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.salience import arrays as salience_arrays
from membrane.domain.salience import function as salience
from membrane.domain.salience.arrays import Anchors, Floats
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle
from tests.builders.observations import (
    AGES,
    ANCHORS,
    CURVES,
    INSTANTS,
    LIFECYCLES,
    THRESHOLDS,
)
from tests.builders.records import a_lifecycle
from tests.worlds.depth import examples

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
