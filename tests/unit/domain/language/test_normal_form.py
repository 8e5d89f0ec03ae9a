"""The compatibility form of a text, which the length of its runs of marks does not slow down."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.normal_form import MAX_MARKS, compatibility_form

GRAVE_BELOW, GRAVE = "\u0316", "\u0300"
"""Unicode orders the mark below before the mark above."""


@given(
    st.text(
        st.sampled_from(f"ae\u00e9\u1f82\u0f73\uff71\uff9e\ufdfa{GRAVE}{GRAVE_BELOW}"), max_size=30
    )
)
def test_it_is_nfkc_of_every_text_with_short_runs_of_marks(text: str) -> None:
    assert compatibility_form(text) == unicodedata.normalize("NFKC", text)


@given(st.text())
def test_it_is_nfkc_of_any_text(text: str) -> None:
    assert compatibility_form(text) == unicodedata.normalize("NFKC", text)


def test_two_spellings_of_a_text_have_one_form() -> None:
    assert (
        compatibility_form("Cafe\u0301 \uff21")
        == compatibility_form("Caf\u00e9 A")
        == "Caf\u00e9 A"
    )


@pytest.mark.parametrize("marks", [GRAVE + GRAVE_BELOW, "\u0f73"])
def test_a_longer_run_of_marks_is_parted(marks: str) -> None:
    form = compatibility_form("a" + marks * 1_000)

    longest = max(len(run) for run in form[1:].split("\u034f"))
    assert longest <= 2 * MAX_MARKS
