"""Work on the next item while the result of the last is used."""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def one_ahead(work: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result]:
    """The result for each item, in order; work on the next one begins as a result is handed out.

    The work is done in one thread beside the caller's. Raises the exception of an item in its turn,
    and then begins no other. Whoever does not want all results closes the generator, which waits
    for the work that has begun.
    """
    if len(items) <= 1:
        yield from map(work, items)
        return
    # Functions that never have more than one item need not load the threads.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(work, items[0])
        for item in items[1:]:
            result = coming.result()
            coming = pool.submit(work, item)
            yield result
        yield coming.result()
