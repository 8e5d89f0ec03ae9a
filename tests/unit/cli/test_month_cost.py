"""A month's bill from measured prices, and the amounts of the command line."""

import argparse

import pytest

from membrane_cli.cost.month import (
    ANCHORED,
    CREATING,
    GRAVITON,
    IDLE,
    KEPT_WARM,
    LIFE,
    LIVE,
    MONTH_S,
    RETRIEVING,
    Prices,
    Use,
    amount,
    month_of,
    read_prices,
)

MILLION = 1_000_000
MADE = Prices(
    "2026-11-22",
    [],
    {
        CREATING[1]: {"dynamodb": 9.0, "api": 1.0},
        CREATING[5]: {"dynamodb": 7.0, "api": 1.0},
        CREATING[20]: {"dynamodb": 6.0, "api": 1.0},
        LIFE: {"dynamodb": 10.0, "api": 1.0, "storage": 0.5},
        ANCHORED: {"dynamodb": 2.0, "lambda": 0.25, "cpu": 1.0},
        RETRIEVING[400]: {"dynamodb": 4.0, "api": 1.0, "egress": 0.5},
        RETRIEVING[1_000]: {"dynamodb": 5.0, "api": 1.0},
        RETRIEVING[5_000]: {"dynamodb": 8.0, "api": 1.0},
        IDLE: {"alarms": 3.0, "metrics": 0.25},
        LIVE: {"storage": 2.0},
    },
    {},
    {
        **dict.fromkeys([*CREATING.values(), LIFE], ("told", "asked", "lag", "age")),
        **dict.fromkeys(RETRIEVING.values(), ("told", "found")),
        IDLE: {"age"},
        **dict.fromkeys([ANCHORED, LIVE], ()),
    },
    0.25,
    0.5e-9,
    2e-12,
)


def use(events: float = 0, retrievals: float = 0, live: float = 0, scope: int = 400) -> Use:
    return Use(events, retrievals, live, scope)


def test_an_event_is_created_at_its_rate_and_ends() -> None:
    bill = month_of(use(events=MILLION), MADE)

    assert bill == {
        "dynamodb": 9.0 + 10.0 - 6.0 + 2.0,
        "api": 1.0,
        "lambda": 0.25 + GRAVITON,
        "storage": 0.5,
        "alarms": 3.0,
        "metrics": 0.25 * 4,
        "egress": 0.0,
    }


def test_a_metric_that_several_requests_tell_of_is_paid_once() -> None:
    assert month_of(use(retrievals=1), MADE)["metrics"] == 0.25 * 3
    assert month_of(use(events=1, retrievals=1), MADE)["metrics"] == 0.25 * 5


@pytest.mark.parametrize(("retrievals", "dollars"), [(50, 0), (100, 0), (200, 50)])
def test_the_first_hundred_gigabytes_of_replies_are_free(retrievals: int, dollars: float) -> None:
    bill = month_of(use(retrievals=retrievals * MILLION), MADE)

    assert bill["egress"] == pytest.approx(dollars)


@pytest.mark.parametrize(("a_second", "dynamodb"), [(1, 9), (4.9, 9), (5, 7), (20, 6), (1_000, 6)])
def test_what_comes_within_a_second_is_indexed_at_once(a_second: float, dynamodb: float) -> None:
    events = a_second * MONTH_S

    bill = month_of(use(events=events), MADE)

    assert bill["dynamodb"] == pytest.approx((dynamodb + 6) * events / MILLION)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("250", 250), ("100k", 100_000), ("2M", 2_000_000), ("1.5M", 1_500_000)],
)
def test_an_amount_may_be_in_thousands_and_millions(text: str, number: float) -> None:
    assert amount(text) == number


@pytest.mark.parametrize(
    "text", ["", "k", "-1", "1e6", "10K", "2m", "1,000", "1 k", "NaN", "\u0661"]
)
def test_any_other_amount_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number such as 250, 100k or"):
        amount(text)


def test_the_file_has_every_figure_that_the_command_uses() -> None:
    prices = read_prices()

    a_month = {IDLE, LIVE, KEPT_WARM}
    named = {*CREATING.values(), LIFE, ANCHORED, *RETRIEVING.values(), *a_month}
    assert named <= prices.lines.keys() == prices.units.keys() == prices.metrics.keys()
    assert all(sum(parts.values()) > 0 for parts in prices.lines.values())
    assert {prices.units[name] for name in a_month} == {"$ a month"}
    assert {prices.units[name] for name in named - a_month} == {"$ a million"}
