"""What texts and questions are searched by: terms, marks, times, vectors, places in a thread."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from math import asin, degrees, hypot, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.dynamodb.search.vector_index import (
    DENSE_SHARE,
    LARGEST_INTEGER,
    hybrid,
    hybrid_question,
)
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.records.standing import index_version
from membrane.domain.search.entries import (
    LARGEST_BYTE,
    MAX_COUNT,
    MAX_TERMS,
    NO_POSITION,
    SKETCH_DIMENSIONS,
    is_word,
    mark,
    order_of,
    pack_dense,
    pack_terms,
    position_in,
    stem,
    stems_of,
    term,
    terms_of,
    unpack_dense,
    unpack_terms,
    words_of,
)
from membrane.domain.search.questions import (
    FAINT,
    MAX_PERIODS,
    MAX_WORDS,
    YEARS_BACK,
    Period,
    Question,
    periods_in,
    question_of,
)
from membrane.domain.search.searchable import NAME, NUMBER, TIME, WHO
from tests.builders.records import NOW
from tests.growth import calls


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's 3 TOYS", ["the", "cat", "s", "3", "toys"]),
        ("fix_go_compilationError", ["fix", "go", "compilation", "error"]),
        ("HTTPServer v3.13", ["http", "server", "v3", "13"]),
        ("ﬁne Straße", ["fine", "strasse"]),
        ("東京都", ["東京", "京都"]),
        ("x" * 1_000, ["x" * 40]),
        ("?! ...", []),
    ],
)
def test_a_text_is_taken_apart_into_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_words_of_one_stem_are_one_term() -> None:
    terms = terms_of("She adopted him; adopting was easy")

    assert terms[term("adopt")] == 2


def test_words_that_say_nothing_are_left_out() -> None:
    assert stems_of("What did you do to the garden?") == ["garden"]


def test_hashes_are_the_same_in_every_process_and_every_version() -> None:
    assert term("adopt") == 0x6DE8897A
    assert mark("who", "caroline") == 0x849E0B6D


def test_a_mark_is_told_from_a_word() -> None:
    assert is_word(term("caroline"))
    assert not is_word(mark("who", "caroline"))
    assert mark("who", "caroline") != mark("name", "caroline")


def test_of_a_long_text_the_most_frequent_terms_stay() -> None:
    text = " ".join(f"w{number}" for number in range(MAX_TERMS)) + " again again tea tea"

    terms = terms_of(text)

    assert len(terms) == MAX_TERMS
    assert terms[term("tea")] == 2


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


def test_a_whole_document_is_cut() -> None:
    question = question_of(" ".join(f"w{number}" for number in range(10 * MAX_WORDS)), NOW)

    assert len(question.terms) == MAX_WORDS


SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""A Saturday."""


def spans(text: str, now: datetime = SATURDAY) -> list[tuple[str, str]]:
    """First day, and the first day after it."""
    days = [(period.from_s, period.to_s) for period in periods_in(text, now)]
    return [
        (from_epoch_seconds(start).date().isoformat(), from_epoch_seconds(end).date().isoformat())
        for start, end in days
    ]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("What happened on 8 May 2023?", ("2023-05-08", "2023-05-09")),
        ("the 8th of May, 2023", ("2023-05-08", "2023-05-09")),
        ("May 8th, 2023", ("2023-05-08", "2023-05-09")),
        ("on 2023-05-08", ("2023-05-08", "2023-05-09")),
        ("2023-05", ("2023-05-01", "2023-06-01")),
        ("in December 2023", ("2023-12-01", "2024-01-01")),
        ("sept. 2023", ("2023-09-01", "2023-10-01")),
        ("in 2022", ("2022-01-01", "2023-01-01")),
        ("today", ("2026-11-21", "2026-11-22")),
        ("Yesterday", ("2026-11-20", "2026-11-21")),
        ("last week", ("2026-11-09", "2026-11-16")),
        ("this week", ("2026-11-16", "2026-11-22")),
        ("last month", ("2026-10-01", "2026-11-01")),
        ("last year", ("2025-01-01", "2026-01-01")),
        ("three days ago", ("2026-11-18", "2026-11-19")),
        ("2 weeks ago", ("2026-11-04", "2026-11-11")),
        ("last Friday", ("2026-11-20", "2026-11-21")),
        ("on Saturday", ("2026-11-14", "2026-11-15")),
    ],
)
def test_a_time_is_read(text: str, span: tuple[str, str]) -> None:
    assert spans(text) == [span]


def test_a_month_without_a_year_is_that_of_each_of_the_last_years() -> None:
    found = spans("What did we do in June?")

    assert len(found) == YEARS_BACK
    assert found[0] == ("2026-06-01", "2026-07-01")
    assert found[-1] == ("2017-06-01", "2017-07-01")


@pytest.mark.parametrize(
    "text", ["", "Who may march?", "31 February 2023", "version 3.13", "2023-13", "may I?", "1066"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize("text", ["the May bill", "in may", "since March"])
def test_may_and_march_are_months_where_they_are_named(text: str) -> None:
    assert len(spans(text)) == YEARS_BACK


@given(st.text(), st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001 - given its zone below
def test_any_text_at_any_time_is_read(text: str, now: datetime) -> None:
    assert all(period.from_s < period.to_s for period in periods_in(text, now.replace(tzinfo=UTC)))


def test_no_more_periods_are_made_of_a_text_than_it_may_name() -> None:
    text = "Jan Feb Mar Apr " * 6_250

    made = calls(Period.__init__, lambda: periods_in(text, SATURDAY))

    assert made <= 2 * MAX_PERIODS


def test_the_first_of_too_many_periods_are_read() -> None:
    days = [f"{day} {month}" for month in ("Jan", "Mar", "May", "Jul") for day in range(1, 32)]

    assert len(periods_in(", ".join(days), SATURDAY)) == MAX_PERIODS
    assert spans(", ".join(days))[0] == ("2026-01-01", "2026-01-02")


PACKED_TERMS = st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, MAX_COUNT))
VECTORS = st.lists(st.integers(-1_000, 1_000), min_size=1, max_size=8).filter(any)


@given(PACKED_TERMS)
def test_terms_come_back_as_they_were(terms: dict[int, int]) -> None:
    assert unpack_terms(pack_terms(terms)) == terms


@given(VECTORS)
def test_a_vector_comes_back_at_a_length_of_1_in_nearly_its_direction(vector: list[int]) -> None:
    again = unpack_dense(pack_dense(vector))

    cosine = sum(x * y for x, y in zip(vector, again, strict=True)) / hypot(*vector)
    off = degrees(asin(sqrt(max(0.0, 1.0 - cosine**2))))
    assert hypot(*again) == pytest.approx(1.0)
    assert cosine > 0.0
    assert off < degrees(asin(sqrt(len(vector)) / 2 / LARGEST_BYTE)) + 1e-5


@given(VECTORS)
def test_a_component_takes_one_byte_and_the_largest_uses_all_of_it(vector: list[int]) -> None:
    packed = pack_dense(vector)

    assert len(packed) == len(vector)
    assert max(abs(each) for each in memoryview(packed).cast("b")) == LARGEST_BYTE


def test_a_later_version_and_a_later_record_of_the_same_id_have_a_higher_number() -> None:
    born_s = 1_772_355_600.123

    first, second = index_version(born_s, 1), index_version(born_s, 2)
    of_next = index_version(born_s + 0.001, 1)

    assert first < second < of_next


UP, DOWN = (0.6, 0.8), (0.8, -0.6)
DIMENSIONS = 16
DENSE = st.lists(st.integers(-1_000, 1_000), min_size=DIMENSIONS, max_size=DIMENSIONS).filter(any)
TERMS = st.dictionaries(st.integers(0, 2**31 - 1), st.integers(1, 255), max_size=40)

ROUNDED = math.asin(math.sqrt(DIMENSIONS) / 2 / LARGEST_INTEGER)
"""How far rounding turns a vector of so many components at most, in radians."""


def a_question(**weights: float) -> Question:
    return Question("", {term(word): weight for word, weight in weights.items()}, {})


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


@given(DENSE, TERMS)
def test_a_vector_has_integers_of_two_digits_with_room_for_both(
    dense: list[int], terms: dict[int, int]
) -> None:
    vector = hybrid(dense, terms)

    assert len(vector) == DIMENSIONS + SKETCH_DIMENSIONS
    assert all(isinstance(each, int) for each in vector)
    assert max(map(abs, vector)) == LARGEST_INTEGER == 99


@given(DENSE, DENSE)
def test_rounding_changes_the_cosine_of_two_vectors_little(
    one: list[int], other: list[int]
) -> None:
    rounded = cosine(hybrid(one, {}), hybrid(other, {}))

    assert rounded == pytest.approx(cosine(one, other), abs=2 * ROUNDED)


def test_the_cosine_is_a_weighed_sum_of_meaning_and_words() -> None:
    document = hybrid(UP, {term("tea"): 1})

    same_words = cosine(document, hybrid_question(a_question(tea=1.0), DOWN))
    same_meaning = cosine(document, hybrid_question(a_question(cup=1.0), UP))

    assert same_words == pytest.approx(1.0 - DENSE_SHARE, abs=0.01)
    assert same_meaning == pytest.approx(DENSE_SHARE, abs=0.01)


def test_marks_are_no_words() -> None:
    assert hybrid(UP, {term("tea"): 1, mark("who", "ann"): 1}) == hybrid(UP, {term("tea"): 1})


def test_what_has_no_words_has_its_meaning_left() -> None:
    vector = hybrid(UP, {})

    assert vector[:2] == [74, 99]
    assert not any(vector[2:])


INSTANTS = st.floats(-6e10, 2.5e11).map(lambda seconds: round(seconds, 3))
CREATED = st.floats(1e9, 4e9)


def test_sessions_come_one_after_the_other_though_their_numbers_begin_anew() -> None:
    last = order_of(360_000.0, 1e9, 40)
    first_of_next = order_of(446_400.0, 1e9, 1)

    assert last < first_of_next


@given(INSTANTS, INSTANTS, CREATED)
def test_without_numbers_time_orders(one: float, other: float, created_s: float) -> None:
    earlier, later = sorted([one, other])

    assert order_of(earlier, created_s, None) <= order_of(later, created_s, None)


@given(INSTANTS, CREATED, st.integers(0, 10**9 - 1))
def test_the_position_can_be_told_again(happened_s: float, created_s: float, number: int) -> None:
    assert position_in(order_of(happened_s, created_s, number)) in (number + 1, number)
    assert position_in(order_of(happened_s, created_s, None)) == NO_POSITION
