"""Paragraphs of two editions: paired in order, named in order, and traced to their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.study.alignment import align
from membrane.domain.study.hierarchy import Span
from membrane.domain.study.origins import (
    Number,
    Origin,
    name_of,
    number_between,
    number_of,
    origin_in,
)

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=12)


def test_equal_editions_fit_one_to_one() -> None:
    assert [*align(["a", "b", "a"], ["a", "b", "a"])] == [(0, 0), (1, 1), (2, 2)]


def test_a_changed_paragraph_keeps_its_place() -> None:
    assert [*align(["a", "b", "c"], ["a", "B", "c"])] == [(0, 0), (1, 1), (2, 2)]


def test_an_inserted_paragraph_has_no_partner() -> None:
    assert [*align(["a", "b"], ["a", "new", "b"])] == [(0, 0), (1, 2)]


def test_a_removed_paragraph_has_no_partner() -> None:
    assert [*align(["a", "b", "c"], ["a", "c"])] == [(0, 0), (2, 1)]


def test_a_moved_paragraph_is_new_at_its_new_place() -> None:
    assert [*align(["a", "b", "c", "d"], ["b", "c", "d", "a"])] == [(1, 0), (2, 1), (3, 2)]


@given(TEXTS, TEXTS)
def test_every_paragraph_has_one_partner_at_most_and_pairs_keep_the_order(
    before: list[str], after: list[str]
) -> None:
    pairs = [*align(before, after)]

    old, new = [each for each, _ in pairs], [each for _, each in pairs]
    assert old == sorted(set(old))
    assert new == sorted(set(new))
    assert {*old} <= {*range(len(before))}
    assert {*new} <= {*range(len(after))}


@given(TEXTS)
def test_an_edition_fits_itself(texts: list[str]) -> None:
    assert [*align(texts, texts)] == [(each, each) for each in range(len(texts))]


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


BY_TEXT = Origin("doc-1", "a1b2c3d4e5f6", 12, Span(100, 250))
BY_MODEL = BY_TEXT._replace(by_model=True, passage="0123456789ab")


@pytest.mark.parametrize(
    ("origin", "spelled"),
    [
        (BY_TEXT, "study/text:doc-1/a1b2c3d4e5f6#12:100-250"),
        (BY_MODEL, "study/model:doc-1/a1b2c3d4e5f6.0123456789ab#12:100-250"),
    ],
)
def test_an_origin_is_spelled_and_read(origin: Origin, spelled: str) -> None:
    assert str(origin) == spelled
    assert origin_in(spelled) == origin


@pytest.mark.parametrize("other", ["api", "", "study/text:doc#1:2-3", "study/text:d/j#1:2-3x"])
def test_any_other_provenance_has_no_origin(other: str) -> None:
    assert origin_in(other) is None
