"""How terms and vectors are packed into an item."""

from math import asin, degrees, hypot, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.vector_rules import index_version
from membrane.domain.search.entries import (
    LARGEST_BYTE,
    MAX_COUNT,
    pack_dense,
    pack_terms,
    unpack_dense,
    unpack_terms,
)

TERMS = st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, MAX_COUNT))
VECTORS = st.lists(st.integers(-1_000, 1_000), min_size=1, max_size=8).filter(any)


@given(TERMS)
def test_terms_come_back_as_they_were(terms: dict[int, int]) -> None:
    assert unpack_terms(pack_terms(terms)) == terms


def test_a_count_has_a_bound() -> None:
    assert unpack_terms(pack_terms({1: 1_000})) == {1: MAX_COUNT}


@given(VECTORS)
def test_a_vector_comes_back_at_a_length_of_1_in_nearly_its_direction(vector: list[int]) -> None:
    again = unpack_dense(pack_dense(vector))

    cosine = sum(x * y for x, y in zip(vector, again, strict=True)) / hypot(*vector)
    off = degrees(asin(sqrt(max(0.0, 1.0 - cosine**2))))
    assert hypot(*again) == pytest.approx(1.0)
    assert cosine > 0.0
    assert off < degrees(asin(sqrt(len(vector)) / 2 / LARGEST_BYTE)) + 1e-5


@given(VECTORS)
def test_a_component_takes_one_byte_and_the_largest_uses_all_of_it(vector: list[int]) -> None:
    packed = pack_dense(vector)

    assert len(packed) == len(vector)
    assert max(abs(each) for each in memoryview(packed).cast("b")) == LARGEST_BYTE


def test_nothing_at_all_stays_nothing() -> None:
    assert unpack_dense(pack_dense([0.0, 0.0])) == (0.0, 0.0)
    assert unpack_dense(pack_dense([])) == ()


def test_a_later_version_and_a_later_record_of_the_same_id_have_a_higher_number() -> None:
    born_s = 1_772_355_600.123

    first, second = index_version(born_s, 1), index_version(born_s, 2)
    of_next = index_version(born_s + 0.001, 1)

    assert first < second < of_next
