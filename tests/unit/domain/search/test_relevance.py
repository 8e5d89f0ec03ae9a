"""How relevant candidates are, part by part."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.search.entries import Entry, pack_dense
from membrane.domain.search.relevance import Scale, relevance, relevance_by_scale
from membrane.domain.search.score import Weights
from tests.builders.conversations import (
    QUESTIONS,
    TALKS,
    a_talk,
    a_turn,
    an_entry,
    asked,
    of_days_later,
    parts_of,
    ranked,
)

PARTS = {"lexical", "dense", "neighbours", "marks", "period", "entities"}

SAID, SILENT = ("Ann", "tea tea tea tea"), ("Ann", "")

COMPONENTS = st.integers(-127, 127)
MEANINGS = st.lists(st.tuples(COMPONENTS, COMPONENTS), min_size=8, max_size=8)
"""Vectors for the turns of a talk, whatever the turns say."""

MATCH_ALONE = ("lexical", "dense")


def meaning_so(entries: Sequence[Entry], meanings: Sequence[tuple[int, int]]) -> list[Entry]:
    """The entries with these vectors, as many as there are of both."""
    return [
        replace(entry, dense=pack_dense(meaning))
        for entry, meaning in zip(entries, meanings, strict=False)
    ]


@given(TALKS, QUESTIONS)
@example(a_talk(SAID, SAID, SAID, SILENT, SAID, SAID), "tea")
def test_every_part_is_from_0_to_1_and_of_these_names(entries: list[Entry], text: str) -> None:
    parts = parts_of(text, entries)

    assert all(each.keys() == PARTS for each in parts.values())
    assert all(0.0 <= value <= 1.0 for each in parts.values() for value in each.values())


@given(TALKS, QUESTIONS, st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_does_not_matter(
    entries: list[Entry], text: str, chance: Random
) -> None:
    shuffled = list(entries)
    chance.shuffle(shuffled)

    assert parts_of(text, shuffled) == parts_of(text, entries)


def test_of_no_candidates_there_is_nothing_to_tell() -> None:
    assert relevance(*asked("kitten"), [], Weights()) == []


# --- beside what was found ----------------------------------------------------------------------


@given(TALKS, TALKS, QUESTIONS, st.randoms(use_true_random=False))
def test_what_was_not_found_is_measured_alike_whatever_else_is_measured(
    found: list[Entry], others: list[Entry], text: str, chance: Random
) -> None:
    whole = relevance_by_scale(Scale.of(*asked(text), found, Weights()), others)
    shuffled = list(found)
    chance.shuffle(shuffled)

    for other, its in zip(others, whole, strict=True):
        (alone,) = relevance_by_scale(Scale.of(*asked(text), shuffled, Weights()), [other])
        assert alone.parts == pytest.approx(its.parts, abs=1e-6)
        assert its.parts.keys() == PARTS
        assert all(0.0 <= value <= 1.0 for value in its.parts.values())


@given(TALKS, QUESTIONS)
def test_what_equals_a_found_candidate_matches_as_well(entries: list[Entry], text: str) -> None:
    found = relevance(*asked(text), entries, Weights())

    beside = relevance_by_scale(Scale.of(*asked(text), entries, Weights()), entries)

    for its, same in zip(beside, found, strict=True):
        assert its.match == pytest.approx(same.match, abs=1e-6)
        for name in PARTS - {"neighbours"}:
            assert its.parts[name] == pytest.approx(same.parts[name], abs=1e-6)


@given(TALKS, MEANINGS, QUESTIONS, st.floats(0, 10))
def test_what_was_not_found_outranks_by_its_neighbours_alone_no_candidate_that_matches_better(
    entries: list[Entry], meanings: Sequence[tuple[int, int]], text: str, weight: float
) -> None:
    question, _ = asked(text)
    meant = meaning_so(entries, meanings)
    found, others = meant[::2], meant[1::2]
    weights = Weights(neighbours=weight)

    better_ones = relevance(question, (0.6, 0.8), found, weights)
    beside = relevance_by_scale(Scale.of(question, (0.6, 0.8), found, weights), others)

    without = replace(weights, neighbours=0.0)
    for lifted, better in product(beside, better_ones):
        if all(better.parts[each] > lifted.parts[each] for each in MATCH_ALONE):
            behind = without.score(lifted.parts) < without.score(better.parts)
            assert not behind or weights.score(lifted.parts) < weights.score(better.parts)


def test_a_candidate_lends_to_the_turn_after_it_that_was_not_found() -> None:
    first, second, *_ = a_talk(("Ann", "You adopted a kitten?"), ("Bob", "Yes"), ("Ann", "Rain"))

    (its,) = relevance_by_scale(Scale.of(*asked("adopted kitten"), [first], Weights()), [second])

    assert its.parts["neighbours"] > 0.0


def test_where_nothing_was_found_nothing_is_relevant() -> None:
    (its,) = relevance_by_scale(Scale.of(*asked("tea"), [], Weights()), a_talk(("Ann", "tea")))

    assert its.parts == dict.fromkeys(PARTS, 0.0)
    assert its.match == 0.0


# --- neighbours ---------------------------------------------------------------------------------


@given(TALKS, MEANINGS, QUESTIONS, st.floats(0, 10))
def test_nothing_outranks_by_its_neighbours_alone_what_matches_better_by_itself(
    entries: list[Entry], meanings: Sequence[tuple[int, int]], text: str, weight: float
) -> None:
    question, _ = asked(text)
    meant = meaning_so(entries, meanings)
    weights = Weights(neighbours=weight)

    found = relevance(question, (0.6, 0.8), meant, weights)

    without = replace(weights, neighbours=0.0)
    for lifted, better in permutations(found, 2):
        if all(better.parts[each] > lifted.parts[each] for each in MATCH_ALONE):
            behind = without.score(lifted.parts) < without.score(better.parts)
            assert not behind or weights.score(lifted.parts) < weights.score(better.parts)


def test_an_event_whose_text_equals_the_question_comes_before_what_neighbours_lift() -> None:
    text = "The harbour crane failed on Monday"
    equal = an_entry(a_turn(text, number=9, ref="elsewhere/D1:9"))
    lifted = a_talk(
        ("Ann", "The harbour crane, did it fail?"),
        ("Bob", "On Monday it was the crane"),
        ("Ann", "Which harbour crane?"),
        ("Bob", "The failed one, in the harbour"),
    )

    assert ranked(text, [*lifted, equal])[0] == "t9"


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
