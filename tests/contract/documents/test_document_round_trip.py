"""A document, a version and a chunk come back equal, in whatever place and form."""

import pytest
from hypothesis import given, settings

from membrane.adapters.dynamodb.table.attributes import CorruptItem
from membrane.domain.documents.changes import put
from membrane.domain.documents.document import Document
from membrane.domain.documents.items import Chunk
from tests.builders.stored_documents import (
    chunk,
    chunks,
    content,
    documents,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.builders.stored_records import noise
from tests.worlds.depth import examples
from tests.worlds.stores import Store


@settings(max_examples=examples(80))
@given(generated=documents())
def test_a_document_of_any_form_comes_back_equal(store: Store, generated: Document) -> None:
    there = store.documents.load(generated.place)

    store.documents.replace(there, generated, history_until_s=0, large={})

    assert store.documents.load(generated.place) == generated


@settings(max_examples=examples(40))
@given(generated=chunks())
def test_a_chunk_of_any_form_comes_back_equal(store: Store, generated: Chunk) -> None:
    there = list(store.documents.chunks(generated.place, None, generation="", now_s=0))
    at_start = [each for each in there if each.start == generated.start]
    if not at_start or at_start[0].revision != generated.revision:
        store.documents.put_chunk(at_start[0] if at_start else None, generated)
        assert generated in store.documents.chunks(generated.place, None, generation="", now_s=0)


@pytest.mark.parametrize("text", ['"' + noise(100_000) + '"', '"' + "é日🧠\\n" * 9_000 + '"'])
def test_a_text_of_a_hundred_kilobytes_comes_back_equal(store: Store, text: str) -> None:
    document = written(store.documents, place(), text)

    assert store.documents.load(place()) == document


def test_no_document_comes_from_a_place_without_one(store: Store) -> None:
    written(store.documents, place("other"), "1")

    assert store.documents.load(place("absent")) is None


def test_places_that_differ_in_one_border_are_different_documents(store: Store) -> None:
    alike = [
        place("c", "a", "b"),
        place("b/c", "a"),
        place("c", "a/b"),
        place("c", "a%2Fb"),
        place("c", "A", "b"),
        place("c", "a", "b", scope=""),
    ]
    for number, each in enumerate(alike):
        written(store.documents, each, str(number))

    found = [store.documents.load(each) for each in alike]

    texts = [None if each is None else each.current.text for each in found]
    assert texts == ["0", "1", "2", "3", "4", "5"]


def test_a_large_value_lies_in_the_bucket_and_the_head_names_the_value(table: Store) -> None:
    value, text = large_value(place())
    made = put(None, place(), content(value), making())

    store_next(table.documents, None, made, large={value: text})

    assert table.blobs.get(f"blobs/{value.record_id}/{value.sha256}") == text
    assert table.documents.load(place()) == made.after


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("v", {"S": "{"}),
        ("v", {"S": "[]\n"}),
        ("v", {"S": "[[1]]\n"}),
        ("v", {"B": b"1"}),
        ("v", {"N": "1"}),
        ("h", {"B": b"1"}),
        ("s", {"S": "secret"}),
        ("c", {"N": "1"}),
        ("r", {"S": "1"}),
        ("i", {"S": "1"}),
        ("x", {"S": "1"}),
        ("x", {"M": {"1": {"B": b"1"}}}),
        ("x", {"M": {"0": {"S": "1"}}}),
        ("p", {"S": "[[1], 2]"}),
    ],
)
def test_a_damaged_head_is_reported(table: Store, name: str, damage: object) -> None:
    written(table.documents, place(), "1")
    (item,) = table.everything()

    table.put({**item, name: damage})

    with pytest.raises(CorruptItem, match="documents#"):
        table.documents.load(place())


def test_a_text_that_is_shorter_than_the_entry_says_is_reported(table: Store) -> None:
    written(table.documents, place(), '"whales"')
    (item,) = table.everything()

    table.put({**item, "v": {"S": item["v"]["S"][:-1]}})

    with pytest.raises(CorruptItem, match="do not fit"):
        table.documents.load(place())


def test_a_damaged_chunk_is_reported(table: Store) -> None:
    table.documents.put_chunk(None, chunk(place()))
    (item,) = table.everything()

    table.put({**item, "d": {"S": "{"}})

    with pytest.raises(CorruptItem, match="items#"):
        list(table.documents.chunks(place(), 1, generation="", now_s=0))
