"""The laws of salience, for any lifecycle within the limits of the contract."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from membrane.domain.language.fields import VANISHING
from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, due_at, rank_of, salience_at
from membrane.domain.salience.lifecycle import Lifecycle
from tests.builders.observations import (
    AGELESS,
    AGES,
    ANCHORS,
    BUILT_IN,
    CURVES,
    DISTINCT,
    FLOORS,
    HALF_LIVES,
    LEVEL_IN_THE_END,
    LIFECYCLES,
    MAX_AGES,
    PLAIN,
    SALIENCES,
    SHAPES,
    UNPINNED,
    lasting,
)
from tests.builders.records import a_lifecycle

HALF_LIVES_PASSED = st.floats(0, 100)

WIDENING = 1e-6
"""By which every bound on a rank is widened."""


def margin_at(half_lives: float) -> float:
    """The widening; more for ages at which a rank itself is no longer exact to a millionth."""
    return WIDENING * max(1.0, half_lives / 4e9)


@given(ANCHORS, LIFECYCLES, AGES)
def test_salience_is_a_number_between_0_and_what_it_was(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float
) -> None:
    salience = salience_at(anchor.at_s + age_s, anchor, lifecycle, CURVES)

    assert 0 <= salience <= anchor.salience


@given(ANCHORS, LIFECYCLES, AGES, AGES)
def test_salience_never_rises_with_time(
    anchor: Anchor, lifecycle: Lifecycle, one_s: float, other_s: float
) -> None:
    sooner, later = sorted((anchor.at_s + one_s, anchor.at_s + other_s))

    before = salience_at(sooner, anchor, lifecycle, CURVES)
    after = salience_at(later, anchor, lifecycle, CURVES)

    assert after <= before * (1 + 1e-12)


@given(ANCHORS, LIFECYCLES, AGES, SALIENCES)
def test_what_mattered_more_at_the_same_instant_never_matters_less(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float, salience: float
) -> None:
    other = Anchor(salience, anchor.at_s, anchor.born_s)
    weaker, stronger = sorted((anchor, other), key=lambda held: held.salience)

    saliences = [
        salience_at(anchor.at_s + age_s, held, lifecycle, CURVES) for held in (weaker, stronger)
    ]

    assert saliences[0] <= saliences[1]


@given(ANCHORS, AGELESS, AGES)
def test_a_floor_holds_whatever_is_not_too_old(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float
) -> None:
    salience = salience_at(anchor.at_s + age_s, anchor, lifecycle, CURVES)

    assert salience >= min(anchor.salience, lifecycle.decay.min_salience)


@given(ANCHORS, PLAIN, HALF_LIVES_PASSED, HALF_LIVES_PASSED)
def test_decay_composes_so_that_it_does_not_matter_how_often_it_is_computed(
    anchor: Anchor, lifecycle: Lifecycle, first: float, second: float
) -> None:
    halfway_s = anchor.at_s + first * lifecycle.decay.half_life_seconds
    now_s = halfway_s + second * lifecycle.decay.half_life_seconds
    at_once = salience_at(now_s, anchor, lifecycle, {})

    halfway = Anchor(salience_at(halfway_s, anchor, lifecycle, {}), halfway_s, anchor.born_s)
    in_two_steps = salience_at(now_s, halfway, lifecycle, {})

    assert in_two_steps == pytest.approx(at_once, rel=1e-9, abs=VANISHING)


@given(ANCHORS, LIFECYCLES, st.lists(AGES, max_size=20), AGES)
def test_looking_at_a_salience_however_often_does_not_change_it(
    anchor: Anchor, lifecycle: Lifecycle, looks_s: list[float], age_s: float
) -> None:
    unseen = salience_at(anchor.at_s + age_s, anchor, lifecycle, CURVES)

    for look_s in looks_s:
        salience_at(anchor.at_s + look_s, anchor, lifecycle, CURVES)

    assert salience_at(anchor.at_s + age_s, anchor, lifecycle, CURVES) == unseen


@given(st.tuples(ANCHORS, ANCHORS), HALF_LIVES, st.floats(0, 1), AGES)
def test_the_order_by_rank_is_the_order_by_salience_at_every_later_instant(
    anchors: tuple[Anchor, Anchor], half_life_s: int, share: float, age_s: float
) -> None:
    floor = min(1.0, share * min(anchor.salience for anchor in anchors))
    lifecycle = a_lifecycle(half_life_seconds=half_life_s, min_salience=floor)
    lower, higher = sorted(anchors, key=lambda anchor: rank_of(anchor, lifecycle))
    assume(rank_of(higher, lifecycle) - rank_of(lower, lifecycle) > WIDENING)
    now_s = max(lower.at_s, higher.at_s) + age_s

    saliences = [salience_at(now_s, anchor, lifecycle, {}) for anchor in (lower, higher)]

    assert saliences[0] <= saliences[1]


@given(DISTINCT, AGES)
def test_the_order_of_pinned_records_by_rank_is_the_order_by_salience(
    anchors: list[Anchor], age_s: float
) -> None:
    lifecycle = a_lifecycle(pinned=True)
    lower, higher = sorted(anchors, key=lambda anchor: rank_of(anchor, lifecycle))
    assume(rank_of(higher, lifecycle) - rank_of(lower, lifecycle) > WIDENING)
    now_s = lower.at_s + age_s

    saliences = [salience_at(now_s, anchor, lifecycle, {}) for anchor in (lower, higher)]

    assert saliences[0] < saliences[1]


@given(ANCHORS, HALF_LIVES, FLOORS, MAX_AGES, AGES)
def test_no_salience_is_above_both_its_floor_and_what_its_rank_promises(
    anchor: Anchor, half_life_s: int, floor: float, max_age_s: int, age_s: float
) -> None:
    lifecycle = a_lifecycle(
        half_life_seconds=half_life_s, min_salience=floor, max_age_seconds=max_age_s
    )
    now_s = anchor.at_s + age_s
    promised = rank_of(anchor, lifecycle) - now_s / half_life_s + margin_at(now_s / half_life_s)

    salience = salience_at(now_s, anchor, lifecycle, {})

    assert salience <= floor or math.log2(salience) <= promised


@given(ANCHORS, PLAIN, AGES, st.floats(1e-90, 1e90))
def test_a_salience_of_at_least_x_is_a_rank_of_at_least_log2_x_and_now_in_half_lives(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float, x: float
) -> None:
    now_s = anchor.at_s + age_s
    bound = math.log2(x) + now_s / lifecycle.decay.half_life_seconds
    rank = rank_of(anchor, lifecycle)
    assume(abs(rank - bound) > margin_at(now_s / lifecycle.decay.half_life_seconds))

    salience = salience_at(now_s, anchor, lifecycle, {})

    assert (salience >= x) == (rank > bound)


@given(ANCHORS, UNPINNED)
def test_a_record_is_due_when_it_has_faded_and_not_a_second_earlier(
    anchor: Anchor, lifecycle: Lifecycle
) -> None:
    assume(abs(lifecycle.decay.min_salience / PRUNE_THRESHOLD - 1) > WIDENING)
    due_s = due_at(anchor, lifecycle, CURVES)
    assume(due_s is not None)
    assert due_s is not None

    at_due = salience_at(due_s, anchor, lifecycle, CURVES)
    before = salience_at(due_s - 1, anchor, lifecycle, CURVES)

    assert at_due <= PRUNE_THRESHOLD * (1 + WIDENING)
    assert before >= PRUNE_THRESHOLD * (1 - WIDENING) or due_s - 1 < anchor.at_s


@given(ANCHORS, lasting(SHAPES) | LEVEL_IN_THE_END, AGES)
def test_a_record_that_is_never_due_never_fades_so_far(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float
) -> None:
    assume(due_at(anchor, lifecycle, CURVES) is None)

    salience = salience_at(anchor.at_s + age_s, anchor, lifecycle, CURVES)

    assert lifecycle.pinned or salience >= PRUNE_THRESHOLD


@given(ANCHORS, LIFECYCLES)
def test_reinforcement_never_brings_the_due_instant_forward(
    anchor: Anchor, lifecycle: Lifecycle
) -> None:
    stronger = Anchor(anchor.salience * 1.5, anchor.at_s, anchor.born_s)
    due_s, later_s = due_at(anchor, lifecycle, CURVES), due_at(stronger, lifecycle, CURVES)

    assert due_s is None or later_s is None or later_s >= due_s
    assert due_s is not None or later_s is None


# A custom curve may end level, above 0: from a later anchor it falls to its end once more.
@given(ANCHORS, lasting(BUILT_IN), AGES)
def test_what_is_never_due_is_never_due_from_any_later_anchor_either(
    anchor: Anchor, lifecycle: Lifecycle, age_s: float
) -> None:
    assume(due_at(anchor, lifecycle, CURVES) is None)
    now_s = anchor.at_s + age_s

    later = Anchor(salience_at(now_s, anchor, lifecycle, CURVES), now_s, anchor.born_s)

    assert due_at(later, lifecycle, CURVES) is None
