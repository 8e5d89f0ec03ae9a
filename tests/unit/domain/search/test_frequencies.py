"""In how many of the documents that a search found terms occur."""

import math
from collections.abc import Mapping, Sequence

import pytest

from membrane.domain.search.entries import pack_terms
from membrane.domain.search.postings import Frequencies, Postings
from membrane.domain.search.terms import mark, term

TEA, CUP, ANN = term("tea"), term("cup"), mark("who", "ann")


def frequencies_of(documents: Sequence[Mapping[int, int]]) -> Frequencies:
    """Of documents, each told by how often it has each term."""
    return Postings.of([pack_terms(each) for each in documents]).frequencies


def test_a_document_counts_once_for_each_of_its_terms_however_often_it_has_it() -> None:
    found = frequencies_of([{TEA: 3, CUP: 1}, {TEA: 1, ANN: 1}])

    assert (found.documents, found.occurrences) == (2, {TEA: 2, CUP: 1, ANN: 1})


def test_length_is_measured_in_words() -> None:
    assert frequencies_of([{TEA: 3, ANN: 1}]).average_length == 3
    assert frequencies_of([{TEA: 3, CUP: 1}, {TEA: 1, ANN: 1}]).average_length == 2.5


def test_nothing_is_known_of_no_documents() -> None:
    assert frequencies_of([]) == Frequencies()


def test_a_rare_term_tells_more_than_a_common_one() -> None:
    found = Frequencies(100, 5.0, {TEA: 50, CUP: 10})

    assert found.idf(TEA) == pytest.approx(math.log(1 + 50.5 / 50.5))
    assert found.idf(CUP) == pytest.approx(math.log(1 + 90.5 / 10.5))
    assert found.idf(term("unheard")) == pytest.approx(math.log(1 + 99.5 / 1.5))


def test_a_term_that_every_document_has_still_tells_something() -> None:
    assert Frequencies(3, 1.0, {TEA: 3}).idf(TEA) > 0.0
    assert Frequencies().idf(TEA) > 0.0
