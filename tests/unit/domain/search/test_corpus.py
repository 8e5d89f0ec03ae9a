"""The likeliest entries of a scope."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.corpus import DENSE, LENT, MARKS, Corpus
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.neighbours import LENT_BACK, LENT_ONWARDS
from membrane.domain.search.postings import K1, B
from membrane.domain.search.questions import Question
from membrane.domain.search.terms import is_word
from tests.builders.conversations import (
    EVERY_TYPE,
    a_talk,
    a_turn,
    an_entry,
    asked,
    found,
    frequencies_of,
    of_days_later,
)
from tests.builders.records import a_record_of, an_observation

WORDS = ("tea", "cup", "garden", "piano", "cat", "river")
TALKS = st.lists(
    st.tuples(
        st.sampled_from(["Ann", "Bob"]),
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    ),
    min_size=1,
    max_size=8,
).map(lambda said: a_talk(*said))
QUESTIONS = st.lists(st.sampled_from((*WORDS, "Ann", "Bob")), min_size=1, max_size=4).map(" ".join)


def naive(question: Question, dense: Sequence[float], entries: Sequence[Entry]) -> list[float]:
    """The scores of one session's turns, entry by entry and term by term."""
    known = frequencies_of(entries)
    own = [_own(question, dense, entry, known) for entry in entries]
    return [score + LENT * _lent(own, place) for place, score in enumerate(own)]


def _own(question: Question, dense: Sequence[float], entry: Entry, known: Frequencies) -> float:
    terms = unpack_terms(entry.terms)
    length = sum(count for term, count in terms.items() if is_word(term))
    damping = K1 * (1 - B + B * length / (known.average_length or 1.0))
    gains = {term: weight * known.idf(term) for term, weight in question.terms.items()}
    matched = sum(
        gain * terms[term] / (terms[term] + damping)
        for term, gain in gains.items()
        if term in terms
    )
    words = matched / sum(gains.values()) if gains else 0.0
    meaning = sum(x * y for x, y in zip(unpack_dense(entry.dense), dense, strict=True))
    named = sum(
        weight * known.idf(term) for term, weight in question.marks.items() if term in terms
    )
    return words + DENSE * max(0.0, meaning) + MARKS * named / (named + 1.0)


def _lent(own: Sequence[float], place: int) -> float:
    onwards = [own[place - step] * LENT_ONWARDS[step] for step in (1, 2, 3) if place >= step]
    back = [own[place + step] * LENT_BACK[step] for step in (1, 2, 3) if place + step < len(own)]
    most = LENT_ONWARDS.sum() + LENT_BACK.sum()
    return float((sum(onwards) + sum(back)) / most)


HALF_PRECISION = 2**-11
"""How far off a number of a vector may be; and no cosine of such vectors is further off."""


@given(TALKS, QUESTIONS)
def test_the_likeliest_are_those_of_a_naive_scoring(entries: list[Entry], text: str) -> None:
    question, dense = asked(text)

    likeliest = Corpus.of(entries).likeliest(
        question,
        dense,
        frequencies_of(entries),
        ceiling=Sensitivity.HYPER,
        types=EVERY_TYPE,
        limit=len(entries),
    )

    expected = naive(question, dense, entries)
    scores = {place: score for score, place in likeliest}
    assert [scores.get(place, 0.0) for place in range(len(entries))] == pytest.approx(
        expected, abs=HALF_PRECISION
    )


def test_an_answer_is_found_by_the_question_before_it() -> None:
    entries = a_talk(
        ("Ann", "Lovely weather today."),
        ("Bob", "Where did you adopt your kitten?"),
        ("Ann", "From a lady in Porto."),
        ("Bob", "I had soup."),
    )

    assert found("Where was the kitten adopted?", entries)[:2] == ["t2", "t3"]


def test_what_is_above_the_ceiling_is_not_found_and_lends_nothing() -> None:
    secret = an_entry(a_turn("The kitten is adopted", number=1), sensitivity=Sensitivity.HIGH)
    after = an_entry(a_turn("From a lady in Porto", number=2))
    corpus = Corpus.of([secret, after])
    question, dense = asked("adopted kitten")

    likeliest = corpus.likeliest(
        question,
        dense,
        Frequencies(),
        ceiling=Sensitivity.MEDIUM,
        types=EVERY_TYPE,
        limit=10,
    )

    alone = Corpus.of([after]).likeliest(
        question, dense, Frequencies(), ceiling=Sensitivity.MEDIUM, types=EVERY_TYPE, limit=10
    )
    assert [score for score, _ in likeliest] == [score for score, _ in alone]


def test_only_the_types_that_are_asked_for_are_found() -> None:
    turn = an_entry(a_turn("A kitten"))
    fact = an_entry(a_record_of(an_observation(subject="kitten"), scope=""))
    question, dense = asked("kitten")

    likeliest = Corpus.of([turn, fact]).likeliest(
        question,
        dense,
        Frequencies(),
        ceiling=Sensitivity.HYPER,
        types=frozenset({MemoryType.SEMANTIC}),
        limit=10,
    )

    assert [place for _, place in likeliest] == [1]


def test_no_more_are_found_than_asked_for_and_ties_go_by_id() -> None:
    entries = [an_entry(a_turn("A kitten", number=n, ref=f"{n}/1")) for n in (3, 1, 2)]

    assert found("kitten", entries, limit=2) == ["t1", "t2"]


def test_what_has_nothing_to_do_with_the_question_is_not_found() -> None:
    entries = [an_entry(a_turn("Rain again", number=1))]

    assert found("zzz", entries) == []


def test_an_empty_scope_has_nothing_to_find() -> None:
    assert found("kitten", []) == []


def test_beside_a_turn_are_up_to_three_to_either_side_of_its_thread() -> None:
    entries = [an_entry(a_turn("Hm", number=number)) for number in (9, 1, 2, 3, 4, 5, 6)]
    elsewhere = an_entry(a_turn("Hm", number=7, ref="other/D1:7"))
    corpus = Corpus.of([*entries, elsewhere])

    around = [corpus.entries[place].record_id for place in corpus.beside(4)]

    assert around == ["t3", "t5", "t2", "t6", "t1", "t9"]
    assert corpus.beside(7) == []


def test_turns_of_another_session_lend_nothing() -> None:
    question, dense = asked("kitten")
    entries = [
        an_entry(a_turn("A kitten", number=1)),
        an_entry(a_turn("Rain again", number=2, timestamp=of_days_later(1))),
    ]

    likeliest = Corpus.of(entries).likeliest(
        question,
        dense,
        Frequencies(),
        ceiling=Sensitivity.HYPER,
        types=EVERY_TYPE,
        limit=10,
    )

    assert [place for _, place in likeliest] == [0]
