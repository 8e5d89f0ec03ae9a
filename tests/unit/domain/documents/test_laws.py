"""Laws of keyed documents: the chain, periods, the order of places, likeness, scores and texts."""

import math
from dataclasses import replace
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from membrane.domain.documents.filters import (
    MAX_TEXT_CHARACTERS,
    MAX_TEXTS,
    WHOLE,
    matches,
    require_filter,
    texts_of,
)
from membrane.domain.documents.matching import best_cosines, pack, score, word_shares
from membrane.domain.documents.model import (
    FORGOTTEN,
    Document,
    DocumentAction,
    Version,
    delete,
    erase,
    first_broken,
    put,
)
from membrane.domain.documents.places import (
    MAX_PLACE_BYTES,
    Place,
    after_all_of,
    after_documents_of,
    dead_end,
    has_labels,
    prefix_of,
    searchable_prefix,
)
from tests.builders.stored_documents import KEPT_S, content, making, place, places

Labels = tuple[str, ...]

LENGTHS = st.integers(1, 900).map(lambda length: f'"{"x" * length}"')
TEXTS = st.lists(LENGTHS, max_size=12)


def history(steps: list[str | None]) -> tuple[Document, list[Version]]:
    """The document after a put of each text (None = a deletion), and every version."""
    document = put(None, place(), content("0"), making(rationale="first"))
    for number, text in enumerate(steps):
        document = next_of(document, text, number)
    return document, [*document.versions]


def next_of(document: Document, text: str | None, number: int) -> Document:
    how = making(salt=f"{number:032x}", rationale=f"step {number}")
    if text is None:
        return delete(document, how, KEPT_S)
    return put(document, place(), content(text), how)


@given(st.lists(st.none() | LENGTHS))
def test_the_chain_of_any_history_holds_at_its_place_and_no_version_is_lost(
    steps: list[str | None],
) -> None:
    _, versions = history(steps)

    assert [each.entry.version for each in versions] == [*range(1, len(steps) + 2)]
    assert [each.text for each in versions] == ["0", *steps]
    assert first_broken(place(), versions) is None
    assert first_broken(place(), versions[1:]) is None  # the oldest versions expire
    assert first_broken(place("other"), versions) == 1


@given(TEXTS, st.data())
def test_a_changed_or_missing_version_breaks_the_chain(
    texts: list[str], data: st.DataObject
) -> None:
    _, versions = history([*texts])
    position = data.draw(st.integers(0, len(versions) - 1))
    found = versions[position]
    changed = data.draw(
        st.sampled_from(
            [
                Version(found.entry, "1"),
                Version(replace(found.entry, rationale="another"), found.text),
                Version(replace(found.entry, principal="bob"), found.text),
                Version(replace(found.entry, at="2026-03-02T00:00:00Z"), found.text),
                Version(replace(found.entry, action=DocumentAction.ERASE), found.text),
                Version(replace(found.entry, salt=""), found.text),
            ]
        )
    )

    altered = [*versions[:position], changed, *versions[position + 1 :]]
    assert first_broken(place(), altered) == position + 1
    assume(0 < position < len(versions) - 1)
    assert first_broken(place(), versions[:position] + versions[position + 1 :]) is not None


@given(TEXTS)
def test_an_erasure_keeps_the_chain_and_no_text(texts: list[str]) -> None:
    document, _ = history([*texts])

    left = erase(document, making(), KEPT_S).versions

    assert first_broken(place(), left) is None
    assert all(each.text is None for each in left)
    assert all(each.entry.salt == each.entry.rationale == "" for each in left[:-1])
    assert [each.entry.version for each in left] == [*range(1, len(left) + 1)]


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6))
def test_a_document_is_hidden_at_the_end_of_the_shorter_of_its_periods(
    ttl_s: float, half_life_s: float
) -> None:
    both = put(None, place(), content(ttl_s=ttl_s, half_life_s=half_life_s), making())
    brief = put(None, place(), content(ttl_s=ttl_s), making())
    fading = put(None, place(), content(half_life_s=half_life_s), making())
    expiry = both.expires_at_s or 0

    assert expiry == min(brief.expires_at_s or 0, fading.expires_at_s or 0)
    assert both.is_alive(expiry - 0.001 * min(ttl_s, half_life_s))
    assert not both.is_alive(expiry)
    assert fading.salience(fading.refreshed_at_s + half_life_s) == pytest.approx(0.5, rel=1e-3)
    assert fading.salience(fading.expires_at_s or 0) == pytest.approx(FORGOTTEN, rel=1e-3)


LABELS = st.lists(st.sampled_from(["a", "ab", "a/", "a%", "a%2F", "A", "0", "."]), max_size=4)
SHORT = st.builds(
    Place,
    st.just(""),
    LABELS.filter(bool).map(tuple),
    st.sampled_from(["k", "a", "/", "%", "k/a", "a//k"]),
    erased_id=st.just(""),
)
ODD = st.lists(st.text("a/%-*0 ", min_size=1, max_size=3), min_size=1, max_size=4).map(tuple)
NAMESPACES = st.lists(st.sampled_from("ab*"), min_size=1, max_size=4).map(tuple)
PATTERNS = st.lists(st.sampled_from("ab*"), max_size=4).map(tuple)


@given(SHORT | places(), SHORT | places())
def test_different_places_have_different_orders_and_ids_that_fit_a_sort_key(
    one: Place, other: Place
) -> None:
    assert (one == other) == ((one.scope, one.sort_text) == (other.scope, other.sort_text))
    assert (one == other) == (one.id == other.id)
    assert len(one.sort_text.encode()) <= 1_024


@given(SHORT, LABELS.filter(bool))
@example(place("k", "a0"), ["a"])
@example(place("k", "a/"), ["a"])
def test_what_is_in_and_below_a_namespace_lies_together(where: Place, labels: list[str]) -> None:
    is_below = where.namespace[: len(labels)] == tuple(labels)

    assert where.sort_text.startswith(prefix_of(labels)) == is_below
    assert (prefix_of(labels) <= where.sort_text < (after_all_of(labels) or "")) == is_below


@given(places(), places())
def test_a_searchable_prefix_finds_long_places_too(where: Place, other: Place) -> None:
    is_found = other.sort_text.startswith(searchable_prefix(where.namespace))
    is_below = other.namespace[: len(where.namespace)] == where.namespace
    is_cut = len(prefix_of(where.namespace).encode()) > MAX_PLACE_BYTES

    assert where.sort_text.startswith(searchable_prefix(where.namespace))
    assert is_found or not is_below
    assert is_below or is_cut or not is_found


@given(ODD, ODD)
def test_the_places_behind_a_namespace_are_behind_its_own_documents_alone(
    first: Labels, second: Labels
) -> None:
    behind, own = Place("", second, "k").sort_text, after_documents_of(first)

    assert own is not None
    assert Place("", first, "k").sort_text < own < (after_all_of(first) or "")
    assert (prefix_of(first) + "/" <= behind < own) == (second == first)


@given(NAMESPACES, NAMESPACES, PATTERNS)
def test_no_namespace_below_a_dead_end_has_the_prefix(
    namespace: Labels, below: Labels, prefix: Labels
) -> None:
    dead = dead_end(namespace, prefix)

    if dead is None:
        tails = [(), prefix[len(namespace) :]]
        assert any(has_labels(namespace + tail, prefix, ()) for tail in tails)
    else:
        assert namespace[: len(dead)] == dead
        assert not has_labels(dead + below, prefix, ())
        assert not has_labels(dead, prefix, ())


def test_packing_a_vector_into_bytes_moves_a_cosine_by_a_few_thousandths() -> None:
    chance = Random(7)
    query, *others = [[chance.gauss(0.0, 1.0) for _ in range(384)] for _ in range(51)]
    vectors = [[a + 0.5 * b for a, b in zip(query, other, strict=True)] for other in others]

    found = best_cosines(query, [[pack(vector)] for vector in vectors])

    assert len(pack(query)) == 384
    for vector, near in zip(vectors, found, strict=True):
        product = math.fsum(a * b for a, b in zip(query, vector, strict=True))
        exact = product / (math.hypot(*query) * math.hypot(*vector))
        assert near == pytest.approx(exact, abs=0.003)


def test_the_best_usable_vector_of_each_document_counts() -> None:
    near, far, empty, other = [
        pack(each) for each in ([1.0, 0.1], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0, 0.0])
    ]

    assert best_cosines([1.0, 0.0], [[far, near], [far], [empty, near]]) == pytest.approx(
        [0.995, 0.0, 0.995], abs=0.01
    )
    assert best_cosines([1.0, 0.0], [[], [other], [empty]]) == [None] * 3
    assert best_cosines([0.0, 0.0], [[near]]) == [None]


STEMS = st.frozensets(st.sampled_from("abcdef"), max_size=5)
FRACTIONS = st.floats(0.0, 1.0)


@given(STEMS, st.lists(STEMS, max_size=5))
def test_a_share_is_a_fraction_and_grows_with_the_stems(
    stems: frozenset[str], documents: list[frozenset[str]]
) -> None:
    found = [each & stems for each in documents]

    shares = [*zip(word_shares(stems, found), found, strict=True)]

    for share, own in shares:
        assert share is None or (0.0 <= share <= 1.0 + 1e-9 and (share > 0.0) == bool(own))
        for other, wider in shares:
            assert share is None or other is None or not own < wider or share < other


@given(FRACTIONS, FRACTIONS, st.floats(-1.0, 1.0) | st.none())
def test_more_of_a_part_never_lowers_the_score(
    low: float, high: float, fixed: float | None
) -> None:
    low, high = sorted((low, high))

    assert 0.0 <= score(fixed, low) <= score(fixed, high) <= 1.0
    assert 0.0 <= score(low, fixed and abs(fixed)) <= score(high, fixed and abs(fixed)) <= 1.0


NAMES = st.text("abc", min_size=1, max_size=2)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from((0.0, 1.0, 1.5, "", "a"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(OBJECTS, NAMES, NAMES, VALUES)
def test_unequal_is_the_opposite_of_equal_and_a_dot_means_a_field_within(
    value: dict[str, Any], key: str, inner: str, operand: Any
) -> None:
    assert matches({key: {"$eq": operand}}, value) != matches({key: {"$ne": operand}}, value)
    for name, own in value.items():
        assert matches({name: {"$eq": own}}, value)
    for condition in ({"$eq": operand}, {"$ne": operand}, {"$gte": operand}):
        dotted = matches({f"{key}.{inner}": condition}, value)
        assert dotted == matches({key: {inner: condition}}, value)


@given(st.integers() | st.floats(allow_nan=False), st.integers() | st.floats(allow_nan=False))
def test_numbers_are_ordered_as_in_python(first: float, second: float) -> None:
    value = {"n": first}

    assert matches({"n": {"$lt": second}}, value) == (first < second)
    assert matches({"n": {"$gte": second}}, value) == (first >= second)
    assert matches({"n": second}, value) == (first == second)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)
PATHS = st.lists(st.sampled_from(("a", "b", "[0]", "[-1]", "[*]", "*", "."))).map("".join)


@given(JSON, st.lists(PATHS, max_size=8))
def test_no_value_and_no_path_gives_more_text_than_the_limits(value: Any, paths: list[str]) -> None:
    texts = texts_of(value, [WHOLE, *paths])

    assert len(texts) <= MAX_TEXTS
    assert all(text == text.strip() != "" for text in texts)
    assert all(len(text) <= MAX_TEXT_CHARACTERS for text in texts)


def test_huge_values_and_filters_are_left_after_their_first_parts() -> None:
    value = {"long": "x" * 1_000_000, "wide": [{"a": "word"}] * 1_000_000}
    filters = {"a": [[[[1] * 10] * 10] * 10] * 100_000}
    before = process_time()

    texts = texts_of(value, ("long", "wide", WHOLE))
    with pytest.raises(PydanticCustomError, match="at most"):
        require_filter(filters)

    assert process_time() - before < 0.5
    assert [len(text) <= MAX_TEXT_CHARACTERS for text in texts] == [True] * 3
