"""The embedder that needs no model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.embedders.lexical import LexicalEmbedder

EMBEDDER = LexicalEmbedder(256)


def likeness(one: str, other: str) -> float:
    first, second = EMBEDDER.embed([one, other])
    return sum(x * y for x, y in zip(first, second, strict=True))


def test_its_name_tells_version_and_dimensions() -> None:
    assert EMBEDDER.name == "lexical-1-256"


def test_a_text_has_the_same_vector_in_every_process() -> None:
    (vector,) = LexicalEmbedder(8).embed(["cats"])

    assert [round(each, 3) for each in vector] == [
        0.0,
        -0.119,
        -0.237,
        0.0,
        -0.949,
        0.0,
        -0.119,
        0.119,
    ]


@given(st.lists(st.text(), max_size=4))
def test_each_text_has_a_vector_of_length_1_or_0(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)

    assert len(vectors) == len(texts)
    for vector in vectors:
        assert len(vector) == 256
        assert math.hypot(*vector) == pytest.approx(1.0) or not any(vector)


def test_a_text_without_a_telling_word_is_all_zeros() -> None:
    assert not any(EMBEDDER.embed(["Is it?"])[0])


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("photographer", "gardener"),  # pieces of words
        ("She photographs birds", "She grows beans"),  # stems
        ("fotography", "philosophy"),  # a slip of the pen
    ],
)
def test_what_shares_words_or_pieces_is_alike(near: str, far: str) -> None:
    assert likeness("photography", near) > likeness("photography", far) + 0.05


def test_repeating_a_word_counts_less_and_less() -> None:
    assert likeness("tea cup", "tea " * 50 + "cup") > 0.7
