"""The inverse of a predicate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.predicates import inverse_of


@pytest.mark.parametrize(
    ("predicate", "inverse"),
    [
        ("mentions_entity", "mentioned_in"),
        ("derived_from", "derived_semantic"),
        ("subject_entity", "fact_subject_of"),
        ("owns", "inverse_of_owns"),
        ("inverse_of_owns", "owns"),
    ],
)
def test_known_predicates_have_a_word_of_their_own(predicate: str, inverse: str) -> None:
    assert inverse_of(predicate) == inverse


@given(st.text(min_size=1).filter(lambda text: text != "inverse_of_"))
def test_the_inverse_of_the_inverse_is_the_predicate(predicate: str) -> None:
    assert inverse_of(inverse_of(predicate)) == predicate
