"""Names of entities in a task: by the first word, between word borders, the longest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.graph.named import Named, TaskWords, longest
from membrane.domain.language.names import first_word_of, term_of
from tests.growth import is_linear


def names_in(task: str, *names: str) -> set[str]:
    """The terms of the names that stand in the task, among those looked up by first word."""
    words = TaskWords(task)
    return {
        found.term
        for name in names
        if first_word_of(term_of(name)) in words.best(1_000)
        for found in words.names_among(first_word_of(term_of(name)), {term_of(name): "e"})
    }


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Is Orchid up?", "orchid"),
        ("who paged Orchid?", "Orchid"),
        ("what of ORCHID's pager", "Orchid"),
        ("the (Orchid  Deploy), again", "orchid deploy"),
        ("ask @ann about it", "@ann"),
        ("open lib/plan.c.", "lib/plan.c"),
        ("of The Long Pager", "The Long Pager"),
        ("Straße 5", "STRASSE 5"),
        ("is C++ fast?", "c++"),
        ('see "owner/repo"', "owner/repo"),
    ],
)
def test_a_name_is_found_as_written_whatever_stands_around_it(task: str, name: str) -> None:
    assert names_in(task, name) == {term_of(name)}


@pytest.mark.parametrize(
    ("task", "name"),
    [("orchids are up", "orchid"), ("orchid deployed", "orchid deploy"), ("a question", "q")],
)
def test_a_part_of_a_word_is_no_name(task: str, name: str) -> None:
    assert names_in(task, name) == set()


def test_stop_words_are_looked_up_last_and_longer_words_first() -> None:
    assert TaskWords("who owns the orchid").best(3) == ["orchid", "owns", "the"]


@given(st.text(max_size=60), st.text(min_size=1, max_size=10))
def test_a_name_found_stands_in_the_task(task: str, name: str) -> None:
    assert all(term in term_of(task) for term in names_in(task, name))


def test_a_name_within_a_longer_name_does_not_count() -> None:
    short, long = Named(4, "orchid", "s"), Named(4, "orchid deploy", "l")
    apart = Named(30, "orchid", "s")

    assert list(longest([short, long, apart])) == [long, apart]


def test_the_time_grows_linearly_with_the_task() -> None:
    def read(task: str) -> None:
        list(TaskWords(task).names_among("orchid", {"orchid deploy": "e"}))

    assert is_linear(read, lambda size: "orchid " * (size // 7))
