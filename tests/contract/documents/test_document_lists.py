"""The list beside a document: appends in order, removal, and appends that are under way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.items import Chunk, append_behind, without_newest
from membrane.domain.documents.places import Place
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_documents import KEPT_S, SCOPE, chunk, place
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING
from tests.worlds.stores import Store

HERE = place()
NOW_S = epoch_seconds(MORNING)
UNTIL_S = NOW_S + KEPT_S


def newest(
    documents: DynamoDocuments,
    limit: int | None,
    where: Place = HERE,
    now_s: float = NOW_S,
    below: int | None = None,
) -> Sequence[Chunk]:
    generation = rfc3339(MORNING)
    return list(documents.chunks(where, limit, generation=generation, now_s=now_s, below=below))


def remove(documents: DynamoDocuments) -> None:
    documents.remove_list(HERE, until_s=UNTIL_S, generation=rfc3339(MORNING))


def append(documents: DynamoDocuments, *items: str, **changes: Any) -> Chunk:
    last = next(iter(newest(documents, 0)), None)
    before, after = append_behind(last, chunk(place(), items=items, **changes))
    documents.put_chunk(before, after)
    return after


def items(documents: DynamoDocuments, limit: int = 1_000) -> list[str]:
    """The items that `chunks` returns, oldest first."""
    found = newest(documents, limit)
    return [item for each in reversed(found) for item in each.items]


def test_items_are_read_newest_chunk_first_until_there_are_enough(store: Store) -> None:
    made = [append(store.documents, "a", "b"), append(store.documents, "c")]
    made.append(append(store.documents, "d", "e", "f"))

    assert [each.start for each in made] == [1, 3, 4]
    assert newest(store.documents, 100) == made[::-1]
    assert newest(store.documents, 4) == [made[2], made[1]]
    assert newest(store.documents, 3) == [made[2]]
    assert newest(store.documents, 0) == [made[2]]
    assert newest(store.documents, 3, place("other")) == []


def test_a_read_below_a_position_counts_the_items_below_alone(store: Store) -> None:
    made = [append(store.documents, "a", "b"), append(store.documents, "c")]
    made.append(append(store.documents, "d", "e", "f"))

    assert newest(store.documents, 100, below=7) == made[::-1]
    assert newest(store.documents, 2, below=6) == [made[2]]
    assert newest(store.documents, 2, below=5) == [made[2], made[1]]
    assert newest(store.documents, 1, below=4) == [made[1]]
    assert newest(store.documents, None, below=3) == [made[0]]
    assert newest(store.documents, 100, below=1) == []
    assert newest(store.documents, 100, below=10**9) == made[::-1]


def test_a_read_ends_with_the_first_chunk_of_an_earlier_document(store: Store) -> None:
    for item in "abc":
        append(store.documents, item)
    later = rfc3339(MORNING + timedelta(days=1))
    last = append(store.documents, "new", generation=later)

    found = list(store.documents.chunks(HERE, None, generation=later, now_s=NOW_S, below=9))

    assert [each.start for each in found] == [last.start, 3]


def test_a_list_of_several_megabytes_is_read_as_far_as_the_reader_goes(
    table: Store,
) -> None:
    for _ in range(40):
        append(table.documents, noise(100_000))
    table.watched.requests.clear()

    chunks = table.documents.chunks(HERE, 40, generation=rfc3339(MORNING), now_s=NOW_S)
    for _ in range(5):
        next(chunks)

    assert table.watched.operations() == ["Query"]


def test_of_two_appends_at_a_position_the_first_wins(store: Store) -> None:
    append(store.documents, "a")
    first = chunk(place(), 2, ["b"])
    store.documents.put_chunk(None, first)

    with pytest.raises(LostRace):
        store.documents.put_chunk(None, chunk(place(), 2, ["c"]))

    assert items(store.documents) == ["a", "b"]


def test_of_two_removals_from_a_chunk_the_first_wins(store: Store) -> None:
    whole = append(store.documents, "a", "b", "c")
    left = without_newest(whole, 1)
    store.documents.put_chunk(whole, left)

    with pytest.raises(LostRace):
        store.documents.put_chunk(whole, without_newest(whole, 2))

    assert newest(store.documents, 5) == [left]


def test_a_chunk_that_is_gone_is_not_replaced(store: Store) -> None:
    with pytest.raises(LostRace):
        store.documents.put_chunk(chunk(place()), without_newest(chunk(place()), 1))

    assert newest(store.documents, 5) == []


def test_a_chunk_without_items_is_passed_over_in_the_search_for_items(store: Store) -> None:
    first, second = append(store.documents, "a"), append(store.documents, "b")
    emptied = without_newest(second, 1)
    store.documents.put_chunk(second, emptied)

    assert newest(store.documents, 1) == [emptied, first]


def test_items_that_are_not_shown_hide_no_older_item(store: Store) -> None:
    shown = append(store.documents, "a")
    other = append(store.documents, "b", generation="2026-12-01T00:00:00Z")
    expired = append(store.documents, "c", "d", expires_at_s=NOW_S + 1)

    assert newest(store.documents, 2, now_s=NOW_S) == [expired]
    assert newest(store.documents, 2, now_s=NOW_S + 1) == [expired, other, shown]
    assert newest(store.documents, 1, now_s=NOW_S + 1) == [expired, other, shown]


def test_emptied_chunks_are_passed_over_in_a_few_requests(table: Store) -> None:
    oldest = append(table.documents, "a")
    for start in range(2, 117):
        table.documents.put_chunk(None, chunk(HERE, start, []))
    table.watched.requests.clear()

    found = newest(table.documents, 1)

    assert (len(found), found[-1]) == (116, oldest)
    assert table.watched.operations() == ["Query"] * 7  # of 1, 2, 4, ... chunks


def test_the_removal_of_a_list_removes_every_item(store: Store) -> None:
    first = append(store.documents, "a", "b")
    store.documents.put_chunk(first, without_newest(first, 1))
    append(store.documents, "c")

    remove(store.documents)
    remove(store.documents)

    assert items(store.documents) == []
    kept = store.everything()
    assert all(each["d"] == {"S": "[]"} and "o" not in each for each in kept)
    assert all(each["expires_at"] == {"N": str(int(UNTIL_S) + 1)} for each in kept)
    assert all(each["scope"] == {"S": SCOPE} for each in kept)


@pytest.mark.parametrize("taken", [1, 2], ids=["some", "all"])
def test_the_removal_of_a_list_reaches_what_an_earlier_version_kept_in_its_chunks(
    table: Store, taken: int
) -> None:
    first, _ = append(table.documents, "a", "b"), append(table.documents, "c")
    table.documents.put_chunk(first, without_newest(first, taken))
    key = {name: table.everything()[0][name] for name in ("pk", "sk")}
    table.inspector.update_item(
        TableName=table.table,
        Key=key,
        UpdateExpression="SET i = :key, f = :key, b = :key, o = :taken",
        ExpressionAttributeValues={":key": {"B": b"key"}, ":taken": {"S": '["b"]'}},
    )

    remove(table.documents)

    assert all(each.keys().isdisjoint("ifob") for each in table.everything())


def test_a_new_list_is_read_without_what_was_removed(store: Store) -> None:
    for item in "abc":
        append(store.documents, item)
    remove(store.documents)

    made = append(store.documents, "d")
    append(store.documents, "e")

    assert items(store.documents) == ["d", "e"]
    assert newest(store.documents, 100)[-1] == made
    assert made.start == 4


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_append_under_way_loses_against_the_removal(store: Store, count: int) -> None:
    for item in "abc"[:count]:
        append(store.documents, item)
    last = next(iter(newest(store.documents, 0)), None)
    under_way = append_behind(last, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunk(*under_way)
    assert items(store.documents) == []


def test_an_append_that_was_overtaken_by_another_loses_too(store: Store) -> None:
    """Its position was taken by an item that the removal has removed."""
    last = append(store.documents, "a")
    under_way = append_behind(last, chunk(place(), items=["late"]))
    append(store.documents, "b")
    append(store.documents, "c")

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunk(*under_way)
    assert items(store.documents) == []


def test_an_append_into_an_empty_chunk_loses_against_the_removal(store: Store) -> None:
    whole = append(store.documents, "a")
    emptied = without_newest(whole, 1)
    store.documents.put_chunk(whole, emptied)
    under_way = append_behind(emptied, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunk(*under_way)
    assert items(store.documents) == []


def test_an_append_under_way_loses_against_a_second_removal(store: Store) -> None:
    append(store.documents, "a")
    remove(store.documents)
    (floor,) = newest(store.documents, 0)
    under_way = append_behind(floor, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunk(*under_way)
    assert items(store.documents) == []


def test_a_removal_from_a_chunk_under_way_loses_against_the_removal_of_the_list(
    store: Store,
) -> None:
    whole = append(store.documents, "a", "b")

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunk(whole, without_newest(whole, 1))
    assert items(store.documents) == []


def test_a_removal_leaves_items_of_a_document_that_was_made_anew(store: Store) -> None:
    append(store.documents, "a")
    store.clock.advance(seconds=5)
    anew = append(store.documents, "b", generation=rfc3339(store.clock()))

    store.documents.remove_list(place(), until_s=UNTIL_S, generation=rfc3339(MORNING))

    assert items(store.documents) == ["b"]
    found = store.documents.chunks(HERE, 1, generation=anew.generation, now_s=NOW_S)
    assert list(found) == [anew]


def test_an_append_during_the_removal_is_removed_as_well(table: Store) -> None:
    """The append comes after the removal has read the newest chunk."""
    append(table.documents, "a")
    amid = [lambda: append_at_the_end(table)]

    def interfere(**_: object) -> None:
        if amid:
            amid.pop()()

    table.client.meta.events.register("before-call.dynamodb.PutItem", interfere)
    remove(table.documents)

    assert not amid
    assert items(table.documents) == []
    starts = [each["sk"]["S"] for each in table.everything()]
    assert starts == ["items#0000000001", "items#0000000002", "items#0000000003"]


def append_at_the_end(table: Store) -> None:
    """By another client, so that nobody is told twice."""
    item = {
        **table.everything()[0],
        "sk": {"S": "items#0000000002"},
        "d": {"S": '["late"]'},
    }
    table.put(item)


def test_an_append_and_the_read_of_the_newest_items_are_a_request_each(
    table: Store,
) -> None:
    last = append(table.documents, "a")
    table.watched.requests.clear()

    table.documents.put_chunk(None, replace(last, start=2))
    newest(table.documents, 50)

    assert table.watched.operations() == ["PutItem", "Query"]
