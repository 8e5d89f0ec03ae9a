"""A month's bill from measured prices, and the amounts of the command line."""

import argparse

import pytest

from membrane_cli.cost.command import amount
from membrane_cli.cost.month import MONTH_S, Use, month_of
from membrane_cli.cost.prices import CREATING, IDLE, LIFE, LIVE, RETRIEVING, Prices, read_prices

MILLION = 1_000_000
MADE = Prices(
    "2026-11-22",
    [],
    {
        CREATING[1]: {"dynamodb": 9.0, "api": 1.0},
        CREATING[5]: {"dynamodb": 7.0, "api": 1.0},
        CREATING[20]: {"dynamodb": 6.0, "api": 1.0},
        LIFE: {"dynamodb": 10.0, "api": 1.0, "storage": 0.5},
        RETRIEVING[400]: {"dynamodb": 4.0, "api": 1.0},
        RETRIEVING[1_000]: {"dynamodb": 5.0, "api": 1.0},
        RETRIEVING[5_000]: {"dynamodb": 8.0, "api": 1.0},
        IDLE: {"alarms": 3.0},
        LIVE: {"storage": 2.0},
    },
    {},
)


def use(events: float = 0, retrievals: float = 0, live: float = 0, scope: int = 400) -> Use:
    return Use(events, retrievals, live, scope)


def test_a_month_of_nothing_costs_what_is_there_anyway() -> None:
    assert {part: cost for part, cost in month_of(use(), MADE).items() if cost} == {"alarms": 3.0}


def test_an_event_is_created_at_its_rate_and_ends() -> None:
    bill = month_of(use(events=MILLION), MADE)

    assert bill == {"dynamodb": 9.0 + 10.0 - 6.0, "api": 1.0, "storage": 0.5, "alarms": 3.0}


@pytest.mark.parametrize(("a_second", "dynamodb"), [(1, 9), (4.9, 9), (5, 7), (20, 6), (1_000, 6)])
def test_what_comes_within_a_second_is_indexed_at_once(a_second: float, dynamodb: float) -> None:
    events = a_second * MONTH_S

    bill = month_of(use(events=events), MADE)

    assert bill["dynamodb"] == pytest.approx((dynamodb + 4) * events / MILLION)


def test_retrievals_cost_by_the_scope_that_they_ask() -> None:
    bills = [month_of(use(retrievals=MILLION, scope=scope), MADE) for scope in RETRIEVING]

    assert [each["dynamodb"] for each in bills] == [4.0, 5.0, 8.0]


def test_records_that_stay_are_stored() -> None:
    assert month_of(use(live=2 * MILLION), MADE)["storage"] == 4.0


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

    named = {*CREATING.values(), LIFE, *RETRIEVING.values(), IDLE, LIVE}
    assert named <= prices.lines.keys() == prices.units.keys()
    assert all(sum(parts.values()) > 0 for parts in prices.lines.values())
    assert {prices.units[name] for name in (IDLE, LIVE)} == {"$ a month"}
    assert {prices.units[name] for name in named - {IDLE, LIVE}} == {"$ a million"}
