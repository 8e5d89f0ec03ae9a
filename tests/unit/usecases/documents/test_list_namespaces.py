"""Listing namespaces: conditions on labels, depth, and few requests however many documents."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.places import has_labels
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.documents.list_namespaces import (
    FIRST_PAGE_SIZE,
    MAX_PAGES,
    PAGE_SIZE,
)
from tests.worlds.documents import DocumentCaller
from tests.worlds.searched_documents import Shelf, pages_of


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    for namespace in ("a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"):
        shelf.put(namespace, "k1")
        shelf.put(namespace, "k2")
    return shelf


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ({}, ["a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"]),
        ({"prefix": ["a"]}, ["a", "a/b", "a/b/c", "a/d/c"]),
        ({"prefix": ["A"]}, []),
        ({"prefix": ["a", "b"]}, ["a/b", "a/b/c"]),
        ({"prefix": ["*", "b"]}, ["a/b", "a/b/c", "x/b", "x/b/c"]),
        ({"prefix": ["a", "*", "c"]}, ["a/b/c", "a/d/c"]),
        ({"suffix": ["c"]}, ["a/b/c", "a/d/c", "ab/c", "x/b/c"]),
        ({"suffix": ["b", "*"]}, ["a/b/c", "x/b/c"]),
        ({"prefix": ["a"], "suffix": ["c"]}, ["a/b/c", "a/d/c"]),
        ({"max_depth": 1}, ["a", "ab", "x"]),
        ({"max_depth": 2}, ["a", "a/b", "a/d", "ab/c", "x/b"]),
        ({"max_depth": 2, "suffix": ["c"]}, ["a/b", "a/d", "ab/c", "x/b"]),
        ({"max_depth": 16}, ["a", "a/b", "a/b/c", "a/d/c", "ab/c", "x/b", "x/b/c"]),
        ({"prefix": ["a"], "max_depth": 1}, ["a"]),
        ({"prefix": ["absent"]}, []),
    ],
)
def test_namespaces_are_listed(filled: Shelf, asked: dict[str, Any], labels: list[str]) -> None:
    assert filled.labels(**asked) == labels
    assert "next_cursor" not in filled.caller.namespaces(**asked)


def test_many_documents_of_a_namespace_are_skipped(shelf: Shelf) -> None:
    for namespace in ("a", "b", "c"):
        for number in range(200):
            shelf.put(namespace, f"{number:03}")

    assert shelf.labels() == ["a", "b", "c"]
    assert shelf.store.pages == [FIRST_PAGE_SIZE] * 3 + [0]
    assert shelf.caller.namespaces()["examined"] == 3


def test_everything_below_a_cut_namespace_is_skipped(shelf: Shelf) -> None:
    for number in range(300):
        shelf.put(f"a/{number:03}", "k")
    shelf.put("b/1", "k")

    assert shelf.labels(max_depth=1) == ["a", "b"]
    assert len(shelf.store.pages) == 2


def test_namespaces_that_cannot_have_the_prefix_are_skipped_with_all_below(shelf: Shelf) -> None:
    for number in range(300):
        shelf.put(f"a/x/{number:03}", "k")
    shelf.put("a/y", "k")

    assert shelf.labels(prefix=["*", "y"]) == ["a/y"]
    assert len(shelf.store.pages) == 2


def test_no_page_is_read_behind_the_prefix(shelf: Shelf) -> None:
    for number in range(100):
        shelf.put("a", f"{number:03}")
    shelf.put("b", "k")

    assert shelf.labels(prefix=["a"], max_depth=1) == ["a"]
    assert shelf.store.pages == [FIRST_PAGE_SIZE]


def test_a_namespace_with_hidden_documents_alone_is_not_listed(shelf: Shelf) -> None:
    for number in range(2 * PAGE_SIZE):
        shelf.put("mixed", f"{number:03}", ttl_seconds=1)
    shelf.put("mixed", "zz")
    shelf.put("expired", "k", ttl_seconds=1)
    shelf.put("secret", "k", sensitivity="hyper")
    shelf.put("deleted", "k")
    DocumentCaller(shelf.caller.services, shelf.caller.principal, ("deleted",)).delete("k")
    shelf.clock.advance(seconds=2)

    assert shelf.labels() == ["mixed", "secret"]
    assert shelf.labels(shelf.caller.as_(ceiling="medium")) == ["mixed"]


def test_a_call_makes_a_bounded_number_of_requests_and_the_cursor_goes_on(shelf: Shelf) -> None:
    first_call = FIRST_PAGE_SIZE + 8 + PAGE_SIZE * (MAX_PAGES - 2)
    for number in range(first_call + 1):
        shelf.put("hidden", f"{number:05}", ttl_seconds=1)
    shelf.put("shown", "k")
    shelf.clock.advance(seconds=2)

    first, second = pages_of(shelf.caller.namespaces)

    assert len(shelf.store.pages) == MAX_PAGES + 1
    assert (first["namespaces"], second["namespaces"]) == ([], [["shown"]])


def test_pages_grow_over_hidden_documents_and_over_small_namespaces(shelf: Shelf) -> None:
    for number in range(60):
        shelf.put("hidden", f"{number:02}", ttl_seconds=1)
    for number in range(40):
        shelf.put(f"n/{number:02}", "k")
    shelf.clock.advance(seconds=2)

    assert len(shelf.labels()) == 40
    assert shelf.store.pages == [2, 8, 32, 32, 26]


def test_a_scope_beyond_the_key_has_no_namespaces(shelf: Shelf) -> None:
    shelf.put("n", "k")
    stranger = shelf.caller.as_(scopes=("elsewhere",))

    assert stranger.namespaces(scope="team") == {"namespaces": [], "examined": 0}
    assert shelf.labels(scope="team") == ["n"]


def test_a_cursor_of_a_different_listing_is_refused(filled: Shelf) -> None:
    cursor = filled.caller.namespaces(limit=2)["next_cursor"]

    assert filled.labels(limit=1, cursor=cursor) == ["a/b/c"]
    for other in ({"suffix": ["c"]}, {"max_depth": 1}, {"cursor": cursor + "A"}):
        with pytest.raises(InvalidArgument, match="cursor"):
            filled.caller.namespaces(**{"limit": 2, "cursor": cursor, **other})


def test_long_namespaces_are_listed_once_each(shelf: Shelf) -> None:
    long = "/".join("x" * 120 for _ in range(9))
    for namespace in (long, f"{long}/a", f"{long}/b"):
        for key in "klm":
            shelf.put(namespace, key)

    pages = list(pages_of(shelf.caller.namespaces, limit=1))

    found = ["/".join(labels) for page in pages for labels in page["namespaces"]]
    assert set(found) == {long, f"{long}/a", f"{long}/b"}


def test_long_namespaces_that_come_by_turns_are_in_a_reply_once(shelf: Shelf) -> None:
    long = "/".join("x" * 120 for _ in range(9))
    for number in range(20):
        shelf.put(f"{long}/a", f"{number}")
        shelf.put(f"{long}/b", f"{number}")

    found = shelf.labels()

    assert sorted(found) == [f"{long}/a", f"{long}/b"]


LABELS = st.sampled_from(("a", "b", "a-", "a/b", "-", "*", "ab"))
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
PATTERNS = st.lists(LABELS, max_size=2)


@given(
    namespaces=st.lists(NAMESPACES, max_size=12),
    prefix=PATTERNS,
    suffix=PATTERNS,
    max_depth=st.none() | st.integers(1, 3),
    limit=st.integers(1, 4),
)
def test_pages_list_what_a_scan_would_find_each_once(
    namespaces: list[tuple[str, ...]],
    prefix: list[str],
    suffix: list[str],
    max_depth: int | None,
    limit: int,
) -> None:
    shelf = Shelf()
    for labels in namespaces:
        for key in "kl":
            shelf.caller.perform_put({"namespace": [*labels], "key": key, "value": 1})
    asked: dict[str, Any] = {"prefix": prefix, "suffix": suffix, "limit": limit}
    asked |= {} if max_depth is None else {"max_depth": max_depth}

    pages = list(pages_of(shelf.caller.namespaces, **asked))

    found = [tuple(labels) for page in pages for labels in page["namespaces"]]
    wanted = {each[:max_depth] for each in namespaces if has_labels(each, prefix, suffix)}
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert all(len(page["namespaces"]) <= limit for page in pages)
