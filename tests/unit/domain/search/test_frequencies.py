"""In how many documents terms occur, as far as a reader may see them."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.frequencies import (
    Frequencies,
    Level,
    Snapshot,
    counted,
    length_of,
    together,
)
from membrane.domain.search.terms import mark, term

TEA, CUP, ANN = term("tea"), term("cup"), mark("who", "ann")
PUBLIC, LOW, HYPER = Sensitivity.PUBLIC, Sensitivity.LOW, Sensitivity.HYPER

Text = tuple[Sensitivity, dict[int, int]]

TEXTS = st.lists(
    st.tuples(
        st.sampled_from(Sensitivity),
        st.dictionaries(st.integers(0, 6), st.integers(1, 3), max_size=5),
    ),
    max_size=12,
)


def seen(sample: Sequence[Text], ceiling: Sensitivity) -> list[Text]:
    """What of a sample is not above the ceiling."""
    return [each for each in sample if each[0].level <= ceiling.level]


def test_a_sample_stands_for_all_documents() -> None:
    sample = [(LOW, {TEA: 3, CUP: 1}), (LOW, {TEA: 1, ANN: 1}), (LOW, {ANN: 1}), (LOW, {ANN: 2})]

    found = together([counted(sample, documents=100)], LOW)

    assert found.documents == 100
    assert found.shares == {TEA: 0.5, ANN: 0.75}


def test_length_is_measured_in_words() -> None:
    found = together([counted([(LOW, {TEA: 3, CUP: 1}), (LOW, {TEA: 1, ANN: 1})], 2)], LOW)

    assert length_of({TEA: 3, ANN: 1}) == 3
    assert found.average_length == 2.5


def test_nothing_is_known_of_no_documents() -> None:
    assert counted([], documents=5).levels == {}
    assert together([counted([], documents=5)], HYPER) == Frequencies()
    assert together([], HYPER) == Frequencies()


def test_a_rare_term_tells_more_than_a_common_one() -> None:
    found = Frequencies(100, 5.0, {TEA: 0.5, CUP: 0.1})

    assert found.idf(TEA) == pytest.approx(math.log(1 + 50.5 / 50.5))
    assert found.idf(CUP) == pytest.approx(math.log(1 + 90.5 / 10.5))
    assert found.idf(term("unheard")) == pytest.approx(math.log(1 + 99.5 / 1.5))


def test_scopes_are_counted_together_by_their_documents() -> None:
    small = Snapshot(10, {LOW: Level(5, 20, {TEA: 5})})
    large = Snapshot(30, {LOW: Level(10, 80, {TEA: 5, CUP: 5})})

    both = together([small, large], LOW)

    assert both == Frequencies(40, 7.0, {TEA: 25 / 40, CUP: 15 / 40})


# --- levels ---------------------------------------------------------------------------------------


def test_a_reader_counts_what_is_not_above_the_ceiling() -> None:
    sample = [(PUBLIC, {TEA: 1}), (PUBLIC, {TEA: 1}), (HYPER, {TEA: 1, CUP: 1}), (HYPER, {CUP: 3})]
    snapshot = counted(sample, documents=40)

    low, hyper = together([snapshot], LOW), together([snapshot], HYPER)

    assert low == Frequencies(20, 1.0, {TEA: 1.0})
    assert hyper == Frequencies(40, 7 / 4, {TEA: 0.75, CUP: 0.5})


def test_a_term_that_two_levels_have_once_each_is_counted_from_the_higher_one_on() -> None:
    snapshot = counted([(PUBLIC, {TEA: 1}), (LOW, {TEA: 1}), (HYPER, {TEA: 1})], 3)

    shares = [together([snapshot], ceiling).shares for ceiling in (PUBLIC, LOW, HYPER)]

    assert shares == [{}, {TEA: 1.0}, {TEA: 1.0}]


@given(TEXTS, st.sampled_from(Sensitivity))
def test_what_is_above_the_ceiling_changes_no_frequency(
    sample: list[Text], ceiling: Sensitivity
) -> None:
    open_ones = seen(sample, ceiling)

    found = together([counted(sample, len(sample))], ceiling)

    assert found == together([counted(open_ones, len(open_ones))], ceiling)


@given(TEXTS, st.sampled_from(Sensitivity))
def test_a_reader_knows_of_each_term_that_two_documents_have_how_many_it_are(
    sample: list[Text], ceiling: Sensitivity
) -> None:
    texts = [terms for _, terms in seen(sample, ceiling)]

    found = together([counted(sample, len(sample))], ceiling)

    often = {each: sum(each in terms for terms in texts) for each in range(7)}
    known = {each: count / len(texts) for each, count in often.items() if count > 1}
    assert found.shares == pytest.approx(known)


# --- room -----------------------------------------------------------------------------------------


def test_of_a_level_the_most_frequent_terms_are_kept() -> None:
    level = Level(9, 9, {1: 2, 2: 9, 3: 4, 4: 4})

    assert level.shortened(2) == replace(level, occurrences={2: 9, 3: 4})
    assert level.shortened(9) == level


@given(TEXTS, st.sampled_from(Sensitivity), st.integers(0, 20))
def test_no_terms_make_way_for_what_is_above_the_ceiling(
    sample: list[Text], ceiling: Sensitivity, room: int
) -> None:
    open_ones = seen(sample, ceiling)

    short = counted(sample, len(sample)).shortened(room)

    assert sum(len(level.occurrences) for level in short.levels.values()) <= room
    alone = counted(open_ones, len(open_ones)).shortened(room)
    assert together([short], ceiling) == together([alone], ceiling)
