"""How credit is shared, what usefulness comes of credit, and estimates of counts."""

import math
from itertools import product
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.credit import MAX_CREDITED, amount_of, shares_of
from membrane.domain.lifecycle.estimates import Estimate
from membrane.domain.records.usefulness import (
    MAX_DAILY,
    MAX_GIVERS,
    CreditLedger,
    Grant,
    giver_of,
)


def test_records_share_by_score() -> None:
    assert shares_of({"a": 0.6, "b": 0.2}, ()) == pytest.approx({"a": 0.75, "b": 0.25})


def test_a_named_record_weighs_three_times_its_score() -> None:
    assert shares_of({"a": 0.5, "b": 0.5}, ("b",)) == pytest.approx({"a": 0.25, "b": 0.75})


def test_without_scores_the_shares_are_equal() -> None:
    assert shares_of({"a": 0.0, "b": 0.0}, ()) == {"a": 0.5, "b": 0.5}
    assert shares_of({}, ()) == {}


def test_the_named_and_then_the_best_are_among_the_ten() -> None:
    scores = {f"r{number}": 1.0 - number / 100 for number in range(30)}

    shares = shares_of(scores, ("r29", "r28"))

    assert set(shares) == {"r28", "r29", *(f"r{number}" for number in range(8))}


@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(0, 1), min_size=1),
    st.lists(st.text("abcdef", min_size=1, max_size=3), max_size=10),
)
def test_the_shares_of_any_records_sum_to_one(scores: dict[str, float], used: list[str]) -> None:
    shares = shares_of(scores, used)

    assert len(shares) <= MAX_CREDITED
    assert sum(shares.values()) == pytest.approx(1.0)
    assert all(share >= 0.0 for share in shares.values())


def test_a_partial_success_gives_a_third() -> None:
    assert amount_of(OutcomeStatus.SUCCESS) == amount_of(OutcomeStatus.FAILURE) == 0.2
    assert amount_of(OutcomeStatus.PARTIAL) == pytest.approx(0.2 / 3, abs=1e-6)


DAY = "2026-03-01"
AT = f"{DAY}T09:00:00Z"
LATER = "2026-03-02T09:00:00Z"
WON = Grant(0.2, 1.0, failed=False)
LOST = Grant(0.2, 1.0, failed=True)


def test_a_record_without_credit_is_as_likely_useful_as_not() -> None:
    assert CreditLedger().mean == 0.5


def test_mean_and_width_are_those_of_the_beta_distribution() -> None:
    ledger = CreditLedger(successes=8.0, failures=1.0)

    assert ledger.mean == pytest.approx(9 / 11)
    assert ledger.width == pytest.approx(math.sqrt(9 * 2 / (11 * 11 * 12)))


def test_a_grant_counts_and_is_dated() -> None:
    ledger = CreditLedger(writer="w").after(WON, "a", AT).after(LOST, "b", AT)

    shown = ledger.as_part()
    assert (shown.successes, shown.failures, shown.used) == (1.0, 1.0, 2)
    assert (shown.last_used_at, shown.mean) == (AT, 0.5)
    assert ledger.writer == "w"


def test_gains_and_losses_of_a_day_share_one_limit() -> None:
    ledger = CreditLedger().after(WON, "a", AT)
    assert ledger.room("a", DAY) == pytest.approx(0.2)

    ledger = ledger.after(LOST, "a", AT)

    assert ledger.room("a", DAY) == 0.0
    assert ledger.room("b", DAY) == MAX_DAILY


def test_a_new_day_has_room_again_and_forgets_who_gave_before() -> None:
    ledger = CreditLedger().after(WON, "a", AT).after(WON, "b", LATER)

    assert ledger.room("a", "2026-03-02") == MAX_DAILY
    assert dict(ledger.given) == {"b": 0.2}


def test_a_late_clock_gives_no_second_day() -> None:
    ledger = CreditLedger().after(WON, "a", LATER)

    assert ledger.room("a", DAY) == pytest.approx(0.2)
    again = ledger.after(WON, "a", AT)
    assert (again.day, again.last_used_at, again.room("a", DAY)) == ("2026-03-02", LATER, 0.0)


def test_the_givers_of_a_day_are_bounded() -> None:
    ledger = CreditLedger()
    for number in range(MAX_GIVERS):
        ledger = ledger.after(WON, str(number), AT)

    assert ledger.room("one more", DAY) == 0.0
    assert ledger.room("0", DAY) == pytest.approx(0.2)
    assert ledger.room("one more", "2026-03-02") == MAX_DAILY


def test_a_giver_is_an_actor() -> None:
    assert giver_of("agent") == giver_of("agent") != giver_of("rival")


@given(st.lists(st.tuples(st.floats(1e-6, 0.2), st.booleans(), st.sampled_from("abc"))))
def test_any_ledger_is_read_as_it_was_written(grants: list[tuple[float, bool, str]]) -> None:
    ledger = CreditLedger(writer="w")
    for amount, failed, giver in grants:
        ledger = ledger.after(Grant(amount, amount / 0.2, failed=failed), giver, AT)

    assert CreditLedger.of_json(ledger.as_json()) == ledger
    assert 0.0 < ledger.mean < 1.0
    assert 0.0 < ledger.width < 0.3


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
