"""How the parts become one score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.score import (
    RECENCY_HALF_LIFE_S,
    Weights,
    recency,
)


def test_a_score_is_the_weighed_sum_of_its_parts() -> None:
    weights = Weights(lexical=2.0, dense=0.5, salience=1.0)

    assert weights.score({"lexical": 0.5, "dense": 1.0}) == 1.5


def test_nothing_speaks_for_what_has_no_parts() -> None:
    assert Weights().score({}) == 0.0


def test_usefulness_counts_by_the_difference_from_a_record_without_credit() -> None:
    weights = Weights(usefulness=0.2)

    assert weights.score({"usefulness": 1.0}) == pytest.approx(0.1)
    assert weights.score({"usefulness": 0.5}) == 0.0
    assert weights.score({"usefulness": 0.0}) == pytest.approx(-0.1)


def test_recency_is_halved_in_a_month() -> None:
    assert recency(0.0) == 1.0
    assert recency(-5.0) == 1.0
    assert recency(RECENCY_HALF_LIFE_S) == pytest.approx(0.5)


@given(st.floats(0, 1e12), st.floats(0, 1e12))
def test_what_is_older_is_never_more_recent(one: float, other: float) -> None:
    younger, older = sorted([one, other])

    assert recency(younger) >= recency(older) >= 0.0
