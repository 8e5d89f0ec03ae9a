"""Counts of a population, exact where all of it was looked at, else with an error bound."""

import math
from itertools import product
from random import Random
from statistics import mean

import pytest

from membrane.domain.lifecycle.estimates import Estimate

BLOCKS = 10


def sampled(strata: list[list[int]], draws: list[int]) -> Estimate:
    """One kind; of each stratum, counts by block of one member each, the block drawn was read."""
    estimate = Estimate(1)
    for blocks, drawn in zip(strata, draws, strict=True):
        found = blocks[drawn] if drawn < len(blocks) else 0
        estimate.add(len(blocks), [found], weight=BLOCKS, span=BLOCKS)
    return estimate


def test_what_was_all_looked_at_is_counted_exactly() -> None:
    estimate = Estimate(2)

    estimate.add(5, [1, 5])
    estimate.add(3, [0, 2])

    assert (estimate.population, estimate.counts, estimate.error_bound) == (8, (1, 7), 0)


def test_nothing_is_none_of_any_kind() -> None:
    assert (Estimate(3).population, Estimate(3).counts) == (0, (0, 0, 0))


def test_a_member_that_stands_for_ten_counts_tenfold() -> None:
    estimate = Estimate(2)

    estimate.add(5, [1, 2])
    estimate.add(500, [3, 40], weight=10, span=500)

    assert (estimate.population, estimate.counts) == (505, (31, 402))


def test_an_estimate_is_never_more_than_there_are() -> None:
    estimate = Estimate(1)

    estimate.add(4, [4])
    estimate.add(7, [5], weight=10, span=50)

    assert estimate.counts == (11,)


def test_the_mean_of_all_draws_is_the_truth() -> None:
    strata = [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0], [0] * 10]

    estimates = [sampled(strata, list(draws)).counts[0] for draws in product(range(10), repeat=2)]

    assert mean(estimates) == 1


@pytest.mark.parametrize("strata", [20, 180])
def test_the_bound_is_hoeffdings(strata: int) -> None:
    estimate = Estimate(1)

    for _ in range(strata):
        estimate.add(5_000, [0], weight=10, span=5_000)

    assert estimate.error_bound == math.ceil(5_000 * math.sqrt(strata * math.log(200) / 2))


def test_the_bound_is_never_more_than_what_was_not_all_looked_at() -> None:
    estimate = Estimate(1)

    estimate.add(1_000, [0])
    estimate.add(30, [0], weight=10, span=300)

    assert estimate.error_bound == 30


def test_the_truth_is_within_the_bound_in_99_of_100_draws() -> None:
    chance = Random(20_261_121)
    strata = [[chance.randint(0, 1) for _ in range(BLOCKS)] for _ in range(300)]
    truth = sum(map(sum, strata))

    misses = 0
    for _ in range(1_000):
        estimate = sampled(strata, [chance.randrange(BLOCKS) for _ in strata])
        assert estimate.error_bound < truth / 3
        misses += abs(estimate.counts[0] - truth) > estimate.error_bound

    assert misses <= 10
