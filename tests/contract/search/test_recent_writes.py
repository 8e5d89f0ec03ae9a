"""The recent tool writes of a key: kept for a minute, the last twenty, in one item."""

from functools import partial

from membrane.adapters.dynamodb.access.recent_writes import MAX_WRITES
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

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
