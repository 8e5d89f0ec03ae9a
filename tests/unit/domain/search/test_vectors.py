"""One vector of small integers for meaning and words."""

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.questions import Question
from membrane.domain.search.terms import SKETCH_DIMENSIONS, mark, term, terms_of
from membrane.domain.search.vectors import (
    DENSE_SHARE,
    LARGEST_INTEGER,
    hybrid,
    hybrid_question,
)

UP, DOWN = (0.6, 0.8), (0.8, -0.6)
DIMENSIONS = 16
DENSE = st.lists(st.integers(-1_000, 1_000), min_size=DIMENSIONS, max_size=DIMENSIONS).filter(any)
TERMS = st.dictionaries(st.integers(0, 2**31 - 1), st.integers(1, 255), max_size=40)

ROUNDED = math.asin(math.sqrt(DIMENSIONS) / 2 / LARGEST_INTEGER)
"""How far rounding turns a vector of so many components at most, in radians."""


def a_question(**weights: float) -> Question:
    return Question("", {term(word): weight for word, weight in weights.items()}, {})


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


@given(DENSE, TERMS)
def test_a_vector_has_integers_of_two_digits_with_room_for_both(
    dense: list[int], terms: dict[int, int]
) -> None:
    vector = hybrid(dense, terms)

    assert len(vector) == DIMENSIONS + SKETCH_DIMENSIONS
    assert all(isinstance(each, int) for each in vector)
    assert max(map(abs, vector)) == LARGEST_INTEGER == 99


@given(DENSE, DENSE)
def test_rounding_changes_the_cosine_of_two_vectors_little(
    one: list[int], other: list[int]
) -> None:
    rounded = cosine(hybrid(one, {}), hybrid(other, {}))

    assert rounded == pytest.approx(cosine(one, other), abs=2 * ROUNDED)


def test_rounding_changes_no_cosine_of_a_model_by_more_than_half_a_hundredth() -> None:
    chance = Random(16)
    vectors = [[chance.gauss() for _ in range(384)] for _ in range(20)]

    for one, other in pairwise(vectors):
        rounded = cosine(hybrid(one, {}), hybrid(other, {}))
        assert rounded == pytest.approx(cosine(one, other), abs=5e-3)


def test_the_cosine_is_a_weighed_sum_of_meaning_and_words() -> None:
    document = hybrid(UP, {term("tea"): 1})

    same_words = cosine(document, hybrid_question(a_question(tea=1.0), DOWN))
    same_meaning = cosine(document, hybrid_question(a_question(cup=1.0), UP))

    assert same_words == pytest.approx(1.0 - DENSE_SHARE, abs=0.01)
    assert same_meaning == pytest.approx(DENSE_SHARE, abs=0.01)


def test_a_word_of_the_question_that_weighs_more_counts_more() -> None:
    question = hybrid_question(a_question(tea=0.5, samovar=1.0), UP)

    common, rare = (hybrid(DOWN, {term(word): 1}) for word in ("tea", "samovar"))
    assert cosine(question, rare) > cosine(question, common)


def test_marks_are_no_words() -> None:
    assert hybrid(UP, {term("tea"): 1, mark("who", "ann"): 1}) == hybrid(UP, {term("tea"): 1})


def test_what_has_no_words_has_its_meaning_left() -> None:
    vector = hybrid(UP, {})

    assert vector[:2] == [74, 99]
    assert not any(vector[2:])


def test_what_has_no_meaning_has_its_words_left() -> None:
    vector = hybrid((0.0, 0.0), terms_of("a cup of tea"))

    assert not any(vector[:2])
    assert sorted(map(abs, vector))[-2:] == [99, 99]


def test_nothing_at_all_is_all_zeros() -> None:
    assert not any(hybrid((0.0, 0.0), {}))
