"""Conditions on labels: wildcards, depth, and the part that an index can answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.places import (
    MAX_LABELS,
    WILDCARD,
    Place,
    after_all_of,
    after_documents_of,
    dead_end,
    has_labels,
    literal_prefix,
    prefix_of,
    truncate,
)

Labels = tuple[str, ...]

NAMESPACES = st.lists(st.sampled_from("ab*"), min_size=1, max_size=4).map(tuple)
PATTERNS = st.lists(st.sampled_from("ab*"), max_size=4).map(tuple)
ODD = st.lists(st.text("a/%-*0 ", min_size=1, max_size=3), min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("prefix", "suffix"),
    [
        ((), ()),
        (("a",), ()),
        (("a", "b", "c"), ("a", "b", "c")),
        (("a", WILDCARD), ()),
        ((WILDCARD, "b"), ("c",)),
        ((), ("b", "c")),
        ((), (WILDCARD, "c")),
        ((WILDCARD, WILDCARD, WILDCARD), ()),
    ],
)
def test_a_namespace_has_prefix_and_suffix(prefix: Labels, suffix: Labels) -> None:
    assert has_labels(("a", "b", "c"), prefix, suffix)


@pytest.mark.parametrize(
    ("prefix", "suffix"),
    [
        (("b",), ()),
        (("A",), ()),
        (("a", "b", "c", "d"), ()),
        (("a", "b", "c", WILDCARD), ()),
        (("a", "c"), ()),
        ((), ("b",)),
        ((), ("a", WILDCARD)),
        (("a",), ("x",)),
    ],
)
def test_a_namespace_has_not_prefix_and_suffix(prefix: Labels, suffix: Labels) -> None:
    assert not has_labels(("a", "b", "c"), prefix, suffix)


def test_a_wildcard_stands_for_no_part_of_a_label() -> None:
    assert not has_labels(("ab",), ("a*",), ())
    assert has_labels(("a*",), ("a*",), ())


def test_a_namespace_is_cut_to_a_depth() -> None:
    assert truncate(("a", "b", "c"), 2) == ("a", "b")
    assert truncate(("a", "b"), 5) == ("a", "b")
    assert truncate(("a",) * MAX_LABELS, None) == ("a",) * MAX_LABELS


def test_the_literal_prefix_ends_before_the_first_wildcard() -> None:
    assert literal_prefix(("a", "b", WILDCARD, "c")) == ("a", "b")
    assert literal_prefix((WILDCARD, "c")) == ()
    assert literal_prefix(("a", "a*")) == ("a", "a*")


@given(NAMESPACES, PATTERNS)
def test_a_namespace_with_the_prefix_begins_with_the_literal_prefix(
    namespace: Labels, prefix: Labels
) -> None:
    literal = literal_prefix(prefix)

    if has_labels(namespace, prefix, ()):
        assert namespace[: len(literal)] == literal


@given(NAMESPACES, PATTERNS, PATTERNS)
def test_a_suffix_is_a_prefix_from_behind(
    namespace: Labels, prefix: Labels, suffix: Labels
) -> None:
    assert has_labels(namespace, prefix, suffix) == has_labels(
        namespace[::-1], suffix[::-1], prefix[::-1]
    )


@given(NAMESPACES, NAMESPACES, PATTERNS)
def test_no_namespace_below_a_dead_end_has_the_prefix(
    namespace: Labels, below: Labels, prefix: Labels
) -> None:
    dead = dead_end(namespace, prefix)

    if dead is None:
        assert any(
            has_labels(namespace + tail, prefix, ()) for tail in [(), prefix[len(namespace) :]]
        )
    else:
        assert namespace[: len(dead)] == dead
        assert not has_labels(dead + below, prefix, ())
        assert not has_labels(dead, prefix, ())


@given(ODD, ODD)
def test_the_places_behind_a_namespace_are_behind_its_own_documents_alone(
    first: Labels, second: Labels
) -> None:
    place = Place("", second, "k").sort_text
    own, every = after_documents_of(first), after_all_of(first)
    assert own is not None
    assert every is not None

    is_own = second == first
    is_below = second[: len(first)] == first
    assert Place("", first, "k").sort_text < own < every
    assert (prefix_of(first) + "/" <= place < own) == is_own
    assert (prefix_of(first) <= place < every) == is_below
