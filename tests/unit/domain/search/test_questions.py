"""What somebody wants to know, taken apart."""

import pytest

from membrane.domain.search.questions import FAINT, MAX_WORDS, question_of
from membrane.domain.search.searchable import NAME, NUMBER, TIME, WHO
from membrane.domain.search.terms import mark, stem, term
from tests.builders.records import NOW


def test_words_that_ask_weigh_less_than_words_that_are_asked_for() -> None:
    question = question_of("What kind of pottery did she mention?", NOW)

    assert question.terms[term(stem("pottery"))] == 1.0
    assert question.terms[term(stem("mention"))] == FAINT


def test_every_word_and_every_two_might_be_a_name() -> None:
    question = question_of("Did Mary Ann buy it?", NOW)

    named = {mark(kind, name) for kind in (WHO, NAME) for name in ("mary", "ann", "mary ann")}
    assert named <= question.marks.keys()
    assert mark(WHO, "it") not in question.marks


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("When did she move?", {TIME}),
        ("What year was it?", {TIME}),
        ("How many dogs has she?", {NUMBER}),
        ("How long did it take?", {TIME, NUMBER}),
        ("Who was there?", set()),
    ],
)
def test_a_question_says_what_its_answer_must_have(text: str, wanted: set[int]) -> None:
    assert question_of(text, NOW).marks.keys() & {TIME, NUMBER} == wanted


def test_times_are_read() -> None:
    assert len(question_of("What did Ann do on 8 May 2023?", NOW).periods) == 1


def test_a_whole_document_is_cut() -> None:
    question = question_of(" ".join(f"w{number}" for number in range(10 * MAX_WORDS)), NOW)

    assert len(question.terms) == MAX_WORDS


def test_nothing_is_asked_by_an_empty_text() -> None:
    question = question_of(" ?", NOW)

    assert (question.terms, question.marks, question.periods) == ({}, {}, ())
