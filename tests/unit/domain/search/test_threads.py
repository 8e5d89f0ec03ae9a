"""Places in a thread, as texts that sort."""

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.entries import NO_POSITION, order_of, position_in

HOUR = 3_600.0
INSTANTS = st.floats(-6e10, 2.5e11).map(lambda seconds: round(seconds, 3))
CREATED = st.floats(1e9, 4e9)


def test_turns_of_one_session_are_in_the_order_of_their_numbers() -> None:
    ninth = order_of(100 * HOUR, 2e9, 9)
    tenth = order_of(100 * HOUR, 1e9, 10)

    assert ninth < tenth


def test_sessions_come_one_after_the_other_though_their_numbers_begin_anew() -> None:
    last = order_of(100 * HOUR, 1e9, 40)
    first_of_next = order_of(124 * HOUR, 1e9, 1)

    assert last < first_of_next


@given(INSTANTS, INSTANTS, CREATED)
def test_without_numbers_time_orders(one: float, other: float, created_s: float) -> None:
    earlier, later = sorted([one, other])

    assert order_of(earlier, created_s, None) <= order_of(later, created_s, None)


@given(INSTANTS, CREATED, st.integers(0, 10**9 - 1))
def test_the_position_can_be_told_again(happened_s: float, created_s: float, number: int) -> None:
    assert position_in(order_of(happened_s, created_s, number)) in (number + 1, number)
    assert position_in(order_of(happened_s, created_s, None)) == NO_POSITION
