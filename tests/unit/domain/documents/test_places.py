"""The order of places, and prefixes that end on the border of a label."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from membrane.domain.documents.places import (
    MAX_PLACE_BYTES,
    Key,
    Label,
    Namespace,
    Place,
    after_all_of,
    document_of,
    life_of,
    owner_of_values,
    prefix_of,
    searchable_prefix,
)
from tests.builders.stored_documents import place, places

LABELS = st.lists(st.sampled_from(["a", "ab", "a/", "a%", "a%2F", "A", "0", "."]), max_size=4)
SHORT = st.builds(
    Place,
    st.just(""),
    LABELS.filter(bool).map(tuple),
    st.sampled_from(["k", "a", "/", "%", "k/a", "a//k"]),
)


@given(SHORT | places(), SHORT | places())
def test_different_places_have_different_orders_and_ids(one: Place, other: Place) -> None:
    assert (one == other) == ((one.scope, one.sort_text) == (other.scope, other.sort_text))
    assert (one == other) == (one.id == other.id)


@given(places())
def test_an_ordered_place_fits_a_sort_key(where: Place) -> None:
    assert len(where.sort_text.encode()) <= 1_024


@given(SHORT, LABELS)
def test_a_prefix_matches_what_is_in_and_below_the_namespace_alone(
    where: Place, labels: list[str]
) -> None:
    is_below = where.namespace[: len(labels)] == tuple(labels)

    assert where.sort_text.startswith(prefix_of(labels)) == is_below


@given(places(), places())
def test_a_searchable_prefix_finds_long_places_too(where: Place, other: Place) -> None:
    assert where.sort_text.startswith(searchable_prefix(where.namespace))
    shown = other.sort_text.startswith(searchable_prefix(where.namespace))
    is_below = other.namespace[: len(where.namespace)] == where.namespace
    is_cut = len(prefix_of(where.namespace).encode()) > MAX_PLACE_BYTES
    assert shown or not is_below
    assert is_below or is_cut or not shown


@given(SHORT, LABELS.filter(bool))
@example(place("k", "a0"), ["a"])
@example(place("k", "a/"), ["a"])
def test_all_of_a_namespace_is_before_its_end_and_the_rest_is_not_between(
    where: Place, labels: list[str]
) -> None:
    end = after_all_of(labels)
    assert end is not None

    is_below = where.namespace[: len(labels)] == tuple(labels)
    is_between = prefix_of(labels) <= where.sort_text < end

    assert is_below == is_between


def test_a_namespace_is_before_those_below_and_a_sibling_with_the_same_beginning_is_apart() -> None:
    foo, below, sibling = place("z", "foo"), place("a", "foo", "bar"), place("a", "foobar")

    assert sorted(each.sort_text for each in (sibling, below, foo)) == [
        foo.sort_text,
        below.sort_text,
        sibling.sort_text,
    ]
    assert not sibling.sort_text.startswith(prefix_of(("foo",)))


def test_the_keys_of_a_namespace_are_in_order() -> None:
    keys = ["b", "a", "B", "é", "a0"]

    ordered = sorted(keys, key=lambda key: place(key).sort_text)

    assert ordered == ["B", "a", "a0", "b", "é"]


def test_a_namespace_that_is_too_long_is_not_skipped() -> None:
    assert after_all_of(["é" * 64] * 16) is None


@given(st.text(alphabet="0123456789abcdef", min_size=1))
def test_the_owner_of_values_tells_the_document(place_id: str) -> None:
    assert document_of(owner_of_values(place_id)) == place_id


def test_the_values_of_every_life_lie_below_the_owner_of_the_first() -> None:
    owners = [owner_of_values("3f", life) for life in (1, 2, 70)]

    assert owners == ["document@3f", "document@3f/2", "document@3f/70"]
    assert [life_of(owner) for owner in owners] == [1, 2, 70]


def test_a_namespace_lies_among_the_namespaces_below() -> None:
    places = [place("k", "a", "-"), place("k", "a"), place("k", "a", "b")]

    assert sorted(each.sort_text for each in places) == [each.sort_text for each in places]


@pytest.mark.parametrize("owner", ["3f", "topic@3f", "documents@3f"])
def test_other_owners_are_no_documents(owner: str) -> None:
    assert document_of(owner) is None


@pytest.mark.parametrize("name", ["a", "é" * 64, "a/b", "%2F", "...", " ", "*"])
def test_ordinary_labels_are_accepted(name: str) -> None:
    assert TypeAdapter(Label).validate_python(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b", "é" * 65])
def test_labels_that_no_path_or_table_holds_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Label).validate_python(name)


@pytest.mark.parametrize("key", ["", "..", "\0", "k" * 513])
def test_keys_that_no_path_or_table_holds_are_refused(key: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Key).validate_python(key)


@pytest.mark.parametrize("labels", [[], ["a"] * 17])
def test_a_namespace_has_one_to_sixteen_labels(labels: list[str]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Namespace).validate_python(labels)
