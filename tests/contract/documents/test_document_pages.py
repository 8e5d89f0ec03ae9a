"""Documents are listed in the order of their places, page by page, one request a page."""

import pytest

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.places import after_all_of, prefix_of, searchable_prefix
from tests.builders.stored_documents import SCOPE, place, written
from tests.builders.stored_records import noise
from tests.worlds.stores import Store

LABELS = [("a",), ("a", "b"), ("a", "b", "c"), ("a!",), ("a0",), ("ab",), ("A",), ("é",), ("z",)]
"""Siblings and children around `a`."""


def filled(documents: DynamoDocuments) -> list[str]:
    """The ordered places of two documents in each namespace."""
    places = [place(key, *labels) for labels in LABELS for key in ("k", "k/2")]
    for each in places:
        written(documents, each, "1")
    written(documents, place("k", "a", scope="project:other"), "1")
    return sorted(each.sort_text for each in places)


def listed(
    documents: DynamoDocuments, prefix: str, limit: int, after: str | None = None
) -> list[str]:
    """The ordered places of every page."""
    found: list[str] = []
    while True:
        page = documents.page(SCOPE, prefix, after, limit)
        found += [each.place.sort_text for each in page.documents]
        assert len(page.documents) <= limit
        if page.last is None:
            return found
        after = page.last


@pytest.mark.parametrize("limit", [1, 4, 18, 100])
def test_pages_hold_every_document_of_the_scope_once_in_order(store: Store, limit: int) -> None:
    places = filled(store.documents)

    assert listed(store.documents, "", limit) == places


@pytest.mark.parametrize("labels", [("a",), ("a", "b"), ("é",), ("absent",)])
def test_a_prefix_holds_the_namespace_and_those_below(
    store: Store, labels: tuple[str, ...]
) -> None:
    filled(store.documents)
    below = [each for each in LABELS if each[: len(labels)] == labels]
    expected = sorted(place(key, *each).sort_text for each in below for key in ("k", "k/2"))

    assert listed(store.documents, prefix_of(labels), 2) == expected


def test_a_page_begins_behind_everything_below_a_namespace(store: Store) -> None:
    places = filled(store.documents)
    skipped = [each for each in places if each.startswith(prefix_of(("a",)))]
    behind = after_all_of(("a",))
    assert behind is not None

    found = listed(store.documents, "", 3, behind)

    assert found == [each for each in places if each > behind]
    assert not {*found} & {*skipped}
    assert [each for each in places if each < behind and each not in skipped]


def test_a_page_begins_between_two_places_of_a_prefix(store: Store) -> None:
    filled(store.documents)
    behind = after_all_of(("a", "b"))

    assert listed(store.documents, prefix_of(("a",)), 2, behind) == []
    assert len(listed(store.documents, prefix_of(("a",)), 2, prefix_of(("a", "b")))) == 4


@pytest.mark.parametrize("label", ["a%", "a_", "\ud7ff", "\U0010ffff", "a\U0010ffff\U0010ffff"])
def test_no_character_of_a_label_stands_for_others(store: Store, label: str) -> None:
    others = ["ab", "A%", "a", "\ue000", "\U0010fffe", "a\U0010ffff"]
    for each in (label, *others):
        written(store.documents, place("k", each), "1")

    assert listed(store.documents, prefix_of((label,)), 1) == [place("k", label).sort_text]


def test_a_start_outside_of_the_prefix_is_before_or_behind_all(store: Store) -> None:
    filled(store.documents)
    prefix = prefix_of(("ab",))

    assert len(listed(store.documents, prefix, 100, prefix_of(("a",)))) == 2
    assert listed(store.documents, prefix, 100, prefix_of(("z",))) == []


def test_long_places_are_listed_once_and_found_by_the_searchable_prefix(store: Store) -> None:
    labels = tuple(f"{number:02d}-{'é' * 60}" for number in range(16))
    longs = [place("k" * 400 + str(number), *labels) for number in range(3)]
    for each in longs:
        written(store.documents, each, "1")

    found = listed(store.documents, searchable_prefix(labels), 1)

    assert found == sorted(each.sort_text for each in longs)
    assert all(len(each.encode()) < 1_024 for each in found)
    page = store.documents.page(SCOPE, searchable_prefix(labels), None, 100)
    assert {each.place for each in page.documents} == {*longs}


def test_a_page_is_one_request(table: Store) -> None:
    filled(table.documents)
    table.watched.requests.clear()

    page = table.documents.page(SCOPE, prefix_of(("a",)), None, 100)

    assert len(page.documents) == 6
    assert table.watched.operations() == ["Query"]


def test_a_page_ends_at_a_megabyte(table: Store) -> None:
    places = [place(f"{number:02d}") for number in range(12)]
    for each in places:
        written(table.documents, each, f'"{noise(125_000)}"')

    page = table.documents.page(SCOPE, "", None, 100)

    assert page.last is not None
    assert 0 < len(page.documents) < 12
    assert listed(table.documents, "", 100) == [each.sort_text for each in places]
