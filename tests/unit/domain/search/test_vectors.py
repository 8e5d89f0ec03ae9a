"""One vector for meaning and words."""

import math
from collections.abc import Sequence

import pytest

from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.questions import Question
from membrane.domain.search.terms import mark, term, terms_of
from membrane.domain.search.vectors import (
    DENSE_SHARE,
    SKETCH_DIMENSIONS,
    hybrid,
    hybrid_question,
)

UP, DOWN = (0.6, 0.8), (0.8, -0.6)
KNOWN = Frequencies(100, 5.0, {term("tea"): 0.5})


def a_question(*words: str) -> Question:
    return Question(" ".join(words), {term(word): 1.0 for word in words}, {})


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


def test_a_vector_has_a_length_of_1_and_room_for_both() -> None:
    vector = hybrid(UP, terms_of("a cup of tea"))

    assert len(vector) == 2 + SKETCH_DIMENSIONS
    assert math.hypot(*vector) == pytest.approx(1.0)


def test_the_cosine_is_a_weighed_sum_of_meaning_and_words() -> None:
    same_words = cosine(
        hybrid(UP, {term("tea"): 1}), hybrid_question(a_question("tea"), DOWN, KNOWN)
    )
    same_meaning = cosine(
        hybrid(UP, {term("tea"): 1}), hybrid_question(a_question("cup"), UP, KNOWN)
    )

    assert same_words == pytest.approx(1.0 - DENSE_SHARE)
    assert same_meaning == pytest.approx(DENSE_SHARE)


def test_a_rare_word_of_the_question_counts_more() -> None:
    question = hybrid_question(a_question("tea", "samovar"), UP, KNOWN)

    common, rare = (hybrid(DOWN, {term(word): 1}) for word in ("tea", "samovar"))
    assert cosine(question, rare) > cosine(question, common)


def test_marks_are_no_words() -> None:
    assert hybrid(UP, {term("tea"): 1, mark("who", "ann"): 1}) == hybrid(UP, {term("tea"): 1})


def test_what_has_no_words_has_its_meaning_left() -> None:
    vector = hybrid(UP, {})

    assert list(vector[:2]) == pytest.approx([each * math.sqrt(DENSE_SHARE) for each in UP])
    assert not any(vector[2:])


def test_nothing_at_all_is_all_zeros() -> None:
    assert not any(hybrid((0.0, 0.0), {}))
