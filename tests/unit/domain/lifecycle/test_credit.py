"""How credit is shared, and what it makes of the usefulness of a record."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.credit import MAX_CREDITED, amount_of, shares_of
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
