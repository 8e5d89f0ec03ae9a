"""Names of paragraphs' fields, in the order of the section, with room between any two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.study.numbering import Number, name_of, number_between, number_of

NUMBERS = st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        (None, None, (1,)),
        ((1,), None, (2,)),
        ((1,), (2,), (1, 1)),
        ((1, 1), (2,), (1, 2)),
        ((1,), (1, 1), (1, 0, 5_000)),
        (None, (1,), (0, 5_000)),
        (None, (0, 5_000), (0, 4_999)),
        ((1,), (1, 0, 5_000), (1, 0, 4_999)),
    ],
)
def test_a_number_lies_between_its_neighbours(
    before: Number | None, after: Number | None, between: Number
) -> None:
    assert number_between(before, after) == between


@given(st.lists(st.integers(0, 30), max_size=30))
def test_any_series_of_insertions_keeps_the_order(places: list[int]) -> None:
    numbers: list[Number] = []
    for place in places:
        at = min(place, len(numbers))
        before = numbers[at - 1] if at else None
        after = numbers[at] if at < len(numbers) else None
        numbers.insert(at, number_between(before, after))

    assert numbers == sorted(set(numbers))


@given(NUMBERS)
def test_a_name_spells_its_number(number: Number) -> None:
    assert number_of(name_of(number)) == number


@pytest.mark.parametrize("name", ["names", "p1", "p0001-", "q0001", "p0001-x", "p0001.1"])
def test_other_fields_have_no_number(name: str) -> None:
    assert number_of(name) is None


def test_a_thousand_insertions_in_front_make_no_long_name() -> None:
    number: Number = (1,)
    for _ in range(1_000):
        number = number_between(None, number)

    assert len(name_of(number)) < 16
