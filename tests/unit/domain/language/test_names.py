"""The normal form of names."""

from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.names import first_word_of, term_of


def test_case_width_and_spacing_make_no_difference() -> None:
    assert term_of("@bobm") == "bobm"
    assert term_of("  Team\tLUMO ") == term_of("\uff34\uff45\uff41\uff4d lumo") == "team lumo"


@given(st.text(max_size=40))
@example("ŉ")
def test_the_term_of_a_term_is_the_term(name: str) -> None:
    term = term_of(name)

    assert term_of(term) == term


def test_names_are_stored_by_the_first_word() -> None:
    assert first_word_of(term_of("Team Lumo")) == "team"
    assert first_word_of(term_of("src/auth/login.py")) == "src/auth/login.py"
