"""Types and terms of an entity, and the topics that refer to the entity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.names import (
    MAX_TERMS,
    are_namesakes,
    kinds_of,
    places_of_topics,
    primary_type_of,
    terms_of_entity,
)
from membrane.domain.language.names import MAX_NAME_CHARACTERS, normalise_text, term_of
from membrane.domain.records.payloads import EntityAlias, EntityIdentifier, EntityPayload
from tests.builders.proposals import entity_payload


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("person", "Person"),
        ("tool", "Tool"),
        ("project", "Project"),
        ("file", "File"),
        ("concept", "Concept"),
        ("url", "URL"),
        ("repository", "Repository"),
        ("ticket", "Issue"),
        ("symbol", "Symbol"),
        ("service", "Service"),
        ("organization", "Organization"),
        ("agent", "Agent"),
        ("PULLREQUEST", "PullRequest"),
        ("api", "API"),
        ("", "Other"),
        ("spaceship", "Other"),
    ],
)
def test_a_kind_has_a_type(kind: str, expected: str) -> None:
    assert primary_type_of(kind) == expected


def test_an_entity_is_found_by_name_aliases_and_identifiers() -> None:
    entity = EntityPayload(
        kind="entity",
        canonical_name="Billing  API",
        aliases=(
            EntityAlias(value="billing"),
            EntityAlias(value="BILLING api"),
            EntityAlias(value=" "),
        ),
        identifiers=(
            EntityIdentifier(namespace="pager", value="P-7"),
            EntityIdentifier(namespace="membrane", value="0190e6f2"),
        ),
    )

    assert terms_of_entity(entity) == ("billing api", "billing", "p-7")


@given(st.text(), st.lists(st.text(max_size=400)), st.lists(st.text()))
def test_the_terms_of_an_entity_are_few_distinct_and_storable(
    name: str, aliases: list[str], values: list[str]
) -> None:
    entity = EntityPayload(
        kind="entity",
        canonical_name=name,
        aliases=tuple(EntityAlias(value=each) for each in aliases),
        identifiers=tuple(EntityIdentifier(namespace="x", value=each) for each in values),
    )

    terms = terms_of_entity(entity)

    assert len(terms) == len(set(terms)) <= MAX_TERMS
    assert all(term_of(each) == each and 0 < len(each) <= MAX_NAME_CHARACTERS for each in terms)


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
