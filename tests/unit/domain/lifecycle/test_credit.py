"""Shares of an outcome's credit: by score, more for the named records, at most ten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.credit import MAX_CREDITED, amount_of, shares_of


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
