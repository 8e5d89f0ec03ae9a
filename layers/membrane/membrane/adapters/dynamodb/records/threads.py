"""The head of a thread with the next turn, and the transactions that advance the head."""

from collections.abc import Sequence

from membrane.domain.language.errors import TooLarge
from membrane.table import keys as table_keys
from membrane.table.items import Item, number, read_integer, size_of
from membrane.table.writes import MAX_TOGETHER, Write, lost_race
from membrane.usecases.ports.records import Turns

MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
"""Bytes of the items of one transaction (AWS, `TransactWriteItems`)."""

THREAD = "thread"
"""Sort key of the head of a thread."""

_FREE = "attribute_not_exists(pk)"
_SAME_TURN = "next_turn = :first"


def head_key(key: bytes) -> Item:
    return table_keys.head_key(key, THREAD)


def next_turn_in(head: Item | None) -> int:
    """The next turn, counted from 1."""
    return 1 if head is None else read_integer(head, "next_turn")


def advance_head(turns: Turns) -> Write:
    """Advance the thread's next turn past the turns; lost if a concurrent writer took the turns."""
    item = {**head_key(turns.key), "next_turn": number(turns.following)}
    if turns.first == 1:
        return Write("Put", lost_race, _FREE, item=item)
    return Write("Put", lost_race, _SAME_TURN, item=item, values={":first": number(turns.first)})


def split_transactions(puts: Sequence[Write], beside: Sequence[Write]) -> list[list[Write]]:
    """The transactions, in order, for puts of records and for the writes beside the puts.

    One transaction if all writes fit. Otherwise the writes beside the records come first: turns may
    then stay unused, but are never used twice. Raises TooLarge.
    """
    if sum(size_of(put.item) for put in puts) > MAX_TRANSACTION_BYTES:
        raise TooLarge("the messages are too large for one transaction; send fewer at once")
    together = [*puts, *beside]
    return [together] if len(together) <= MAX_TOGETHER else [[*beside], [*puts]]
