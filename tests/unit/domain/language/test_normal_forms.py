"""Normal forms and digests of texts: of names, of any text, and of several texts together."""

import hashlib
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.json_text import digest
from membrane.domain.language.names import (
    MAX_MARKS,
    compatibility_form,
    fact_words,
    first_word_of,
    folded_name,
    term_of,
)

GRAVE_BELOW, GRAVE = "\u0316", "\u0300"
"""Unicode orders the mark below before the mark above."""

LISTS_OF_TEXTS = st.lists(st.text(max_size=5), max_size=5)


def test_names_have_a_form_in_which_case_width_and_spacing_make_no_difference() -> None:
    assert term_of("@bobm") == "bobm"
    assert term_of("  Team\tLUMO ") == term_of("\uff34\uff45\uff41\uff4d lumo") == "team lumo"
    assert first_word_of(term_of("Team Lumo")) == "team"


@given(st.text(max_size=40))
@example("ŉ")
def test_the_term_of_a_term_is_the_term(name: str) -> None:
    assert term_of(term_of(name)) == term_of(name)


@given(st.text(max_size=20) | st.text(st.sampled_from("aA_@ 1/\uff3f\u3000"), max_size=8))
@example("ŉ")
@example("_@ ")
def test_a_folded_text_is_never_empty_and_folds_to_itself(text: str) -> None:
    assert folded_name(folded_name(text)) == folded_name(text)
    assert bool(folded_name(text)) == bool(text)
    assert fact_words(*fact_words(text, text)) == fact_words(text, text)


@given(
    st.text()
    | st.text(
        st.sampled_from(f"ae\u00e9\u1f82\u0f73\uff71\uff9e\ufdfa{GRAVE}{GRAVE_BELOW}"), max_size=30
    )
)
def test_the_compatibility_form_is_nfkc_of_any_text_with_short_runs_of_marks(text: str) -> None:
    assert compatibility_form(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize("marks", [GRAVE + GRAVE_BELOW, "\u0f73"])
def test_a_longer_run_of_marks_is_parted(marks: str) -> None:
    form = compatibility_form("a" + marks * 1_000)

    longest = max(len(run) for run in form[1:].split("\u034f"))
    assert longest <= 2 * MAX_MARKS


def test_a_digest_covers_each_text_after_its_length_in_bytes() -> None:
    hashed = b"\x00\x00\x00\x02\xc3\xa9\x00\x00\x00\x00\x00\x00\x00\x02ab"

    assert digest("é", "", "ab") == hashlib.sha256(hashed).digest()


@given(LISTS_OF_TEXTS, LISTS_OF_TEXTS)
@example(["ab", "c"], ["a", "bc"])
@example(["abc"], ["abc", ""])
def test_no_two_lists_of_texts_have_the_same_digest(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)
