"""Salience at an instant, rank, decay class and due instant, by example."""

from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.salience.function import (
    RANK_OF_ZERO,
    Anchor,
    Curves,
    curve_points,
    decay_class,
    due_at,
    rank_of,
    salience_at,
)
from tests.builders.records import a_lifecycle

HOUR_S = 3_600.0
DAY_S = 86_400.0
CURVES: Curves = {
    "steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.1)),
    "out": ((0.0, 1.0), (10.0, 0.0)),
}
T0 = 1_769_860_800.0


def an_anchor(salience: float = 1.0, at_s: float = T0, born_s: float | None = None) -> Anchor:
    return Anchor(salience, at_s, at_s if born_s is None else born_s)


@pytest.mark.parametrize(
    ("hours", "salience"),
    [(0, 1.0), (1, 0.5), (2, 0.25), (5, 0.03125), (10, 0.0009765625), (0.5, 0.7071067811865476)],
)
def test_exponential_decay_halves_the_salience_every_half_life(
    hours: float, salience: float
) -> None:
    lifecycle = a_lifecycle(half_life_seconds=3_600)

    faded = salience_at(T0 + hours * HOUR_S, an_anchor(), lifecycle, {})

    assert faded == salience


@pytest.mark.parametrize(("days", "salience"), [(5, 0.8908987181403393), (30, 0.5), (60, 0.25)])
def test_a_fact_of_30_days_lasts_30_days(days: int, salience: float) -> None:
    lifecycle = a_lifecycle(half_life_seconds=2_592_000)

    faded = salience_at(T0 + days * DAY_S, an_anchor(), lifecycle, {})

    assert faded == pytest.approx(salience, rel=1e-12)


@pytest.mark.parametrize(
    ("half_lives", "salience"),
    [(0, 0.8), (0.5, 0.6), (1, 0.4), (1.5, 0.2), (2, 0.0), (2.5, 0.0), (1e6, 0.0)],
)
def test_linear_decay_is_half_at_the_half_life_and_over_at_twice(
    half_lives: float, salience: float
) -> None:
    lifecycle = a_lifecycle(curve="linear", half_life_seconds=3_600)

    faded = salience_at(T0 + half_lives * HOUR_S, an_anchor(0.8), lifecycle, {})

    assert faded == pytest.approx(salience, abs=1e-12)


@pytest.mark.parametrize(
    ("half_lives", "salience"),
    [(0, 2.0), (0.5, 1.5), (1, 1.0), (1.7, 1.0), (2, 1.0), (3, 0.6), (4, 0.2), (400, 0.2)],
)
def test_custom_decay_follows_the_points_of_its_curve(half_lives: float, salience: float) -> None:
    lifecycle = a_lifecycle(curve="custom", custom_curve="steps", half_life_seconds=3_600)

    faded = salience_at(T0 + half_lives * HOUR_S, an_anchor(2.0), lifecycle, CURVES)

    assert faded == pytest.approx(salience)


@pytest.mark.parametrize("curve", ["exponential", "linear"])
@pytest.mark.parametrize("before_s", [0, 1, 3_600, 1e9])
def test_before_its_anchor_a_salience_is_the_anchors_own(curve: str, before_s: float) -> None:
    lifecycle = a_lifecycle(curve=curve)

    salience = salience_at(T0 - before_s, an_anchor(0.3), lifecycle, {})

    assert salience == 0.3


@pytest.mark.parametrize(("hours", "salience"), [(1, 0.5), (3, 0.125), (4, 0.1), (1e6, 0.1)])
def test_salience_does_not_fade_below_its_floor(hours: float, salience: float) -> None:
    lifecycle = a_lifecycle(min_salience=0.1)

    faded = salience_at(T0 + hours * HOUR_S, an_anchor(), lifecycle, {})

    assert faded == salience


@pytest.mark.parametrize("hours", [0, 1, 100])
@pytest.mark.parametrize("salience", [0.0, 0.05])
def test_a_floor_never_lifts_a_salience_that_was_below_it(hours: int, salience: float) -> None:
    lifecycle = a_lifecycle(min_salience=0.1)

    now = salience_at(T0 + hours * HOUR_S, an_anchor(salience), lifecycle, {})

    assert now == salience


@pytest.mark.parametrize(
    ("age_s", "salience"), [(599, 0.5), (599.999, 0.5), (600, 0.0), (601, 0.0), (1e9, 0.0)]
)
def test_a_record_past_its_max_age_has_no_salience_whatever_its_floor(
    age_s: float, salience: float
) -> None:
    lifecycle = a_lifecycle(half_life_seconds=1, max_age_seconds=600, min_salience=0.5)

    now = salience_at(T0 + age_s, an_anchor(), lifecycle, {})

    assert now == salience


def test_max_age_counts_from_the_birth_of_a_record_and_not_from_its_reinforcement() -> None:
    lifecycle = a_lifecycle(max_age_seconds=600)
    reinforced = an_anchor(1.0, at_s=T0 + 599, born_s=T0)

    saliences = [salience_at(T0 + age_s, reinforced, lifecycle, {}) for age_s in (599, 600)]

    assert saliences == [1.0, 0.0]


@pytest.mark.parametrize("age_s", [0, 3_600, 1e9, 3e10])
@pytest.mark.parametrize("curve", ["exponential", "linear"])
def test_a_pinned_record_keeps_its_salience(age_s: float, curve: str) -> None:
    lifecycle = a_lifecycle(pinned=True, curve=curve, max_age_seconds=60)

    salience = salience_at(T0 + age_s, an_anchor(0.7), lifecycle, {})

    assert salience == 0.7


@pytest.mark.parametrize(
    ("half_lives", "salience"), [(332, 2.0**-332), (333, 0.0), (1_100, 0.0), (1e9, 0.0)]
)
def test_a_vanishing_salience_is_0(half_lives: float, salience: float) -> None:
    lifecycle = a_lifecycle(half_life_seconds=1)

    faded = salience_at(T0 + half_lives, an_anchor(), lifecycle, {})

    assert faded == salience


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("salience", [1e-101, 1e-300])
def test_a_salience_below_the_least_is_0(salience: float, *, pinned: bool) -> None:
    lifecycle = a_lifecycle(pinned=pinned)

    assert salience_at(T0, an_anchor(salience), lifecycle, {}) == 0.0


@pytest.mark.parametrize("pinned", [False, True])
def test_the_least_salience_is_kept(*, pinned: bool) -> None:
    lifecycle = a_lifecycle(pinned=pinned)

    salience = salience_at(T0, an_anchor(1e-100), lifecycle, {})

    assert salience == 1e-100


@pytest.mark.parametrize(("curves", "known"), [(CURVES, "out, steps"), ({}, "none")])
def test_a_curve_that_the_settings_do_not_have_is_refused_with_those_that_there_are(
    curves: Curves, known: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        curve_points("secret", curves)

    assert str(caught.value) == (
        f"decay.custom_curve names no curve of the settings (there are: {known})"
    )


def test_a_stored_curve_that_the_settings_have_no_longer_is_a_fault_of_the_settings() -> None:
    lifecycle = a_lifecycle(curve="custom", custom_curve="gone")

    with pytest.raises(KeyError):
        salience_at(T0, an_anchor(), lifecycle, CURVES)
    with pytest.raises(KeyError):
        due_at(an_anchor(), lifecycle, CURVES)


@pytest.mark.parametrize(
    ("salience", "at_s", "rank"),
    [(1.0, 0.0, 0.0), (1.0, 7_200.0, 2.0), (0.25, 7_200.0, 0.0), (8.0, 3_600.0, 4.0)],
)
def test_the_rank_of_exponential_decay_is_log2_of_the_salience_and_the_anchor_in_half_lives(
    salience: float, at_s: float, rank: float
) -> None:
    lifecycle = a_lifecycle(half_life_seconds=3_600)

    ranked = rank_of(an_anchor(salience, at_s), lifecycle)

    assert ranked == rank


def test_the_rank_of_a_pinned_record_is_log2_of_its_salience() -> None:
    lifecycle = a_lifecycle(pinned=True)

    ranked = rank_of(an_anchor(0.125), lifecycle)

    assert ranked == -3.0


@pytest.mark.parametrize("curve", ["linear", "custom"])
def test_the_rank_of_another_curve_is_its_anchor(curve: str) -> None:
    lifecycle = a_lifecycle(curve=curve)

    ranked = rank_of(an_anchor(0.125), lifecycle)

    assert ranked == T0


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("curve", ["exponential", "linear", "custom"])
def test_the_rank_of_no_salience_is_below_every_other(curve: str, *, pinned: bool) -> None:
    lifecycle = a_lifecycle(curve=curve, pinned=pinned, half_life_seconds=1)

    nothing = rank_of(an_anchor(0.0, at_s=4e9), lifecycle)

    assert nothing == RANK_OF_ZERO
    assert nothing < rank_of(an_anchor(1e-100, at_s=0.0), lifecycle)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({}, "exponential:3600:0:0"),
        ({"curve": "linear"}, "linear:3600:0:0"),
        ({"curve": "custom", "custom_curve": "steps"}, "custom.steps:3600:0:0"),
        ({"half_life_seconds": 60}, "exponential:60:0:0"),
        ({"min_salience": 0.01}, "exponential:3600:0.01:0"),
        ({"min_salience": 1}, "exponential:3600:1:0"),
        ({"max_age_seconds": 600}, "exponential:3600:0:600"),
        ({"pinned": True, "min_salience": 0.01}, "pinned"),
    ],
    ids=str,
)
def test_a_decay_class_is_named_after_what_ranks_together(
    change: dict[str, Any], name: str
) -> None:
    lifecycle = a_lifecycle(**change)

    named = decay_class(lifecycle)

    assert named == name


@pytest.mark.parametrize(
    "change",
    [{"reinforcement_gain": 0.5}, {"deletion_policy": "never"}],
    ids=str,
)
def test_what_does_not_bear_on_decay_makes_no_class_of_its_own(change: dict[str, Any]) -> None:
    classes = {decay_class(a_lifecycle()), decay_class(a_lifecycle(**change))}

    assert len(classes) == 1


@pytest.mark.parametrize(
    ("salience", "at_s", "change", "due_s"),
    [
        (1.0, 0.0, {}, 35_877),
        (1.0, 0.5, {}, 35_878),
        (1.0, T0, {}, 1_769_896_677),
        (2.0, 0.0, {}, 39_477),
        (1.0, 0.0, {"half_life_seconds": 60}, 598),
        (0.001, 100.0, {}, 100),
        (0.0, 100.5, {}, 101),
        (1.0, 0.0, {"curve": "linear"}, 7_193),
        (1.0, 0.0, {"curve": "custom", "custom_curve": "out"}, 35_964),
        (0.005, 0.0, {"curve": "custom", "custom_curve": "steps"}, 12_600),
        (0.01, 0.0, {"curve": "custom", "custom_curve": "steps"}, 14_400),
        (1.0, 0.0, {"max_age_seconds": 600}, 600),
        (1.0, 0.25, {"max_age_seconds": 600}, 601),
        (1.0, 0.0, {"max_age_seconds": 1_000_000}, 35_877),
        (1.0, 0.0, {"max_age_seconds": 600, "min_salience": 0.5}, 600),
        (1.0, 0.0, {"min_salience": 0.0005}, 35_877),
        (0.0005, 7.0, {"min_salience": 0.5}, 7),
    ],
    ids=str,
)
def test_a_record_is_due_when_its_salience_has_fallen_to_the_threshold_or_its_age_is_up(
    salience: float, at_s: float, change: dict[str, Any], due_s: int
) -> None:
    lifecycle = a_lifecycle(**change)

    due = due_at(an_anchor(salience, at_s), lifecycle, CURVES)

    assert due == due_s


@pytest.mark.parametrize(
    "change",
    [
        {"pinned": True},
        {"pinned": True, "max_age_seconds": 60},
        {"deletion_policy": "manual_only"},
        {"deletion_policy": "never", "max_age_seconds": 60},
        {"min_salience": 0.5},
        {"curve": "linear", "min_salience": 0.01},
        {"curve": "custom", "custom_curve": "steps"},
    ],
    ids=str,
)
def test_a_record_that_is_kept_or_cannot_fade_so_far_is_never_due(change: dict[str, Any]) -> None:
    lifecycle = a_lifecycle(**change)

    due = due_at(an_anchor(), lifecycle, CURVES)

    assert due is None


def test_a_reinforced_record_is_due_by_the_age_that_it_had_before() -> None:
    lifecycle = a_lifecycle(max_age_seconds=10_000)
    reinforced = an_anchor(1.0, at_s=9_000.0, born_s=0.0)

    due = due_at(reinforced, lifecycle, {})

    assert due == 10_000
