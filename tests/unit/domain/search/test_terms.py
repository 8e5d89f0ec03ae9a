"""What a text is searched by: hashes that stay the same for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.terms import (
    MARK,
    MAX_TERMS,
    is_word,
    mark,
    stems_of,
    term,
    terms_of,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's 3 TOYS", ["the", "cat", "s", "3", "toys"]),
        ("fix_go_compilationError", ["fix", "go", "compilation", "error"]),
        ("HTTPServer v3.13", ["http", "server", "v3", "13"]),
        ("ﬁne Straße", ["fine", "strasse"]),
        ("東京都", ["東京", "京都"]),
        ("x" * 1_000, ["x" * 40]),
        ("?! ...", []),
    ],
)
def test_a_text_is_taken_apart_into_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_words_of_one_stem_are_one_term() -> None:
    terms = terms_of("She adopted him; adopting was easy")

    assert terms[term("adopt")] == 2


def test_words_that_say_nothing_are_left_out() -> None:
    assert stems_of("What did you do to the garden?") == ["garden"]


def test_hashes_are_the_same_in_every_process_and_every_version() -> None:
    assert term("adopt") == 0x6DE8897A
    assert mark("who", "caroline") == 0x849E0B6D


def test_a_mark_is_told_from_a_word() -> None:
    assert is_word(term("caroline"))
    assert not is_word(mark("who", "caroline"))
    assert mark("who", "caroline") != mark("name", "caroline")


def test_of_a_long_text_the_most_frequent_terms_stay() -> None:
    text = " ".join(f"w{number}" for number in range(MAX_TERMS)) + " again again tea tea"

    terms = terms_of(text)

    assert len(terms) == MAX_TERMS
    assert terms[term("tea")] == 2


@given(st.text())
def test_any_text_has_terms_of_32_bits(text: str) -> None:
    terms = terms_of(text)

    assert all(0 <= each < 2 * MARK for each in terms)
    assert terms == terms_of(text)
