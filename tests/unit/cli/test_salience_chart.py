"""A history as lines of text."""

from typing import Any

import pytest

from membrane_cli.salience.command import MIN_WIDTH, draw_chart, sign
from membrane_cli.salience.history import Present, history_of
from tests.builders.audit_trails import CREATED, HOUR_S, entry, present, pruned


def chart(entries: list[Any], state: Present | None, width: int = MIN_WIDTH) -> list[str]:
    return draw_chart(history_of([CREATED, *entries], state, {}), width, rows=5)


def test_a_curve_falls_to_now_and_is_dotted_from_there() -> None:
    assert chart([], present(2 * HOUR_S, 0.25, policy="manual_only")) == [
        "     1 ┤••",
        "       │ ••••",
        "   0.5 ┤    ••••••",
        "       │         ••••·······",
        "     0 ┼───────────────────·············",
        "                    ╵now",
        "        01-15 08:00          01-15 13:00",
    ]


def test_a_change_stands_at_what_it_led_to() -> None:
    changes = [
        entry("reinforce", 2 * HOUR_S, 0.25, 0.75),
        entry("decay", 3 * HOUR_S, 0.375, 0.1, rationale="penalty: wrong"),
    ]

    assert chart(changes, present(4 * HOUR_S, 0.05)) == [
        "     1 ┤•",
        "       │••••     R•",
        "   0.5 ┤   ••••   ••••",
        "       │      ••••",
        "     0 ┼─────────────P•••••·············",
        "                          ╵now",
        "        01-15 08:00          01-15 15:00",
    ]


def test_what_was_pruned_ends_on_the_axis() -> None:
    assert chart([*pruned(10 * HOUR_S, 1.0, 2**-10)], None) == [
        "     1 ┤•",
        "       │•••",
        "   0.5 ┤  •••",
        "       │    ••••••",
        "     0 ┼─────────••••••••••••••••••••••X",
        "",
        "        01-15 08:00          01-15 18:00",
    ]


def test_where_it_is_due_is_shown_below_the_axis() -> None:
    assert chart([], present(1800, 0.75, curve="linear"))[-2:] == [
        "                ╵now                due╵",
        "        01-15 08:00          01-15 09:59",
    ]


def test_what_is_due_as_soon_as_it_is_read_is_one_column() -> None:
    assert chart([], present(10 * HOUR_S, 0.0)) == [
        "     1 ┤",
        "       │",
        "   0.5 ┤",
        "       │",
        "     0 ┼•───────────────────────────────",
        "        ╵now",
        "        01-15 18:00          01-15 18:00",
    ]


def test_a_large_salience_has_a_short_label() -> None:
    lines = chart([], present(HOUR_S, 5e99), 60)

    assert [line[:8] for line in lines[:3]] == ["1e+100 ┤", "       │", " 5e+99 ┤"]
    assert lines[-1] == "        2027-01-15 08:00:00              2027-01-15 12:00:00"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_asked_for(width: int) -> None:
    lines = chart([entry("reinforce", 60, 0.9, 1.0)], present(HOUR_S, 0.5), width)

    assert max(map(len, lines)) == width


def test_every_kind_of_change_has_its_sign() -> None:
    changes = [
        entry("reinforce", 1, 0.5, 0.7),
        entry("decay", 2, 0.7, 0.6, rationale="penalty: wrong"),
        entry("revise", 3, 0.6, 0.6, rationale="pinned"),
        *pruned(4, 0.6, 0.6),
    ]

    marks = history_of([CREATED, *changes], None, {}).marks

    assert "".join(map(sign, marks)) == "RPCXX"
