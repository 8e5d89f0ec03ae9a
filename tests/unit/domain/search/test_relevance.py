"""How relevant candidates are, part by part."""

from itertools import pairwise
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.relevance import MAX_SEEDS, relevance, seeds
from tests.builders.conversations import (
    a_talk,
    a_turn,
    an_entry,
    asked,
    frequencies_of,
    of_days_later,
    parts_of,
    ranked,
)
from tests.unit.domain.search.test_corpus import QUESTIONS, TALKS

PARTS = {"lexical", "dense", "neighbours", "marks", "period"}


SAID, SILENT = ("Ann", "tea tea tea tea"), ("Ann", "")


@given(TALKS, QUESTIONS)
@example(a_talk(SAID, SAID, SAID, SILENT, SAID, SAID), "tea")
def test_every_part_is_from_0_to_1_and_of_these_names(entries: list[Entry], text: str) -> None:
    parts = parts_of(text, entries)

    assert all(each.keys() == PARTS for each in parts.values())
    assert all(0.0 <= value <= 1.0 for each in parts.values() for value in each.values())


@given(TALKS, QUESTIONS, st.randoms())
def test_the_order_in_which_candidates_come_does_not_matter(
    entries: list[Entry], text: str, chance: Random
) -> None:
    shuffled = list(entries)
    chance.shuffle(shuffled)

    assert parts_of(text, shuffled) == parts_of(text, entries)


def test_candidates_and_what_stands_beside_them_are_measured_in_their_order() -> None:
    first, second, third = a_talk(("Ann", "A kitten"), ("Bob", "A cat"), ("Ann", "A river"))
    question, dense = asked("kitten")
    known = frequencies_of([first, second, third])

    together = relevance(question, dense, [first, second, third], [], known)
    apart = relevance(question, dense, [third], [first, second], known)

    assert apart == [together[2], together[0], together[1]]


def test_of_no_candidates_there_is_nothing_to_tell() -> None:
    question, dense = asked("kitten")

    assert relevance(question, dense, [], [], Frequencies()) == []
    assert seeds(question, dense, [], Frequencies()) == []


def test_the_turn_before_lends_more_than_the_turn_after() -> None:
    parts = parts_of(
        "adopted kitten",
        a_talk(("Ann", "Rain"), ("Bob", "You adopted a kitten?"), ("Ann", "Yes"), ("Bob", "Soup")),
    )

    lent = [parts[each]["neighbours"] for each in ("t3", "t4", "t1", "t2")]
    assert all(more > less for more, less in pairwise(lent))


def test_who_says_it_matters() -> None:
    entries = [
        an_entry(a_turn("I love my garden", number=day, who=who, timestamp=of_days_later(day)))
        for day, who in ((1, "Bob"), (2, "Ann"))
    ]

    assert ranked("What does Ann love?", entries)[0] == "t2"
    assert ranked("What does Bob love?", entries)[0] == "t1"


def test_of_near_duplicates_the_one_with_the_named_day_comes_first() -> None:
    entries = [
        an_entry(a_turn("The deploy failed", number=day, timestamp=of_days_later(day)))
        for day in range(1, 6)
    ]

    assert ranked("Which deploy failed on 6 June 2025?", entries)[0] == "t3"


def test_what_is_told_after_a_named_time_is_nearer_than_what_is_told_long_before() -> None:
    before, after = (
        an_entry(a_turn("Hm", number=number, timestamp=f"2025-0{month}-15T12:00:00Z"))
        for number, month in ((1, 3), (2, 7))
    )

    parts = parts_of("What did they do in June 2025?", [before, after])

    assert 0.0 < parts["t2"]["period"] < 1.0
    assert parts["t1"]["period"] < 0.01


def test_no_time_is_near_where_none_is_named() -> None:
    parts = parts_of("What did they do?", a_talk(("Ann", "Hm")))

    assert parts["t1"]["period"] == 0.0


def test_the_best_matches_are_asked_for_their_neighbours() -> None:
    entries = a_talk(("Ann", "Rain"), ("Bob", "A kitten, an adopted kitten"), ("Ann", "A kitten"))
    question, dense = asked("adopted kitten")

    assert seeds(question, dense, entries, frequencies_of(entries))[:2] == [1, 2]


def test_so_many_are_asked_at_most() -> None:
    entries = a_talk(*(("Ann", f"kitten {number}") for number in range(30)))
    question, dense = asked("kitten")

    assert len(seeds(question, dense, entries, frequencies_of(entries))) == MAX_SEEDS
