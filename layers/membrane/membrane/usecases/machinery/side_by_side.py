"""Call a function for several items at once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from membrane.usecases.ports.services import MAX_WORKERS

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """The result for each item, in order; MAX_WORKERS threads at most, none for a single item.

    Raises the exception of the first item that fails.
    """
    if len(items) <= 1:
        return [work(item) for item in items]
    # Functions that never have more than one item need not load the threads.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(min(len(items), MAX_WORKERS)) as pool:
        return list(pool.map(work, items))
