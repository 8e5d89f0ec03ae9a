"""The lower bound of a success rate is the quantile, rises with successes, falls with failures."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.success_bound import LOWER, MAX_USES, success_bound

COUNTS = st.floats(min_value=0, max_value=1e6)
WHOLE = st.integers(min_value=0, max_value=MAX_USES // 4)
ROUNDED = 1e-9


@given(WHOLE, WHOLE)
def test_the_bound_is_the_quantile_of_the_posterior(successes: int, failures: int) -> None:
    rate = success_bound(successes, failures)

    # For whole counts, the Beta distribution is a tail of the binomial distribution.
    tries = successes + failures + 1
    below = sum(
        comb(tries, hits) * rate**hits * (1 - rate) ** (tries - hits)
        for hits in range(successes + 1, tries + 1)
    )
    assert below == pytest.approx(LOWER, abs=1e-6)


@pytest.mark.parametrize(
    ("successes", "failures", "bound"),
    [(0, 0, 0.1), (1, 0, 0.316), (0, 1, 0.051), (9, 1, 0.690), (90, 10, 0.852)],
)
def test_the_bound_of_a_few_uses(successes: int, failures: int, bound: float) -> None:
    assert success_bound(successes, failures) == pytest.approx(bound, abs=1e-3)


def test_nine_successes_of_ten_prove_more_than_one_of_one() -> None:
    assert success_bound(9, 1) > success_bound(1, 0)


@given(COUNTS, COUNTS, st.floats(min_value=1e-3, max_value=1e3))
def test_a_success_raises_the_bound_and_a_failure_lowers_the_bound(
    successes: float, failures: float, more: float
) -> None:
    bound = success_bound(successes, failures)

    assert success_bound(successes + more, failures) >= bound - ROUNDED
    assert success_bound(successes, failures + more) <= bound + ROUNDED
    assert 0 < bound < 1


def test_the_bound_of_a_million_uses_is_that_of_a_thousand_with_the_same_rate() -> None:
    assert success_bound(900_000, 100_000) == pytest.approx(success_bound(900, 100))
