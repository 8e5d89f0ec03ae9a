"""How candidates are ranked: words, meaning, names, neighbours, and the score of all parts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.search.corpus import (
    K1,
    LENT_BACK,
    LENT_ONWARDS,
    B,
    Corpus,
    Frequencies,
    Neighbours,
    Postings,
    ideal,
    lent_to,
)
from membrane.domain.search.entries import (
    NEIGHBOURS,
    Entry,
    is_word,
    mark,
    pack_dense,
    pack_terms,
    term,
    unpack_dense,
    unpack_terms,
)
from membrane.domain.search.questions import MAX_NAME_WORDS, Question, named_entities
from membrane.domain.search.relevance import Scale, likeness, relevance, relevance_by_scale
from membrane.domain.search.score import RECENCY_HALF_LIFE_S, Weights, recency
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
from tests.builders.records import a_given_record, a_record_given

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


def test_the_turn_before_lends_more_than_the_turn_after() -> None:
    parts = parts_of(
        "adopted kitten",
        a_talk(("Ann", "Rain"), ("Bob", "You adopted a kitten?"), ("Ann", "Yes"), ("Bob", "Soup")),
    )

    lent = [parts[each]["neighbours"] for each in ("t3", "t4", "t1", "t2")]
    assert all(more > less for more, less in pairwise(lent))


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


MOST = float(LENT_ONWARDS.sum() + LENT_BACK.sum())

SCORES_OF_TURNS = st.dictionaries(st.integers(1, 12), st.floats(0, 1, width=32), max_size=8)
"""By turn; the other turns are not among the candidates."""


def turns(*numbers: int, **fields: str) -> list[Entry]:
    """The entries of these turns of a session."""
    return [an_entry(a_turn("Hm", number=number, **fields)) for number in numbers]


def lent(entries: list[Entry], *scores: float) -> list[float]:
    """What each is lent where each has its score."""
    found: list[float] = Neighbours.of(entries).borrow(np.array(scores, np.float32)).tolist()
    return found


@given(SCORES_OF_TURNS)
def test_a_turn_is_lent_by_what_is_up_to_three_turns_away(scores: dict[int, float]) -> None:
    expected = [
        sum(
            score * float(LENT_ONWARDS[turn - other] if other < turn else LENT_BACK[other - turn])
            for other, score in scores.items()
            if 0 < abs(turn - other) <= NEIGHBOURS
        )
        / MOST
        for turn in scores
    ]

    assert lent(turns(*scores), *scores.values()) == pytest.approx(expected, abs=1e-6)


@given(
    SCORES_OF_TURNS, st.sets(st.integers(1, 12), max_size=4), st.sampled_from(["talk/D1", "note"])
)
def test_what_stands_beside_the_lenders_is_lent_as_if_it_alone_stood_among_them(
    scores: dict[int, float], others: set[int], thread: str
) -> None:
    def of_thread(numbers: Iterable[int], name: str) -> list[Entry]:
        of = (a_turn("Hm", number=n, ref=f"{thread}:{n}", timestamp=_at(n)) for n in numbers)
        return [replace(an_entry(record), record_id=f"{name}-{record.id}") for record in of]

    lenders, beside = of_thread(scores, "lender"), of_thread(others, "other")

    found = lent_to(beside, lenders, np.array([*scores.values()], np.float32)).tolist()

    assert found == [lent([*lenders, other], *scores.values(), 0.0)[-1] for other in beside]


def _at(number: int) -> str:
    return f"2025-06-03T18:{number:02}:00Z"


def test_turns_of_another_session_lend_nothing() -> None:
    first, later = turns(1), turns(2, timestamp=of_days_later(1))

    assert lent([*first, *later], 1.0, 1.0) == [0.0, 0.0]


def test_turns_of_another_thread_lend_nothing() -> None:
    here, elsewhere = turns(1), turns(2, ref="other/D1:2")

    assert lent([*here, *elsewhere], 1.0, 1.0) == [0.0, 0.0]


def test_turns_without_numbers_lend_as_if_they_were_two_further_apart() -> None:
    entries = [
        an_entry(a_turn("Hm", number=number, ref="note", timestamp=f"2025-06-03T18:00:0{number}Z"))
        for number in (1, 2)
    ]

    expected = [float(LENT_BACK[3]) / MOST, float(LENT_ONWARDS[3]) / MOST]
    assert lent(entries, 1.0, 1.0) == pytest.approx(expected)


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


TEA, CUP, ANN = term("tea"), term("cup"), mark("who", "ann")
TEXTS = [{TEA: 2, CUP: 1, ANN: 1}, {TEA: 1}, {CUP: 4, ANN: 1}, {}]
POSTINGS = Postings.of([pack_terms(terms) for terms in TEXTS])
FREQUENCIES = POSTINGS.frequencies


def test_no_score_passes_the_ideal() -> None:
    weights = {TEA: 1.0, CUP: 0.5}
    full = Postings.of([pack_terms({TEA: 255, CUP: 255})])

    best = ideal(weights, FREQUENCIES)

    assert 0.0 < float(full.bm25(weights, FREQUENCIES)[0]) <= best


def test_a_mark_counts_once_however_often() -> None:
    sums = POSTINGS.sums({ANN: 1.0}, FREQUENCIES)

    assert sums.tolist() == pytest.approx([FREQUENCIES.idf(ANN), 0.0, FREQUENCIES.idf(ANN), 0.0])


def test_a_term_that_every_document_has_still_tells_something() -> None:
    assert Frequencies(3, 1.0, {TEA: 3}).idf(TEA) > 0.0
    assert Frequencies().idf(TEA) > 0.0


def test_usefulness_counts_by_the_difference_from_a_record_without_credit() -> None:
    weights = Weights(usefulness=0.2)

    assert weights.score({"usefulness": 1.0}) == pytest.approx(0.1)
    assert weights.score({"usefulness": 0.5}) == 0.0
    assert weights.score({"usefulness": 0.0}) == pytest.approx(-0.1)


def test_recency_is_halved_in_a_month() -> None:
    assert recency(0.0) == 1.0
    assert recency(-5.0) == 1.0
    assert recency(RECENCY_HALF_LIFE_S) == pytest.approx(0.5)


@given(st.floats(0, 1e12), st.floats(0, 1e12))
def test_what_is_older_is_never_more_recent(one: float, other: float) -> None:
    younger, older = sorted([one, other])

    assert recency(younger) >= recency(older) >= 0.0


@given(TALKS, QUESTIONS)
def test_every_part_is_from_0_to_1_in_whatever_order_the_entries_come(
    entries: list[Entry], text: str
) -> None:
    found = likeness(*asked(text), entries)

    backwards = likeness(*asked(text), entries[::-1])
    assert all(each.keys() == {"lexical", "dense", "marks"} for each in found)
    assert all(0.0 <= value <= 1.00001 for each in found for value in each.values())
    assert backwards[::-1] == found


def test_the_best_of_many_that_do_not_fit_is_not_like_the_question() -> None:
    found = likeness(*asked("kitten"), a_talk(("Ann", "A river"), ("Bob", "A mountain")))

    assert [each["lexical"] for each in found] == [0.0, 0.0]


LIFTED = Weights(entities=0.5)


def an_entity(*names: str, entity_id: str = "orchid") -> MemoryRecord:
    """An entity of that canonical name, with the further names as aliases."""
    payload = {"kind": "entity", "canonical_name": names[0], "aliases": list(names[1:])}
    given = a_given_record(type="entity", payload=payload)
    return a_record_given(given, scope="").model_copy(update={"id": entity_id})


def about(said: str, *entity_ids: str, number: int = 1) -> MemoryRecord:
    """What somebody said of entities."""
    relations = tuple(
        Relation(predicate="mentions_entity", target_id=each, weight=1.0) for each in entity_ids
    )
    return a_turn(said, number=number).model_copy(update={"relations": relations})


def test_what_mentions_an_entity_named_in_the_question_has_the_part() -> None:
    several = [
        an_entry(an_entity("Orchid")),
        an_entry(about("It goes live on Monday", "orchid", number=1)),
        an_entry(about("It goes live on Tuesday", "lily", number=2)),
        an_entry(about("Nothing happens", number=3)),
    ]

    parts = parts_of("When does Orchid go live?", several)

    assert {each: its["entities"] for each, its in parts.items()} == {
        "orchid": 0.0,
        "t1": 1.0,
        "t2": 0.0,
        "t3": 0.0,
    }


@pytest.mark.parametrize(
    ("names", "question", "is_named"),
    [
        (("Orchid",), "is ORCHID's pager quiet?", True),
        (("Orchid",), "are orchids quiet?", False),
        (("Orchid Deploy",), "what of orchid?", False),
        (("Orchid Deploy",), "what of the orchid deploy?", True),
        (("Night Of The Long Pager",), "who spoke at Night of the Long Pager?", True),
        (("Orchid", "the old one"), "who likes the old one?", True),
        (("A",), "a question with an a", False),
        (("fix_goError",), "what does fix_goError do?", True),
        (
            (" ".join(f"w{each}" for each in range(MAX_NAME_WORDS + 1)),),
            "w0 w1 w2 w3 w4 w5 w6",
            False,
        ),
        (("!?",), "!?", False),
    ],
)
def test_a_question_names_an_entity_by_a_whole_name_between_word_borders(
    names: tuple[str, ...], question: str, *, is_named: bool
) -> None:
    found = list(named_entities(asked(question)[0], [an_entry(an_entity(*names))]))

    assert found == (["orchid"] if is_named else [])


@given(TALKS, QUESTIONS)
def test_the_part_moves_a_score_by_its_weight_at_most(talk: list[Entry], text: str) -> None:
    several = [
        *talk,
        an_entry(an_entity("tea", entity_id="e")),
        an_entry(about("tea with milk", "e", number=99)),
    ]

    for each in relevance(*asked(text), several, LIFTED):
        without = LIFTED.score({**each.parts, "entities": 0.0})
        assert 0.0 <= LIFTED.score(each.parts) - without <= LIFTED.entities + 1e-9


@given(TALKS, st.sampled_from(["tea", "what of the piano"]))
def test_a_record_outside_the_candidates_has_the_part_by_the_entities_among_them(
    talk: list[Entry], text: str
) -> None:
    found = [*talk, an_entry(an_entity("tea", entity_id="e"))]
    other = an_entry(about("with milk", "e", number=99))

    (measured,) = relevance_by_scale(Scale.of(*asked(text), found, LIFTED), [other])

    assert measured.parts["entities"] == (1.0 if "tea" in text else 0.0)
