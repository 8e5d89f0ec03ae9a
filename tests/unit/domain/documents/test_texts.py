"""The searchable texts of a value: paths, limits, and paths that are refused."""

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from membrane.domain.documents.requests import PutDocument
from membrane.domain.documents.texts import (
    MAX_TEXT_CHARACTERS,
    MAX_TEXTS,
    WHOLE,
    require_path,
    texts_of,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validate

ANN = {
    "name": "Ann",
    "age": 40,
    "open": True,
    "nothing": None,
    "tags": ["red", "blue", ""],
    "jobs": [{"title": "cook", "at": "Rome"}, {"title": "baker"}, {"at": "Oslo"}],
    "home": {"city": "Paris", "street": {"name": "Rue"}},
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)
PATHS = st.lists(st.sampled_from(("a", "b", "[0]", "[-1]", "[*]", "*", "."))).map("".join)


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("name", ("Ann",)),
        ("age", ("40",)),
        ("open", ("true",)),
        ("nothing", ()),
        ("absent", ()),
        ("name.deeper", ()),
        ("name[0]", ()),
        ("tags", ("red, blue,",)),
        ("tags[0]", ("red",)),
        ("tags[-2]", ("blue",)),
        ("tags[9]", ()),
        ("tags[-9]", ()),
        ("tags[*]", ("red", "blue")),
        ("tags.*", ("red", "blue")),
        ("jobs[*].title", ("cook", "baker")),
        ("jobs[-1].at", ("Oslo",)),
        ("jobs[0]", ("title: cook; at: Rome",)),
        ("home.city", ("Paris",)),
        ("home.*", ("Paris", "name: Rue")),
        ("home.street.name", ("Rue",)),
        ("*", ("Ann", "40", "true", "red, blue,", "title: cook; at: Rome, title: baker, at: Oslo",
               "city: Paris; street: name: Rue")),
        ("jobs.title", ()),
    ],
)  # fmt: skip
def test_a_path_leads_to_texts(path: str, texts: tuple[str, ...]) -> None:
    require_path(path)

    assert texts_of(ANN, (path,)) == texts


def test_the_whole_value_is_one_text_with_the_names_of_its_fields() -> None:
    (text,) = texts_of({"name": "Ann", "tags": ["red", 7], "home": {"city": "Rome"}}, (WHOLE,))

    assert text == "name: Ann; tags: red, 7; home: city: Rome"
    assert texts_of("a note", (WHOLE,)) == ("a note",)
    assert texts_of(["a", "b"], ("[1]",)) == ("b",)


@pytest.mark.parametrize("value", [None, "", [], {}, "  "])
def test_a_value_without_content_has_no_text(value: Any) -> None:
    assert texts_of(value, (WHOLE,)) == ()


def test_the_first_texts_of_a_path_and_of_a_document_are_kept() -> None:
    value = {"many": [f"text {number}" for number in range(20)], "last": "last"}

    assert texts_of(value, ("many[*]",)) == tuple(f"text {number}" for number in range(8))
    assert len(texts_of(value, ("many[*]", "last"))) == MAX_TEXTS
    assert texts_of(value, ("last", "many[*]"))[0] == "last"


def test_equal_texts_are_kept_once() -> None:
    assert texts_of({"a": "x", "b": "x", "c": "y"}, ("a", "b", "*")) == ("x", "y")


def test_a_long_text_is_cut_and_its_rest_is_not_even_walked() -> None:
    value = {"long": "x" * 1_000_000, "wide": [{"a": "word"}] * 1_000_000}
    before = process_time()

    texts = texts_of(value, ("long", "wide", WHOLE))

    assert process_time() - before < 0.5
    assert [len(text) <= MAX_TEXT_CHARACTERS for text in texts] == [True] * 3
    assert len(texts[0]) == MAX_TEXT_CHARACTERS


@given(JSON, st.lists(PATHS, max_size=8))
def test_no_value_and_no_path_gives_more_than_the_limits(value: Any, paths: list[str]) -> None:
    texts = texts_of(value, [WHOLE, *paths])

    assert len(texts) <= MAX_TEXTS
    assert all(text == text.strip() != "" for text in texts)
    assert all(len(text) <= MAX_TEXT_CHARACTERS for text in texts)


@pytest.mark.parametrize(
    "path",
    ["", ".", "a.", ".a", "a..b", "a[", "a]", "a[x]", "a[]", "a[1", "a[--1]", "a[0]b", "$.a", "$a",
     "a[1.5]", "a[9999999999]", "[*", "a.[0]"],
)  # fmt: skip
def test_a_malformed_path_is_refused_with_the_request(path: str) -> None:
    with pytest.raises(PydanticCustomError, match="must be"):
        require_path(path)

    request = {"namespace": ["n"], "key": "k", "value": 1, "index": [path]}
    with pytest.raises(InvalidArgument):
        validate(PutDocument, request)


def test_the_paths_of_a_request_are_taken() -> None:
    request = {"namespace": ["n"], "key": "k", "value": 1}

    assert validate(PutDocument, {**request, "index": True}).index == (WHOLE,)
    assert validate(PutDocument, {**request, "index": ["a[*].b", "ümlaut x"]}).index == (
        "a[*].b",
        "ümlaut x",
    )
