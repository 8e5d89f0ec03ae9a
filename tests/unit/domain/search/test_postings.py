"""BM25 over hashed terms."""

import math

import pytest

from membrane.domain.search.entries import pack_terms
from membrane.domain.search.postings import K1, B, Frequencies, Postings, ideal
from membrane.domain.search.terms import mark, term

TEA, CUP, ANN = term("tea"), term("cup"), mark("who", "ann")
TEXTS = [{TEA: 2, CUP: 1, ANN: 1}, {TEA: 1}, {CUP: 4, ANN: 1}, {}]
POSTINGS = Postings.of([pack_terms(terms) for terms in TEXTS])
FREQUENCIES = POSTINGS.frequencies


def test_the_texts_of_a_term_are_known_with_its_counts() -> None:
    texts, counts = POSTINGS.having(TEA)

    assert texts.tolist() == [0, 1]
    assert counts.tolist() == [2, 1]
    assert len(POSTINGS.having(term("unheard"))[0]) == 0


def test_length_is_that_of_the_words() -> None:
    assert POSTINGS.lengths.tolist() == [3.0, 1.0, 4.0, 0.0]


def test_bm25_is_what_its_formula_says() -> None:
    average = (3 + 1 + 4 + 0) / 4
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))

    scores = POSTINGS.bm25({TEA: 1.0}, FREQUENCIES)

    twice_of_three = 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / average))
    once_of_one = 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 1 / average))
    assert scores.tolist() == pytest.approx([idf * twice_of_three, idf * once_of_one, 0.0, 0.0])


def test_terms_add_up_by_their_weights() -> None:
    both = POSTINGS.bm25({TEA: 0.5, CUP: 2.0}, FREQUENCIES)

    apart = 0.5 * POSTINGS.bm25({TEA: 1.0}, FREQUENCIES)
    apart += 2.0 * POSTINGS.bm25({CUP: 1.0}, FREQUENCIES)
    assert both.tolist() == pytest.approx(apart.tolist())


def test_no_score_passes_the_ideal() -> None:
    weights = {TEA: 1.0, CUP: 0.5}
    full = Postings.of([pack_terms({TEA: 255, CUP: 255})])

    best = ideal(weights, FREQUENCIES)

    assert 0.0 < float(full.bm25(weights, FREQUENCIES)[0]) <= best


def test_a_mark_counts_once_however_often() -> None:
    sums = POSTINGS.sums({ANN: 1.0}, FREQUENCIES)

    assert sums.tolist() == pytest.approx([FREQUENCIES.idf(ANN), 0.0, FREQUENCIES.idf(ANN), 0.0])


def test_texts_are_ranked_where_no_frequency_is_known() -> None:
    scores = POSTINGS.bm25({TEA: 1.0}, Frequencies())

    assert float(scores[0]) > 0.0


def test_no_texts_have_no_scores() -> None:
    assert Postings.of([]).bm25({TEA: 1.0}, FREQUENCIES).tolist() == []
