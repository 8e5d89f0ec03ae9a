"""The key that seals cursors, which all environments share."""

from membrane.adapters.dynamodb.access import CursorKey
from tests.worlds.faults import before_writes
from tests.worlds.stores import Store


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
