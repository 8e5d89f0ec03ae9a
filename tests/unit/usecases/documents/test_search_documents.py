"""Searching documents: below a namespace, by fields, by words and meaning, and page by page."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES
from membrane.usecases.documents.examining import MAX_CHARACTERS, MAX_LARGE_VALUES
from membrane.usecases.documents.room import ROOM_BYTES
from tests.fakes.document_world import keeping
from tests.worlds.documents import DocumentCaller
from tests.worlds.searched_documents import Shelf, pages_of


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def keys_of(pages: Any) -> list[str]:
    """The keys of all pages."""
    return [each["key"] for page in pages for each in page["documents"]]


def test_documents_are_found_in_the_order_of_their_places_with_their_values(shelf: Shelf) -> None:
    shelf.put("users/bob", "b", {"n": 2})
    shelf.put("users/ann", "z", {"n": 1})
    shelf.put("users", "top", {"n": 0})
    shelf.put("files", "f", {"n": 3})

    found = shelf.search(namespace_prefix=["users"])

    assert [(each["namespace"], each["key"], each["value"]) for each in found["documents"]] == [
        (["users"], "top", {"n": 0}),
        (["users", "ann"], "z", {"n": 1}),
        (["users", "bob"], "b", {"n": 2}),
    ]
    assert found["examined"] == 3
    assert "next_cursor" not in found
    assert all("score" not in each for each in found["documents"])
    assert shelf.store.pages == [3]


def test_without_a_prefix_every_namespace_of_the_scope_is_searched(shelf: Shelf) -> None:
    shelf.put("a", "1")
    shelf.put("b/c", "2")

    assert shelf.keys() == ["1", "2"]


@pytest.mark.parametrize("other", ["user", "users2", "Users", "users%", "user%2Fs", "*"])
def test_a_prefix_ends_on_the_border_of_a_label(shelf: Shelf, other: str) -> None:
    shelf.put("users", "own")
    shelf.caller.perform_put({"namespace": [other, "ann"], "key": "foreign", "value": 1})

    assert shelf.keys(namespace_prefix=["users"]) == ["own"]
    assert shelf.keys(namespace_prefix=[other]) == ["foreign"]


def test_namespaces_that_share_the_searchable_part_of_a_long_prefix_are_told_apart(
    shelf: Shelf,
) -> None:
    long = "/".join("x" * 120 for _ in range(9))
    shelf.put(f"{long}/a", "own")
    shelf.put(f"{long}/b", "foreign")

    assert shelf.keys(namespace_prefix=f"{long}/a".split("/")) == ["own"]


def test_hidden_documents_are_not_found_and_not_counted(shelf: Shelf) -> None:
    shelf.put("n", "a-expired", ttl_seconds=5)
    shelf.put("n", "b-deleted")
    shelf.caller.perform_put({"namespace": ["n"], "key": "c-secret", "value": 1,
                              "sensitivity": "hyper"})  # fmt: skip
    shelf.put("n", "d-shown")
    DocumentCaller(shelf.caller.services, shelf.caller.principal, ("n",)).delete("b-deleted")
    shelf.clock.advance(seconds=5)

    found = shelf.search(shelf.caller.as_(ceiling="medium"), namespace_prefix=["n"])

    assert keys_of([found]) == ["d-shown"]
    assert found["examined"] == 1
    assert shelf.keys(namespace_prefix=["n"]) == ["c-secret", "d-shown"]


def test_a_scope_beyond_the_key_has_no_documents(shelf: Shelf) -> None:
    shelf.put("n", "k")
    stranger = shelf.caller.as_(scopes=("elsewhere",))

    assert shelf.search(stranger, scope="team") == {"documents": [], "examined": 0}
    assert shelf.store.pages == []
    assert shelf.keys(stranger) == []
    assert shelf.keys(scope="team") == ["k"]


def test_filters_choose_by_fields_and_the_store_is_asked_for_more_at_need(shelf: Shelf) -> None:
    for number in range(30):
        shelf.put("n", f"{number:02}", {"number": number, "even": number % 2 == 0})

    found = shelf.search(filter={"even": True, "number": {"$gte": 10}}, limit=3)

    assert keys_of([found]) == ["10", "12", "14"]
    assert found["examined"] == 15
    assert shelf.store.pages == [4, 16]


def test_a_call_makes_few_requests_and_the_cursor_goes_on(shelf: Shelf) -> None:
    for number in range(700):
        shelf.put("n", f"{number:03}", {"number": number})

    found = shelf.search(filter={"number": 699}, limit=1)

    assert found["documents"] == []
    assert shelf.store.pages == [2, 8, 32, 128, 512]
    assert keys_of(pages_of(shelf.search, filter={"number": {"$gte": 698}}, limit=1)) == [
        "698",
        "699",
    ]


def test_a_page_that_holds_the_rest_has_no_cursor(shelf: Shelf) -> None:
    for key in "abcd":
        shelf.put("n", key)

    assert "next_cursor" not in shelf.search(limit=4)
    assert [len(page["documents"]) for page in pages_of(shelf.search, limit=2)] == [2, 2]
    assert [len(page["documents"]) for page in pages_of(shelf.search, limit=3)] == [3, 1]


@given(
    names=st.lists(
        st.tuples(st.sampled_from(("a", "a/b", "a-/b", "ab", "b")), st.sampled_from("klmn")),
        max_size=14,
    ),
    limit=st.integers(1, 5),
    least=st.integers(0, 3),
)
def test_pages_hold_every_document_once(
    names: list[tuple[str, str]], limit: int, least: int
) -> None:
    shelf = Shelf()
    for namespace, key in names:
        shelf.put(namespace, key, {"n": "klmn".index(key)})

    pages = list(pages_of(shelf.search, namespace_prefix=["a"], filter={"n": {"$gte": least}},
                          limit=limit))  # fmt: skip

    found = [("/".join(each["namespace"]), each["key"])
             for each in chain.from_iterable(page["documents"] for page in pages)]  # fmt: skip
    wanted = {(namespace, key) for namespace, key in names
              if namespace.split("/")[0] == "a" and "klmn".index(key) >= least}  # fmt: skip
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert all(len(page["documents"]) <= limit for page in pages)


def test_a_reply_stays_within_its_room_and_the_rest_follows(shelf: Shelf) -> None:
    text = "x" * (LARGE_VALUE_BYTES - 100)
    for number in range(50):
        shelf.put("n", f"{number:02}", text)

    pages = list(pages_of(shelf.search, limit=1_000))

    assert len(pages) == 2
    assert all(len(compact_json(page)) <= ROOM_BYTES + 10_000 for page in pages)
    assert keys_of(pages) == [f"{number:02}" for number in range(50)]


def test_a_cursor_of_a_different_search_is_refused(shelf: Shelf) -> None:
    for key in "abc":
        shelf.put("n", key)
    cursor = shelf.search(limit=1)["next_cursor"]

    assert shelf.keys(limit=2, cursor=cursor) == ["b", "c"]
    for other in (
        {"filter": {"a": 1}},
        {"namespace_prefix": ["n"]},
        {"query": "words"},
        {"cursor": cursor + "A"},
    ):
        with pytest.raises(InvalidArgument, match="cursor"):
            shelf.search(**{"limit": 1, "cursor": cursor, **other})
    with pytest.raises(InvalidArgument, match="cursor"):
        shelf.search(shelf.caller.as_(actor_id="bob"), limit=1, cursor=cursor)


def large(**fields: Any) -> dict[str, Any]:
    """A value that is stored in the bucket."""
    return {**fields, "padding": "x" * LARGE_VALUE_BYTES}


def test_a_large_value_is_read_for_a_filter_alone(shelf: Shelf) -> None:
    shelf.put("n", "big", large(kind="note"))

    assert shelf.keys(filter={"kind": "note"}) == ["big"]
    assert shelf.keys(filter={"kind": "other"}) == []
    shelf.store.values.clear()
    assert shelf.keys(query="padding") == ["big"]


def test_a_call_reads_some_large_values_and_the_cursor_goes_on(shelf: Shelf) -> None:
    count = MAX_LARGE_VALUES + 2
    for number in range(count):
        shelf.put("n", f"{number:02}", large(n=number))

    first, second = pages_of(shelf.search, filter={"n": {"$gte": 0}}, limit=100)

    assert (first["examined"], second["examined"]) == (MAX_LARGE_VALUES, 2)
    assert keys_of([first, second]) == [f"{number:02}" for number in range(count)]


def test_a_query_puts_the_best_first_and_documents_without_texts_last(shelf: Shelf) -> None:
    shelf.put("n", "a-plain", {"text": "sailing boats"})
    shelf.put("n", "b-other", {"text": "baking bread at home"}, index=["text"])
    shelf.put("n", "c-match", {"text": "sailing boats on the lake"}, index=["text"])
    shelf.put("n", "d-empty", {"title": "sailing"}, index=["text"])

    found = shelf.search(query="Who sails a boat?")

    scores = {each["key"]: each["score"] for each in found["documents"]}
    assert list(scores) == ["c-match", "b-other", "a-plain", "d-empty"]
    assert 1.0 >= scores["c-match"] > scores["b-other"] >= 0.0
    assert scores["a-plain"] is scores["d-empty"] is None
    assert found["examined"] == 4
    assert keys_of([shelf.search(query="Who sails a boat?", limit=3)]) == [*scores][:3]


def test_only_the_indexed_paths_are_searched(shelf: Shelf) -> None:
    shelf.put("n", "title", {"title": "sailing", "body": "baking"}, index=["title"])
    shelf.put("n", "body", {"title": "sailing", "body": "baking"}, index=["body"])
    shelf.put("n", "whole", {"title": "sailing", "body": "baking"}, index=True)

    assert shelf.keys(query="baking") == ["body", "whole", "title"]


def test_a_filter_comes_before_the_ranking(shelf: Shelf) -> None:
    shelf.put("n", "best", {"text": "sailing", "open": False}, index=["text"])
    shelf.put("n", "open", {"text": "baking", "open": True}, index=["text"])

    assert shelf.keys(query="sailing", filter={"open": True}) == ["open"]


def test_the_query_is_embedded_only_for_documents_with_vectors(shelf: Shelf) -> None:
    shelf.put("n", "plain", {"text": "sailing"})
    assert shelf.keys(query="sailing") == ["plain"]
    assert (shelf.loaded, shelf.embedder.asked) == ([], [])

    shelf.put("n", "text", {"text": "sailing"}, index=["text"])
    shelf.embedder.asked.clear()
    shelf.search(query="sailing")
    assert shelf.embedder.asked == [["sailing"]]

    shelf.embedder.asked.clear()
    shelf.search()
    assert shelf.embedder.asked == []


def test_vectors_of_a_different_embedder_do_not_count_but_words_do(shelf: Shelf) -> None:
    shelf.put("n", "bread", {"text": "baking bread"}, index=["text"])
    shelf.put("n", "boats", {"text": "sailing boats"}, index=["text"])
    shelf.embedder.name = "successor"
    shelf.embedder.asked.clear()

    found = shelf.search(query="sailing boats")

    assert [(each["key"], each["score"]) for each in found["documents"]] == [
        ("boats", pytest.approx(1.0)),
        ("bread", 0.0),
    ]
    assert shelf.embedder.asked == []


def test_a_query_of_spaces_ranks_nothing(shelf: Shelf) -> None:
    shelf.put("n", "b", {"text": "x"}, index=True)

    assert "score" not in shelf.search(query="  ")["documents"][0]


def test_a_ranked_reply_that_is_too_large_goes_on_with_the_next_best(shelf: Shelf) -> None:
    text = "sailing " + "x" * (LARGE_VALUE_BYTES - 100)
    for number in range(50):
        shelf.put("n", f"{number:02}", text, index=True)

    pages = list(pages_of(shelf.search, query="sailing", limit=1_000))

    assert len(pages) == 2
    assert sorted(keys_of(pages)) == [f"{number:02}" for number in range(50)]


def test_a_query_ends_with_the_large_values_and_goes_on_behind(shelf: Shelf) -> None:
    for number in range(MAX_LARGE_VALUES + 2):
        shelf.put("n", f"{number:02}", large(text="sailing"), index=["text"])

    first, second = pages_of(shelf.search, query="sailing", limit=100)

    assert (first["examined"], second["examined"]) == (MAX_LARGE_VALUES, 2)


def test_a_reading_begins_the_period_anew_where_the_key_may_write(shelf: Shelf) -> None:
    shelf.put("n", "a", {"n": 1}, ttl_seconds=60)
    shelf.put("n", "b", {"n": 2}, ttl_seconds=60)
    shelf.put("n", "c", {"n": 1})
    shelf.clock.advance(seconds=30)
    before = shelf.search(filter={"n": 1})["documents"][0]["expires_at"]

    reader = shelf.caller.as_(permissions=("read",))
    assert (
        shelf.search(reader, filter={"n": 1}, refresh=True)["documents"][0]["expires_at"] == before
    )
    assert shelf.store.refreshed == []
    shown = shelf.search(filter={"n": 1}, refresh=True)["documents"][0]

    assert shelf.store.refreshed == ["a"]
    assert shown["expires_at"] > before
    shelf.clock.advance(seconds=45)
    assert shelf.keys() == ["a", "c"]


def test_a_document_that_is_only_a_list_is_found_without_a_value(shelf: Shelf) -> None:
    shelf.caller.append("session", "hello")
    shelf.put("users/ann", "zz", {"kind": "note"})

    assert "value" not in shelf.search()["documents"][0]
    assert shelf.keys() == ["session", "zz"]
    assert shelf.keys(filter={"kind": "note"}) == ["zz"]
    assert shelf.keys(filter={"kind": {"$ne": "note"}}) == ["session"]
    assert [each["score"] for each in shelf.search(query="hello")["documents"]] == [None, None]


def test_a_call_ends_after_many_characters_and_the_cursor_goes_on(shelf: Shelf) -> None:
    count = MAX_CHARACTERS // (LARGE_VALUE_BYTES // 2) + 10
    for number in range(count):
        shelf.put("n", f"{number:03}", {"text": "x" * (LARGE_VALUE_BYTES // 2)})

    first, second = pages_of(shelf.search, query="sailing", filter={"kind": "none"})

    assert first["examined"] + second["examined"] == count
    assert second["examined"] in range(5, 15)


def test_a_search_within_a_batch_continues_a_search_outside(shelf: Shelf) -> None:
    for key in "abc":
        shelf.put("n", key)
    cursor = shelf.search(limit=1)["next_cursor"]

    (result,) = shelf.caller.batch({"op": "search", "limit": 5, "cursor": cursor})

    assert keys_of([result]) == ["b", "c"]


def test_an_empty_store_answers_with_one_request() -> None:
    assert DocumentCaller(keeping()).search() == {"documents": [], "examined": 0}
