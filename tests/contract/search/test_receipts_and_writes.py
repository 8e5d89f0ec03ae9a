"""What is kept of answers and of recent tool writes, and the key of cursors."""

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.adapters.dynamodb.access import MAX_WRITES, CursorKey
from membrane.adapters.dynamodb.search.answer_receipts import MAX_ITEM_BYTES
from membrane.domain.search.answer_receipts import AnswerReceipt, ExplainedCandidate
from membrane.table.items import CorruptItem, size_of
from tests.builders.stored_records import NOW, noise
from tests.worlds.depth import examples
from tests.worlds.faults import before_writes
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

PARTS = {"lexical": 0.1234, "dense": 1.0, "salience": 0.5}


def receipt(explained: int = 3, **fields: Any) -> AnswerReceipt:
    """A receipt with so many candidates."""
    usual = AnswerReceipt(
        id="receipt-1",
        principal="agent",
        identity="5f" * 32,
        asked_at=NOW,
        query={"task_descriptor": "tea?", "tags": ["a"], "min_salience": 0.5},
        trust={"max_sensitivity": "low", "scopes": None},
        returned=2,
        explained=tuple(
            ExplainedCandidate(f"{noise(36, number)}", 1.5 - number / 1_000, PARTS)
            for number in range(explained)
        ),
        considered=200,
        left_out=2,
        withheld=1,
        hidden=3,
    )
    return replace(usual, **fields)


def test_a_receipt_is_found_as_it_was_kept(store: Store) -> None:
    store.answers.keep(receipt())

    assert store.answers.find("receipt-1") == receipt()
    assert store.answers.find("receipt-2") is None


def test_a_receipt_is_over_after_a_week(store: Store) -> None:
    store.answers.keep(receipt())
    store.clock.advance(days=6, hours=23)
    assert store.answers.find("receipt-1") is not None
    store.clock.advance(hours=1)

    assert store.answers.find("receipt-1") is None


def test_to_keep_one_again_changes_nothing(store: Store) -> None:
    store.answers.keep(receipt())
    store.clock.advance(hours=1)
    store.answers.keep(receipt(returned=7))

    assert store.answers.find("receipt-1") == receipt()


def test_it_is_one_request_and_an_item_that_ttl_removes(table: Store) -> None:
    table.watched.requests.clear()
    table.answers.keep(receipt())

    (item,) = table.partition("answer#receipt-1")
    assert table.watched.operations() == ["PutItem"]
    assert item["expires_at"] == {"N": str(int(table.clock().timestamp()) + 7 * 86_400)}


def test_as_many_candidates_are_kept_as_there_is_room_for_the_best_first(
    table: Store,
) -> None:
    whole = receipt(200)

    table.answers.keep(whole)

    found = table.answers.find("receipt-1")
    assert found is not None
    kept = len(found.explained)
    assert 30 < kept < 200
    assert found == replace(whole, explained=whole.explained[:kept])
    assert size_of(table.partition("answer#receipt-1")[0]) <= MAX_ITEM_BYTES


def test_where_the_question_is_too_long_it_is_cut_and_the_rest_stays(table: Store) -> None:
    scopes = [noise(256, number) for number in range(50)]
    asked = {"task_descriptor": noise(90_000), "tags": [noise(256)] * 100, "limit": 5}

    table.answers.keep(receipt(query=asked, trust={"max_sensitivity": "low", "scopes": scopes}))

    found = table.answers.find("receipt-1")
    assert found is not None
    assert found.query["limit"] == 5
    assert noise(90_000).startswith(found.query["task_descriptor"])
    assert found.trust["max_sensitivity"] == "low"
    assert found.considered == 200


@settings(max_examples=examples(20))
@given(
    st.dictionaries(
        st.sampled_from(["task_descriptor", "tags", "subject", "predicate", "thread_id"]),
        st.text(max_size=2_000) | st.lists(st.text(max_size=256), max_size=50),
    ),
    st.integers(0, 150),
)
def test_no_receipt_is_more_than_four_kilobytes(
    table: Store, query: dict[str, Any], explained: int
) -> None:
    kept = receipt(explained, id=str(uuid4()), query=query)

    table.answers.keep(kept)

    (item,) = table.partition(f"answer#{kept.id}")
    assert size_of(item) <= MAX_ITEM_BYTES
    assert table.answers.find(kept.id) is not None


@pytest.mark.parametrize("told", [b"", b"x", b"x\x9c\xab\xae\x05\x00\x01u\x00\xf9"], ids=str)
def test_a_damaged_receipt_is_no_absence(table: Store, told: bytes) -> None:
    table.answers.keep(receipt())
    (item,) = table.partition("answer#receipt-1")
    table.put({**item, "told": {"B": told}})

    with pytest.raises(CorruptItem):
        table.answers.find("receipt-1")


KEY = "5f" * 32


def test_the_tokens_of_writes_are_read_the_newest_first(store: Store) -> None:
    store.recent_writes.note(KEY, ["first"])
    store.clock.advance(seconds=1)
    store.recent_writes.note(KEY, ["second", "third"])

    assert store.recent_writes.read(KEY) == ("second", "third", "first")


def test_a_token_is_read_once_however_often_it_was_noted(store: Store) -> None:
    store.recent_writes.note(KEY, ["same"])
    store.recent_writes.note(KEY, ["same"])

    assert store.recent_writes.read(KEY) == ("same",)


def test_a_write_is_forgotten_after_a_minute(store: Store) -> None:
    store.recent_writes.note(KEY, ["early"])
    store.clock.advance(seconds=30)
    store.recent_writes.note(KEY, ["late"])
    store.clock.advance(seconds=30)

    assert store.recent_writes.read(KEY) == ("late",)


def test_another_key_reads_nothing_of_it(store: Store) -> None:
    store.recent_writes.note(KEY, ["own"])

    assert store.recent_writes.read("6f" * 32) == ()


def test_only_the_last_twenty_writes_are_read(store: Store) -> None:
    for number in range(3 * MAX_WRITES):
        store.recent_writes.note(KEY, [f"{number}"])

    newest = tuple(f"{number}" for number in reversed(range(2 * MAX_WRITES, 3 * MAX_WRITES)))
    assert store.recent_writes.read(KEY) == newest


def test_the_item_does_not_grow_with_the_writes(table: Store) -> None:
    lengths = []
    for number in range(5 * MAX_WRITES):
        table.recent_writes.note(KEY, [f"{number}"])
        (item,) = table.partition(f"tools#{KEY}")
        lengths.append(len(item["writes"]["L"]))

    assert max(lengths) == 2 * MAX_WRITES


def test_a_write_is_one_request_and_ttl_removes_the_item(table: Store) -> None:
    table.watched.requests.clear()
    table.recent_writes.note(KEY, ["token"])

    (item,) = table.partition(f"tools#{KEY}")
    assert table.watched.operations() == ["UpdateItem"]
    assert int(item["expires_at"]["N"]) == int(table.clock().timestamp()) + 61


def test_parallel_writes_all_stand(table: Store) -> None:
    numbers = [f"{number}" for number in range(MAX_WRITES)]

    at_once([partial(table.recent_writes.note, KEY, [each]) for each in numbers])

    assert set(table.recent_writes.read(KEY)) == set(numbers)


def key_of(table: Store, made: bytes) -> CursorKey:
    """The key as an environment knows it that would make this one."""
    return CursorKey(table.client, table.table, lambda: made)


def test_of_two_environments_that_begin_at_once_the_second_takes_the_key_of_the_first(
    table: Store,
) -> None:
    first, second = key_of(table, b"1" * 32), key_of(table, b"2" * 32)
    before_writes(table.client, first, "cursors")

    keys = second(), first(), key_of(table, b"3" * 32)()

    assert keys == (b"1" * 32,) * 3
