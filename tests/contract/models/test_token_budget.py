"""The budget of tokens: a day's sum that never passes the limit by a spend."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import pytest

from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
from tests.worlds.stores import Store

DAY, NEXT_DAY = "2026-03-01", "2026-03-02"


class Budgets(NamedTuple):
    """The budget as two execution environments see it."""

    one: DynamoTokenBudget
    other: DynamoTokenBudget


def has_spent(budget: DynamoTokenBudget, tokens: int, day: str = DAY) -> bool:
    """Whether the day's sum is exactly that many tokens."""
    return budget.spend(day, 0, tokens) and not budget.spend(day, 0, tokens - 1)


def budget_over(table: Store) -> DynamoTokenBudget:
    return DynamoTokenBudget(table.client, table.table, table.clock)


@pytest.fixture
def budgets(table: Store) -> Budgets:
    return Budgets(budget_over(table), budget_over(table))


def test_tokens_count_until_the_limit_is_reached_and_not_beyond(budgets: Budgets) -> None:
    one, other = budgets

    assert one.spend(DAY, 60, 100)
    assert not other.spend(DAY, 41, 100)
    assert other.spend(DAY, 40, 100)
    assert not one.spend(DAY, 1, 100)
    assert has_spent(one, 100)


def test_every_day_has_tokens_of_its_own(budgets: Budgets) -> None:
    assert budgets.one.spend(DAY, 100, 100)
    assert budgets.one.spend(NEXT_DAY, 100, 100)

    assert has_spent(budgets.one, 0, "2026-03-03")


def test_more_than_the_limit_is_never_spent(budgets: Budgets) -> None:
    assert not budgets.one.spend(DAY, 101, 100)
    assert not budgets.one.spend(DAY, 1, 0)
    assert has_spent(budgets.one, 0)


@pytest.mark.parametrize(("difference", "room"), [(-30, 70), (10, 30), (100, 0)])
def test_a_correction_counts_in_both_directions(
    budgets: Budgets, difference: int, room: int
) -> None:
    budgets.one.spend(DAY, 60, 100)

    budgets.one.correct(DAY, difference)

    assert has_spent(budgets.other, 60 + difference)
    assert budgets.other.spend(DAY, room, 100) is (room > 0)
    assert not budgets.other.spend(DAY, 1, 100)


def test_a_day_without_tokens_has_nothing_to_correct(budgets: Budgets) -> None:
    budgets.one.correct(DAY, -5)

    assert has_spent(budgets.one, 0)


def test_of_many_writers_at_once_as_many_spend_as_the_limit_allows(table: Store) -> None:
    budget = budget_over(table)

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(partial(budget.spend, DAY, limit=100), [10] * 32))

    assert done.count(True) == 10
    assert has_spent(budget, 100)


def test_a_day_is_one_item_that_ttl_removes(table: Store) -> None:
    budget = budget_over(table)
    table.watched.requests.clear()

    budget.spend(DAY, 60, 100)
    budget.correct(DAY, -10)

    (item,) = table.partition("interpreter-tokens")
    expiry = int(table.clock().timestamp()) + 35 * 86_400
    assert table.watched.operations() == ["UpdateItem", "UpdateItem"]
    assert item["tokens_spent"] == {"N": "50"}
    assert item["expires_at"] == {"N": str(expiry)}
