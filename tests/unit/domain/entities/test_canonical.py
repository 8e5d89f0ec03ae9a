"""Types of new entities, and the terms of an entity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.canonical import MAX_TERMS, primary_type_of, terms_of_entity
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.records.payloads import EntityAlias, EntityIdentifier, EntityPayload


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


def test_a_name_that_is_too_long_in_normal_form_is_no_term() -> None:
    long = EntityAlias(value="\ufdfa" * MAX_NAME_CHARACTERS)
    entity = EntityPayload(kind="entity", canonical_name="Billing", aliases=(long,))

    assert terms_of_entity(entity) == ("billing",)


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
