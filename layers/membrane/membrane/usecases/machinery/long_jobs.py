"""Time that a long job has."""

from collections.abc import Callable

IsOutOfTime = Callable[[], bool]


class OutOfTime(Exception):
    """A run ended before an item's turn came; nothing of the item was done."""


def never() -> bool:
    return False
