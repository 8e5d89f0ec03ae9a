"""What the words, the meaning and the names of candidates are measured as."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import pytest
from hypothesis import given

from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.postings import K1, B, Frequencies
from membrane.domain.search.questions import Question
from membrane.domain.search.terms import is_word
from tests.builders.conversations import QUESTIONS, TALKS, a_talk, asked

PRECISION = 1e-5


def length_of(terms: Mapping[int, int]) -> int:
    return sum(count for term, count in terms.items() if is_word(term))


def naive_frequencies(documents: Sequence[Mapping[int, int]]) -> Frequencies:
    average = sum(map(length_of, documents)) / len(documents) if documents else 0.0
    return Frequencies(len(documents), average, Counter(chain.from_iterable(documents)))


def naive(
    question: Question, dense: Sequence[float], entry: Entry, known: Frequencies
) -> tuple[float, float, float]:
    """Words, meaning and names of one entry, term by term."""
    terms = unpack_terms(entry.terms)
    damping = K1 * (1 - B + B * length_of(terms) / (known.average_length or 1.0))
    gains = {term: weight * known.idf(term) for term, weight in question.terms.items()}
    matched = sum(
        gain * terms[term] / (terms[term] + damping)
        for term, gain in gains.items()
        if term in terms
    )
    meaning = sum(x * y for x, y in zip(unpack_dense(entry.dense), dense, strict=True))
    named = sum(
        weight * known.idf(term) for term, weight in question.marks.items() if term in terms
    )
    return matched / (sum(gains.values()) or 1.0), max(0.0, meaning), named / (named + 1.0)


@given(TALKS, QUESTIONS)
def test_every_part_is_that_of_a_naive_scoring(entries: list[Entry], text: str) -> None:
    question, dense = asked(text)
    corpus, known = (
        Corpus.of(entries),
        naive_frequencies([unpack_terms(each.terms) for each in entries]),
    )

    measured = zip(
        corpus.words(question, known).tolist(),
        corpus.meaning(dense).tolist(),
        corpus.names(question, known).tolist(),
        strict=True,
    )

    expected = [naive(question, dense, entry, known) for entry in entries]
    for found, wanted in zip(measured, expected, strict=True):
        assert found == pytest.approx(wanted, abs=PRECISION)


def test_a_question_without_a_word_that_says_something_matches_no_words() -> None:
    entries = a_talk(("Ann", "A kitten"))
    question, _ = asked("what is it?")

    assert Corpus.of(entries).words(question, Frequencies()).tolist() == [0.0]


def test_vectors_that_are_opposed_have_nothing_in_common() -> None:
    entries = a_talk(("Ann", "A kitten"))
    away = [-each for each in unpack_dense(entries[0].dense)]

    assert Corpus.of(entries).meaning(away).tolist() == [0.0]
