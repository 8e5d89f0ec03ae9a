"""What is peculiar to the table's vector index: its refusals, its silence, and its lateness."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import SKETCH_DIMENSIONS
from tests.worlds.faults import hooks
from tests.worlds.search_indexes import EMBEDDER, Library, entry
from tests.worlds.stores import Item, Store

SIZE = EMBEDDER.dimensions + SKETCH_DIMENSIONS
INDEX = f"vectors_{SIZE}"
VECTOR = f"vector_{SIZE}"


def standing(store: Store, record_id: str) -> dict[str, Any]:
    """What stands in the place of an entry's vector."""
    (item,) = store.partition(f"vector#{record_id}")
    return dict(item)


def searches(store: Store) -> list[Mapping[str, Any]]:
    """The searches made so far."""
    return [asked for name, asked in store.watched.requests if name == "SearchVectors"]


def nearest(store: Store, **other: Any) -> Sequence[Item]:
    """What the index itself says is near the first axis."""
    asked: dict[str, Any] = {
        "TableName": store.table,
        "IndexName": INDEX,
        "SearchVector": [{"N": "1"}, *([{"N": "0"}] * (SIZE - 1))],
        "TopK": 10,
        "SearchConditionExpression": "search_pk = :place",
        "ExpressionAttributeValues": {":place": {"S": "record#0#=team"}},
    }
    results = store.inspector.search_vectors(**{**asked, **other})["SearchResults"]
    return [each["Item"] for each in results]


# --- what an entry has there --------------------------------------------------------------------


def test_an_entry_of_the_index_has_all_that_is_ranked_by_and_not_its_vector(
    table: Store, library: Library
) -> None:
    library.hold(entry("note", "the ferry leaves at nine", thread="talk"))

    (found,) = nearest(table)

    whole = standing(table, "note")
    left_out = {VECTOR, "source_version"}
    assert found == {name: value for name, value in whole.items() if name not in left_out}


def test_a_search_is_told_what_it_examined(library: Library) -> None:
    library.hold(*(entry(f"note-{number}", f"ferry {number}") for number in range(40)))
    few = library.index.search(library.search("ferry", ceiling=Sensitivity.PUBLIC))
    all_of_them = library.index.search(library.search("ferry"))

    assert all_of_them.examined_bytes > few.examined_bytes


def test_what_other_scopes_hold_is_not_examined(library: Library) -> None:
    library.hold(*(entry(f"note-{number}", f"ferry {number}") for number in range(10)))
    before = library.index.search(library.search("ferry")).examined_bytes

    library.hold(*(entry(f"n-{number}", f"ferry {number}", scope="b") for number in range(40)))

    assert library.index.search(library.search("ferry")).examined_bytes == before


def test_each_scope_level_and_type_that_is_asked_for_and_there_is_a_search_of_its_own(
    table: Store, library: Library
) -> None:
    library.hold(
        *(
            entry(f"{scope}-{level}", "ferry", scope=scope, sensitivity=level)
            for scope in ("a", "b")
            for level in (Sensitivity.LOW, Sensitivity.MEDIUM, Sensitivity.HIGH)
        )
    )
    types = {MemoryType.SEMANTIC, MemoryType.EPISODIC}

    library.found("ferry", ["a", "b", "empty"], Sensitivity.MEDIUM)
    of_all_types = len(searches(table))
    library.found("ferry", ["a", "b", "empty"], Sensitivity.MEDIUM, types)

    assert of_all_types == 2 * 2
    assert len(searches(table)) - of_all_types == 2 * 2 * 2


def test_a_scope_of_one_level_costs_one_search(table: Store, library: Library) -> None:
    library.hold(*(entry(f"note-{number}", "ferry") for number in range(3)))
    table.watched.requests.clear()

    library.found("ferry")

    assert table.watched.operations() == ["BatchGetItem", "SearchVectors"]


# --- what it refuses ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ({"L": [{"N": "1"}] * (SIZE - 1)}, f"Expected: {SIZE}, Actual: {SIZE - 1}"),
        ({"L": [{"N": "1"}] * (SIZE + 1)}, f"Expected: {SIZE}, Actual: {SIZE + 1}"),
        ({"L": [{"S": "1"}] * SIZE}, "Expected: 32-bit floating point number"),
        ({"B": b"1234"}, "Expected: 32-bit floating point number list"),
    ],
    ids=["too short", "too long", "of texts", "of bytes"],
)
def test_a_vector_that_is_not_the_indexs_is_refused_when_it_is_written(
    table: Store, library: Library, vector: Any, message: str
) -> None:
    library.hold(entry("note", "ferry"))

    with pytest.raises(ClientError, match=message):
        table.put({**standing(table, "note"), VECTOR: vector})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"TopK": 101}, "between 1 and 100"),
        ({"TopK": 0}, "between 1 and 100"),
        ({"SearchVector": [{"N": "1"}] * 3}, f"3 does not match vector index dimension {SIZE}"),
        ({"IndexName": "vectors_7"}, "does not have the specified index: vectors_7"),
        ({"SearchConditionExpression": "sensitivity = :place"}, "HASH key"),
        ({"SearchConditionExpression": "search_pk <> :place"}, "SearchConditionExpression"),
    ],
    ids=["101", "0", "short vector", "another index", "no hash", "not by equality"],
)
def test_a_search_beyond_what_the_index_can_do_is_refused(
    table: Store, library: Library, other: Mapping[str, Any], message: str
) -> None:
    library.hold(entry("note", "ferry"))

    with pytest.raises(ClientError, match=message):
        nearest(table, **other)


def test_a_question_of_another_dimension_is_no_empty_answer(library: Library) -> None:
    library.hold(entry("note", "ferry"))
    asked = library.search("ferry")

    with pytest.raises(LookupError, match="of 128 dimensions"):
        library.index.search(replace(asked, dense=asked.dense[:128]))


NOT_READY = (
    "Cannot search backfilling vector index: " + INDEX,
    "The table does not have the specified index: " + INDEX,
)
"""What DynamoDB answers while an index is built, and shortly after."""


def refuse_searches(store: Store, message: str) -> None:
    """Let the search endpoint answer ValidationException with that message from now on."""

    def refusal(**_: object) -> tuple[Any, dict[str, Any]]:
        body = {"Error": {"Code": "ValidationException", "Message": message}}
        answer = AWSResponse("", 400, HTTPHeaders(), None)
        return answer, {**body, "ResponseMetadata": {"HTTPStatusCode": 400}}

    hooks(store.client).register("before-call.dynamodb.SearchVectors", refusal)


@pytest.mark.parametrize("message", NOT_READY)
def test_an_index_that_is_not_ready_is_unavailable_for_now(
    table: Store, library: Library, message: str
) -> None:
    library.hold(entry("note", "ferry"))
    refuse_searches(table, message)

    with pytest.raises(Unavailable, match="still being built"):
        library.found("ferry")


def test_any_other_refusal_of_a_search_is_a_fault(table: Store, library: Library) -> None:
    library.hold(entry("note", "ferry"))
    refuse_searches(table, "Provided TopK value is out of valid range")

    with pytest.raises(ClientError, match="TopK"):
        library.found("ferry")


# --- what it says nothing of --------------------------------------------------------------------


def test_an_entry_whose_vector_is_gone_is_silently_found_no_more(
    table: Store, library: Library
) -> None:
    library.hold(entry("note", "ferry"), entry("other", "ferry"))
    item = standing(table, "note")

    table.put({name: value for name, value in item.items() if name != VECTOR})

    assert library.found("ferry") == ["other"]


def test_a_marker_has_no_vector_and_is_not_in_the_index(table: Store, library: Library) -> None:
    note = entry("note", "ferry")
    library.hold(note)

    library.drop(note)

    assert "removed" in standing(table, "note")
    assert nearest(table) == []


def test_an_entry_that_says_nothing_has_no_vector(table: Store, library: Library) -> None:
    library.hold(entry("mute", ""))

    assert VECTOR not in standing(table, "mute")
    assert nearest(table) == []


# --- how late it may be -------------------------------------------------------------------------


def answers(store: Store, change: Callable[[list[Any]], list[Any]]) -> Callable[[], None]:
    """Let the index answer otherwise than it does, until what is returned is called."""

    def changed(parsed: dict[str, Any], **_: object) -> None:
        parsed["SearchResults"] = change(parsed["SearchResults"])

    hooks(store.client).register("after-call.dynamodb.SearchVectors", changed)
    return lambda: hooks(store.client).unregister("after-call.dynamodb.SearchVectors", changed)


def remembered(store: Store, search: Callable[[], object]) -> list[Any]:
    """What the index answers to a search."""
    seen: list[Any] = []

    def look(found: list[Any]) -> list[Any]:
        seen.extend(found)
        return found

    stop_looking = answers(store, look)
    search()
    stop_looking()
    return seen


def test_what_the_index_does_not_show_yet_is_found_once_it_does(
    table: Store, library: Library
) -> None:
    library.hold(entry("old", "ferry"), entry("new", "ferry"))
    show = answers(
        table,
        lambda found: [each for each in found if each["Item"]["pk"] != {"S": "vector#new"}],
    )

    before = library.found("ferry")
    show()

    assert (before, library.found("ferry")) == (["old"], ["new", "old"])


def test_what_the_index_still_shows_as_it_was_is_found_as_it_was(
    table: Store, library: Library
) -> None:
    before = entry("note", "the ferry leaves at nine", sensitivity=Sensitivity.PUBLIC)
    library.hold(before)
    shown = remembered(table, lambda: library.found("ferry", ceiling=Sensitivity.PUBLIC))
    library.hold(entry("note", "an umbrella", sensitivity=Sensitivity.HIGH))

    answers(table, lambda _: shown)
    (found,) = library.index.search(library.search("ferry", ceiling=Sensitivity.PUBLIC)).entries

    assert found == before


def test_what_the_index_shows_in_two_places_is_found_once(table: Store, library: Library) -> None:
    library.hold(entry("note", "ferry", sensitivity=Sensitivity.PUBLIC))
    shown = remembered(table, lambda: library.found("ferry", ceiling=Sensitivity.PUBLIC))

    answers(table, lambda _: shown)

    assert library.found("ferry", ceiling=Sensitivity.HIGH) == ["note"]


@pytest.mark.parametrize(
    "other",
    [
        {"sensitivity": {"S": "hyper"}},
        {"type": {"S": "semantic"}},
        {"search_pk": {"S": "record#0#=others"}},
    ],
    ids=["above the ceiling", "of another type", "of another scope"],
)
def test_what_the_index_gives_although_it_was_not_asked_for_is_left_out(
    table: Store, library: Library, other: Mapping[str, Any]
) -> None:
    library.hold(entry("note", "ferry"), entry("other", "ferry"))

    def changed(found: list[Any]) -> list[Any]:
        return [
            {**each, "Item": {**each["Item"], **other}}
            if each["Item"]["pk"] == {"S": "vector#note"}
            else each
            for each in found
        ]

    answers(table, changed)

    types = {MemoryType.EPISODIC}
    assert library.found("ferry", ceiling=Sensitivity.LOW, types=types) == ["other"]


def test_a_damaged_entry_of_the_index_is_no_empty_answer(table: Store, library: Library) -> None:
    library.hold(entry("note", "ferry"))
    answers(
        table,
        lambda found: [{**each, "Item": {"pk": {"S": "x"}, "sk": {"S": "y"}}} for each in found],
    )

    with pytest.raises(Exception, match=f"embedder_{SIZE} is absent"):
        library.found("ferry")
