"""The list beside a value: appending, reading the newest, taking off."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from membrane.domain.documents.requests import MAX_APPEND_BYTES
from membrane.domain.language.errors import (
    AlreadyExists,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    TooLarge,
)
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import keeping
from tests.worlds.documents import DocumentCaller


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ann(clock: FakeClock) -> DocumentCaller:
    return DocumentCaller(keeping(now=clock))


def test_items_are_read_in_the_order_of_their_appends(ann: DocumentCaller) -> None:
    first = ann.append("chat", {"n": 1}, {"n": 2})
    second = ann.append("chat", {"n": 3})

    assert (first["end"], second["end"]) == (2, 3)
    assert ann.items("chat") == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert ann.items("chat", 2) == [{"n": 2}, {"n": 3}]
    assert "value" not in ann.get("chat")
    assert ann.get("chat")["version"] == 1


def test_a_list_stands_beside_a_value(ann: DocumentCaller) -> None:
    ann.put("chat", {"title": "Hello"})
    ann.append("chat", 1)
    ann.put("chat", {"title": "Bye"})

    assert ann.get("chat")["value"] == {"title": "Bye"}
    assert ann.items("chat") == [1]


def test_the_newest_items_are_taken_off_and_returned(ann: DocumentCaller) -> None:
    ann.append("chat", 1, 2, 3)
    ann.append("chat", 4)
    ann.append("chat", 5)

    taken = ann.delete("chat", items=3)

    assert [each["value"] for each in taken["items"]] == [3, 4, 5]
    assert ann.items("chat") == [1, 2]
    assert [each["value"] for each in ann.delete("chat", items=9)["items"]] == [1, 2]
    assert ann.delete("chat", items=1) == {"existed": True, "items": []}
    assert ann.delete("other", items=1) == {"existed": False, "items": []}


def test_appending_and_taking_off_by_turns_leaves_one_chunk(ann: DocumentCaller) -> None:
    for number in range(20):
        ann.append("chat", number)
        ann.delete("chat", items=1)
    ann.append("chat", "last")

    (document,) = ann.services.documents.page("team", "", None, 1).documents
    chunks = ann.services.documents.chunks(
        document.place, 1_000, generation=document.created_at, now_s=0
    )
    assert len(list(chunks)) == 1
    assert ann.items("chat") == ["last"]


def test_a_repeated_append_under_the_key_appends_nothing(ann: DocumentCaller) -> None:
    ann.append("chat", 1, idempotency_key="k1")
    ann.append("chat", 2, idempotency_key="k2")

    again = ann.append("chat", 1, idempotency_key="k1")

    assert again["replayed"]
    assert again["end"] == 1
    assert ann.items("chat") == [1, 2]
    with pytest.raises(AlreadyExists):
        ann.append("chat", 9, idempotency_key="k2")


def test_a_repeated_removal_under_the_key_returns_the_same_items(ann: DocumentCaller) -> None:
    for number in range(5):
        ann.append("chat", number)
    first = ann.delete("chat", items=2, idempotency_key="k1")

    again = ann.delete("chat", items=2, idempotency_key="k1")

    assert again["replayed"]
    assert again["items"] == first["items"]
    assert ann.items("chat") == [0, 1, 2]


def test_a_repeated_removal_finds_its_items_behind_a_later_append(ann: DocumentCaller) -> None:
    ann.append("chat", 1)
    ann.delete("chat", items=1, idempotency_key="k1")
    ann.append("chat", 2)

    again = ann.delete("chat", items=1, idempotency_key="k1")

    assert [each["value"] for each in again["items"]] == [1]
    assert ann.items("chat") == [2]


def test_a_key_of_a_removal_stands_for_one_count(ann: DocumentCaller) -> None:
    ann.append("chat", 1, 2)
    ann.delete("chat", items=1, idempotency_key="k1")

    with pytest.raises(AlreadyExists):
        ann.delete("chat", items=2, idempotency_key="k1")


def test_a_deleted_list_does_not_come_back_with_a_new_one(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.append("chat", 1, 2)
    ann.delete("chat")
    with pytest.raises(NotFound):
        ann.get("chat", items=9)
    clock.advance(seconds=1)

    ann.append("chat", 3)

    assert ann.items("chat") == [3]


def test_each_item_of_a_document_with_a_period_expires_by_itself(
    ann: DocumentCaller, clock: FakeClock
) -> None:
    ann.append("chat", "old", ttl_seconds=60)
    clock.advance(seconds=40)
    ann.append("chat", "new")

    clock.advance(seconds=30)

    assert ann.items("chat") == ["new"]
    clock.advance(seconds=40)
    with pytest.raises(NotFound):
        ann.get("chat")


def test_others_append_and_only_revise_takes_off_their_items(ann: DocumentCaller) -> None:
    ann.append("chat", 1)
    bob = ann.as_(actor_id="bob")
    bob.append("chat", 2)

    with pytest.raises(PermissionDenied, match="revise"):
        ann.delete("chat", items=1)

    with pytest.raises(PermissionDenied, match="revise"):
        bob.delete("chat", items=2)
    assert bob.items("chat") == [1, 2]
    assert [each["value"] for each in bob.delete("chat", items=1)["items"]] == [2]


def test_an_item_of_another_actor_keeps_a_long_list_from_its_deletion(ann: DocumentCaller) -> None:
    ann.append("chat", "begins the document")
    ann.as_(actor_id="bob").append("chat", "of Bob")
    for _ in range(11):
        ann.append("chat", *range(100))

    with pytest.raises(PermissionDenied, match="revise"):
        ann.delete("chat")


def test_items_are_taken_off_by_keys_that_may_read(ann: DocumentCaller) -> None:
    ann.append("chat", 1)

    with pytest.raises(PermissionDenied, match="read"):
        ann.as_(permissions=("ingest",)).delete("chat", items=1)

    assert ann.items("chat") == [1]


def test_an_append_above_the_sensitivity_of_the_document_is_refused(ann: DocumentCaller) -> None:
    ann.put("chat", 1, sensitivity="low")

    with pytest.raises(FailedPrecondition, match="sensitivity"):
        ann.append("chat", "secret", sensitivity="medium")

    assert ann.items("chat") == []


def test_a_removal_takes_off_the_items_of_a_bounded_number_of_appends(ann: DocumentCaller) -> None:
    for number in range(101):
        ann.append("chat", number)

    taken = ann.delete("chat", items=100)["items"]

    assert [each["value"] for each in taken] == [*range(2, 101)]
    assert ann.items("chat") == [0, 1]


def test_a_key_stands_for_one_write_of_a_document(ann: DocumentCaller) -> None:
    ann.put("chat", 1, idempotency_key="k1")

    with pytest.raises(AlreadyExists):
        ann.append("chat", 1, idempotency_key="k1")


def test_parallel_appends_all_land(ann: DocumentCaller) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: ann.append("chat", number), range(16)))

    assert sorted(ann.items("chat")) == list(range(16))


def test_an_append_that_no_item_of_the_table_holds_is_refused_and_leaves_nothing(
    ann: DocumentCaller,
) -> None:
    with pytest.raises(TooLarge, match="items exceed"):
        ann.append("chat", "x" * MAX_APPEND_BYTES)

    with pytest.raises(NotFound):
        ann.get("chat")
