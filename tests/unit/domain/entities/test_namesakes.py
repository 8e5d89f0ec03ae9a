"""Which topics refer to an entity, by title and kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.canonical import MAX_TERMS
from membrane.domain.entities.namesakes import (
    are_namesakes,
    kinds_of,
    places_of_topics,
    titles_of,
)
from membrane.domain.language.names import normalise_text, term_of
from membrane.domain.records.payloads import EntityPayload
from tests.builders.entities import entity_payload

LETTERS = "aAß\u0390\u03aa\u03b9\u017f\u212a\u212b @\u0301\u0308\u00a0\ufb01"
"""Letters whose forms differ by case and by compatibility, with marks and spaces."""

NAMES = st.text(LETTERS, min_size=1, max_size=6)


def entity(name: str, **fields: object) -> EntityPayload:
    """An entity of that name, by default a person."""
    return EntityPayload.model_validate(entity_payload(name, **fields))


@pytest.mark.parametrize(
    "title", ["Ada Lovelace", "  ADA   lovelace", "Ada\u00a0Lovelace", "AL", "@al"]
)
def test_a_topic_refers_to_the_entity_of_the_title_in_any_spelling(title: str) -> None:
    ada = entity("Ada Lovelace", aliases=[{"value": "@AL", "kind": "handle"}])

    assert are_namesakes(title, "person", ada)


@pytest.mark.parametrize("title", ["Ada", "Ada Lovelace II", "", "a" * 300])
def test_a_title_that_is_no_whole_name_refers_to_no_entity(title: str) -> None:
    assert not are_namesakes(title, "person", entity("Ada Lovelace"))
    assert not are_namesakes(title, "person", entity("a" * 300))


@pytest.mark.parametrize(
    ("kind", "is_same"), [("", True), (" Person", True), ("pilot", True), ("project", False)]
)
def test_a_kind_must_be_a_type_of_the_entity_or_empty(kind: str, *, is_same: bool) -> None:
    ada = entity("Ada", types=["Person", "Pilot"])

    assert are_namesakes("Ada", kind, ada) is is_same


def test_an_entity_without_a_type_goes_with_topics_without_a_kind_alone() -> None:
    orchid = entity("Orchid", primary_type="")

    assert are_namesakes("Orchid", "", orchid)
    assert not are_namesakes("Orchid", "project", orchid)


def test_names_by_which_an_entity_is_not_found_are_no_titles() -> None:
    aliases = [{"value": f"alias {number}", "kind": "also"} for number in range(MAX_TERMS + 5)]
    ids = [{"namespace": "membrane", "value": "entity-1"}]

    titles = titles_of(entity("Ada", aliases=aliases, identifiers=ids))

    assert titles == ("ada", *(f"alias {number}" for number in range(MAX_TERMS - 1)))


def test_the_places_of_topics_begin_with_the_canonical_name() -> None:
    ada = entity("Ada", aliases=[{"value": "AL", "kind": "initials"}])

    assert list(places_of_topics(ada)) == [
        *(("", "ada"), ("person", "ada")),
        *(("", "al"), ("person", "al")),
    ]


@given(name=NAMES, title=NAMES)
def test_a_title_that_refers_to_an_entity_leads_to_the_term_of_the_entity(
    name: str, title: str
) -> None:
    """Else a search for the entities of the term of the title would miss an entity."""
    known = entity(name)

    if are_namesakes(title, "", known):
        assert term_of(title) == term_of(name)
    if normalise_text(title) == normalise_text(name) and term_of(name):
        assert are_namesakes(title, "", known)


@given(name=NAMES, kind=st.sampled_from(["", "person", "Project"]), title=NAMES)
def test_a_topic_refers_to_an_entity_exactly_if_it_stands_at_a_place_of_the_entity(
    name: str, kind: str, title: str
) -> None:
    known = entity(name, primary_type="Project")
    place = (normalise_text(kind), normalise_text(title))

    assert are_namesakes(title, kind, known) is (place in places_of_topics(known))
    assert place[0] in kinds_of(known) or kind == "person"
