"""How terms and vectors are packed into an item."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.entries import (
    MAX_COUNT,
    pack_dense,
    pack_terms,
    unpack_dense,
    unpack_terms,
)

TERMS = st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, MAX_COUNT))


@given(TERMS)
def test_terms_come_back_as_they_were(terms: dict[int, int]) -> None:
    assert unpack_terms(pack_terms(terms)) == terms


def test_a_count_has_a_bound() -> None:
    assert unpack_terms(pack_terms({1: 1_000})) == {1: MAX_COUNT}


@given(st.lists(st.floats(-1, 1), max_size=8))
def test_vectors_come_back_to_three_digits(vector: list[float]) -> None:
    again = unpack_dense(pack_dense(vector))

    assert again == pytest.approx(vector, abs=5e-4)
