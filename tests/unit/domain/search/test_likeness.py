"""How like a question a text is by itself."""

from hypothesis import given

from membrane.domain.search.entries import Entry
from membrane.domain.search.relevance import likeness
from tests.builders.conversations import QUESTIONS, TALKS, a_talk, asked

PARTS = {"lexical", "dense", "marks"}


@given(TALKS, QUESTIONS)
def test_every_part_is_from_0_to_1_in_whatever_order_the_entries_come(
    entries: list[Entry], text: str
) -> None:
    found = likeness(*asked(text), entries)

    backwards = likeness(*asked(text), entries[::-1])
    assert all(each.keys() == PARTS for each in found)
    assert all(0.0 <= value <= 1.00001 for each in found for value in each.values())
    assert backwards[::-1] == found


def test_the_best_of_many_that_do_not_fit_is_not_like_the_question() -> None:
    found = likeness(*asked("kitten"), a_talk(("Ann", "A river"), ("Bob", "A mountain")))

    assert [each["lexical"] for each in found] == [0.0, 0.0]


def test_of_no_entries_there_is_nothing_to_tell() -> None:
    assert likeness(*asked("kitten"), []) == []
