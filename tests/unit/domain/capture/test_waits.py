"""How long a capture waits for the next try of a model."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.capture.failures import (
    MAX_WAIT_S,
    SPREAD_S,
    WAITS_S,
    wait_after,
    wait_for_tokens,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_every_failed_try_is_followed_by_a_longer_wait() -> None:
    waits = [wait_after(tries) for tries in range(1, 7)]

    assert waits == [*WAITS_S, WAITS_S[-1], WAITS_S[-1]]
    assert sorted(WAITS_S) == [*WAITS_S]


@pytest.mark.parametrize(("asked_s", "wait_s"), [(0, 120), (30, 120), (500, 500), (10**9, 42_600)])
def test_a_busy_model_gets_the_time_that_it_asks_for(asked_s: int, wait_s: int) -> None:
    assert wait_after(1, asked_s) == wait_s


def test_tokens_come_with_the_next_day() -> None:
    late = datetime(2026, 3, 1, 23, 59, 58, 500_000, tzinfo=UTC)

    assert wait_for_tokens(late, 0) == 2
    assert wait_for_tokens(late, 60) == 62
    assert wait_for_tokens(NOON + timedelta(hours=1), 0) == 11 * 3_600


def test_a_way_to_midnight_of_more_than_sqs_can_hide_takes_a_further_wait() -> None:
    assert wait_for_tokens(datetime(2026, 3, 1, 0, 1, tzinfo=UTC), 0) == MAX_WAIT_S


@given(st.datetimes(NOON.replace(tzinfo=None), timezones=st.just(UTC)), st.integers(0, SPREAD_S))
def test_a_day_without_tokens_takes_two_or_three_waits(now: datetime, spread_s: int) -> None:
    woken, waits = now, 0

    while woken.date() == now.date():
        woken += timedelta(seconds=wait_for_tokens(woken, spread_s))
        waits += 1

    assert waits <= 3
    assert woken - now <= timedelta(days=1, seconds=SPREAD_S + 1)
