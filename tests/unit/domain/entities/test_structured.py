"""Mentions in the fields of a captured object."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.structured import structured_mentions
from membrane.domain.entities.surfaces import MAX_MENTIONS
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of


def found(content: Any) -> list[tuple[str, str]]:
    return [(each.surface, each.entity_kind) for each in structured_mentions(content)]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("subject", "concept"),
        ("tool_name", "tool"),
        ("tool", "tool"),
        ("project", "project"),
        ("file", "file"),
        ("path", "file"),
        ("person", "person"),
        ("user", "person"),
        ("agent", "person"),
        ("service", "service"),
        ("repository", "repository"),
        ("entity", "concept"),
        ("entities", "concept"),
        ("entity_name", "concept"),
        ("entityName", "concept"),
        ("related-entity", "concept"),
        ("tool_entity", "tool"),
    ],
)
def test_the_key_gives_the_kind(key: str, kind: str) -> None:
    (mention,) = structured_mentions({key: "Orchid"})

    assert (mention.surface, mention.entity_kind, mention.confidence) == ("Orchid", kind, 0.5)


@pytest.mark.parametrize(
    "key",
    ["identity", "entity_id", "entity_type", "subjects_of", "text", "ref", "preferences", "", "_"],
)
def test_other_keys_name_nothing(key: str) -> None:
    assert found({key: "Orchid"}) == []


def test_a_key_too_long_to_be_read_names_nothing() -> None:
    assert found({"x_" * 40 + "entity": "Orchid"}) == []


@pytest.mark.parametrize("key", ["subject", "entity"])
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("src/auth/login.py", "file"),
        ("https://example.com/a", "url"),
        ("acme/api", "repository"),
        ("OPS-12", "ticket"),
    ],
)
def test_a_subject_has_the_kind_of_its_look(key: str, value: str, kind: str) -> None:
    assert found({key: value}) == [(value, kind)]


def test_names_stand_in_the_order_of_the_object_and_of_lists() -> None:
    content = {"user": ["Bo", "Ann"], "project": " Orchid ", "entities": ["A1", "Zed"]}

    assert [surface for surface, _ in found(content)] == ["Bo", "Ann", "Orchid", "A1", "Zed"]


@pytest.mark.parametrize(
    "value", [1, True, None, {"name": "Orchid"}, "", " \n", [1, ["x"]], "x" * 257]
)
def test_only_texts_of_the_length_of_a_name_are_names(value: Any) -> None:
    assert found({"project": value}) == []


def test_equal_names_are_mentioned_once_as_first_written() -> None:
    assert found({"project": "Orchid", "subject": "ORCHID", "entity": " orchid"}) == [
        ("Orchid", "project")
    ]


@pytest.mark.parametrize("content", [None, "subject", 7, ["subject"]])
def test_other_content_than_objects_names_nothing(content: Any) -> None:
    assert found(content) == []


@given(st.dictionaries(st.sampled_from(["subject", "entities", "file"]), st.lists(st.text())))
def test_mentions_are_few_distinct_names(content: dict[str, list[str]]) -> None:
    surfaces = [surface for surface, _ in found(content)]

    terms = [*map(term_of, surfaces)]
    assert len(terms) == len(set(terms)) <= MAX_MENTIONS
    assert all(0 < len(each) <= MAX_NAME_CHARACTERS for each in (*surfaces, *terms))


def test_a_long_list_gives_the_first_mentions() -> None:
    names = [f"name {number}" for number in range(100)]

    assert [surface for surface, _ in found({"entities": names})] == names[:MAX_MENTIONS]
