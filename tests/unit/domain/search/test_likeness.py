"""How like a question a text is, whatever other texts there are."""

import pytest
from hypothesis import given

from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.relevance import likeness
from tests.builders.conversations import a_talk, asked, frequencies_of
from tests.unit.domain.search.test_corpus import QUESTIONS, TALKS

PARTS = {"lexical", "dense", "marks"}


@given(TALKS, QUESTIONS)
def test_every_part_is_from_0_to_1_and_depends_on_no_other_entry(
    entries: list[Entry], text: str
) -> None:
    question, dense = asked(text)
    known = frequencies_of(entries)

    together = likeness(question, dense, entries, known)
    alone = [likeness(question, dense, [entry], known)[0] for entry in entries]

    assert all(each.keys() == PARTS for each in together)
    assert all(0.0 <= value <= 1.00001 for each in together for value in each.values())
    assert all(
        one == pytest.approx(other, abs=1e-5) for one, other in zip(together, alone, strict=True)
    )


def test_the_best_of_many_that_do_not_fit_is_not_like_the_question() -> None:
    question, dense = asked("kitten")
    entries = a_talk(("Ann", "A river"), ("Bob", "A mountain"))

    told = likeness(question, dense, entries, frequencies_of(entries))

    assert [each["lexical"] for each in told] == [0.0, 0.0]


def test_of_no_entries_there_is_nothing_to_tell() -> None:
    question, dense = asked("kitten")

    assert likeness(question, dense, [], Frequencies()) == []
