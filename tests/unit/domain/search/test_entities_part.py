"""The part `entities`: a question that names an entity lifts the records about the entity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.search.entries import Entry
from membrane.domain.search.named_entities import named_entities
from membrane.domain.search.questions import MAX_NAME_WORDS
from membrane.domain.search.relevance import Scale, relevance, relevance_by_scale
from membrane.domain.search.score import Weights
from tests.builders.conversations import QUESTIONS, TALKS, a_turn, an_entry, asked, parts_of
from tests.builders.records import a_given_record, a_record_given

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


def test_a_name_within_a_longer_name_of_another_entity_names_nothing() -> None:
    entities = [
        an_entry(an_entity("Orchid", entity_id="short")),
        an_entry(an_entity("Orchid Deploy", entity_id="long")),
    ]

    assert list(named_entities(asked("when is orchid deploy?")[0], entities)) == ["long"]
    both = asked("is orchid deploy about orchid?")[0]
    assert set(named_entities(both, entities)) == {"long", "short"}


def test_a_record_that_is_no_entity_is_never_named() -> None:
    assert not list(named_entities(asked("Orchid")[0], [an_entry(a_turn("Orchid", who="Orchid"))]))


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
