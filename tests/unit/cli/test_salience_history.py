"""What a record's salience was and will be, from its audit trail and the record itself."""

from collections.abc import Sequence
from typing import Any

import pytest

from membrane_cli.salience.history import History, Present, history_of
from tests.builders.audit_trails import BORN_S, CREATED, HOUR_S, entry, present, pruned

STEPS = {"steps": ((0, 1), (1, 0.75), (4, 0.25))}


def history(entries: Sequence[Any], state: Present | None, curves: Any = None) -> History:
    return history_of([CREATED, *entries], state, curves or {})


def salience(drawn: History, hours: float) -> float:
    """What is drawn at so many hours after the creation, after whatever happened then."""
    instant_s = BORN_S + hours * HOUR_S
    every = [*drawn.past, *([drawn.forecast] if drawn.forecast else [])]
    begun = [each for each in every if each.begin_s <= instant_s <= each.end_s]
    return begun[-1].salience_at(instant_s)


def hours(drawn: History) -> list[tuple[float, float]]:
    """From when to when each stretch of the past reaches, in hours."""
    return [
        ((each.begin_s - BORN_S) / HOUR_S, (each.end_s - BORN_S) / HOUR_S) for each in drawn.past
    ]


# --- Records that live ------------------------------------------------------------------------


def test_what_nothing_moved_is_followed_back_to_its_creation() -> None:
    drawn = history([], present(2 * HOUR_S, 0.2))

    assert hours(drawn) == [(0, 2)]
    assert salience(drawn, 0) == pytest.approx(0.8)
    assert salience(drawn, 1) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("decay", "now", "first", "after_an_hour"),
    [
        ({"curve": "linear"}, 0.1, 0.4, 0.2),
        ({"curve": "custom", "custom_curve": "steps"}, 0.4, 0.6, 0.45),
        ({"min_salience": 0.05}, 0.1, 0.28284, 0.14142),
    ],
    ids=["linear", "custom", "floor"],
)
def test_every_profile_is_followed_back(
    decay: dict[str, Any], now: float, first: float, after_an_hour: float
) -> None:
    drawn = history([], present(1.5 * HOUR_S, now, **decay), STEPS)

    assert salience(drawn, 0) == pytest.approx(first, rel=1e-4)
    assert salience(drawn, 1) == pytest.approx(after_an_hour, rel=1e-4)


def test_a_change_is_seen_before_and_after() -> None:
    reinforced = entry("reinforce", 3 * HOUR_S, 0.125, 0.325)
    penalized = entry("decay", 4 * HOUR_S, 0.1625, 0.0625, rationale="penalty: wrong")

    drawn = history([reinforced, penalized], present(5 * HOUR_S, 0.03125))

    assert hours(drawn) == [(0, 3), (3, 4), (4, 5)]
    assert [salience(drawn, each) for each in (0, 1, 3.5, 4.5)] == pytest.approx(
        [1, 0.5, 0.2298, 0.04419], rel=1e-3
    )


def test_a_half_life_that_was_changed_is_exact_where_its_ends_are_told() -> None:
    reinforced = entry("reinforce", HOUR_S, 0.25, 0.45)
    slowed = entry("revise", 2 * HOUR_S, 0.1125, 0.1125, rationale="lifecycle half_life_seconds …")

    drawn = history([reinforced, slowed], present(4 * HOUR_S, 0.05625, half_life_seconds=7_200))

    assert hours(drawn) == [(1, 2), (2, 4)]
    assert [salience(drawn, each) for each in (1.5, 3)] == pytest.approx([0.225, 0.07955], rel=1e-3)


def test_a_pinned_time_is_level() -> None:
    pinned = entry("revise", HOUR_S, 0.5, 0.5, rationale="pinned")
    unpinned = entry("revise", 5 * HOUR_S, 0.5, 0.5, rationale="unpinned: it is over")

    drawn = history([pinned, unpinned], present(6 * HOUR_S, 0.25))

    assert [salience(drawn, each) for each in (0, 1, 3, 5, 6)] == pytest.approx(
        [1, 0.5, 0.5, 0.5, 0.25]
    )


@pytest.mark.parametrize("left", [0.0, 0.3])
def test_where_many_beginnings_lead_to_what_is_left_the_curve_begins_now(left: float) -> None:
    drawn = history([], present(900 * HOUR_S, left, min_salience=left))

    assert hours(drawn) == [(900, 900)]
    assert salience(drawn, 900) == left


def test_what_was_restored_has_a_gap() -> None:
    deleted = entry("delete", HOUR_S, rationale="by hand")
    restored = entry("revise", 3 * HOUR_S, 0.125, 1.0, rationale="restored")

    drawn = history([deleted, restored], present(4 * HOUR_S, 0.5))

    assert hours(drawn) == [(0, 1), (3, 4)]
    assert salience(drawn, 1) == pytest.approx(0.5)


def test_a_clock_that_is_behind_the_servers_is_as_late_as_the_newest_entry() -> None:
    drawn = history([entry("revise", 3_600, rationale="Outcome recorded")], present(-900, 0.5))

    assert hours(drawn) == [(0, 1)]
    assert salience(drawn, 0) == 1


# --- What comes -------------------------------------------------------------------------------


def test_the_forecast_ends_where_the_record_is_due() -> None:
    drawn = history([], present(9 * HOUR_S, 2**-9))

    assert drawn.due_s == BORN_S + 35_877
    assert drawn.forecast is not None
    assert drawn.forecast.end_s == drawn.due_s


# --- Records that were deleted ----------------------------------------------------------------


def test_what_was_moved_before_it_was_pruned_is_drawn_from_its_first_change() -> None:
    reinforced = entry("reinforce", 2 * HOUR_S, 0.25, 0.45)

    drawn = history([reinforced, *pruned(11 * HOUR_S, 0.45, 0.45 * 2**-9)], None)

    assert hours(drawn) == [(2, 11)]
    assert salience(drawn, 4) == pytest.approx(0.1125)


def test_what_was_past_its_max_age_ends_at_zero() -> None:
    drawn = history(pruned(2 * HOUR_S, 1.0, 0.0), None)

    assert [salience(drawn, each) for each in (0, 1, 2)] == [1, 0.5, 0]


def test_a_penalty_in_the_sweeps_name_is_no_sweep() -> None:
    penalized = entry("decay", HOUR_S, 0.5, 0.1, actor="decay-service", rationale="penalty: x")

    drawn = history([penalized], present(2 * HOUR_S, 0.05))

    assert salience(drawn, 0.5) == pytest.approx(0.7071, rel=1e-4)
