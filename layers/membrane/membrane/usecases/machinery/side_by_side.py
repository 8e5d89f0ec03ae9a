"""Requests side by side: parts of a read, undamaged records, the newest of several keys."""

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextvars import Context, copy_context
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from membrane.usecases.machinery.calls import TRANSIENT
from membrane.usecases.ports.surroundings import MAX_WORKERS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from membrane.adapters.dynamodb.indexes.orders import DynamoNatural

IsOutOfTime = Callable[[], bool]

Item = TypeVar("Item")
Result = TypeVar("Result")


class OutOfTime(Exception):
    """A run ended before an item's turn came; nothing of the item was done."""


def never() -> bool:
    return False


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """The result for each item, in order; at most MAX_WORKERS threads, none for a single item.

    Raises the exception of the first item that fails.
    """
    if len(items) <= 1:
        return [work(item) for item in items]
    with threads(min(len(items), MAX_WORKERS)) as pool:
        return list(pool.map(work, items))


def one_ahead(work: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result]:
    """The result for each item, in order; work on the next item starts before a result is yielded.

    A single thread works beside the caller. The exception of an item is raised in order and ends
    the work.
    A caller that needs no further results closes the generator, which waits for the running item.
    """
    if len(items) <= 1:
        yield from map(work, items)
        return
    with threads(1) as pool:
        coming = pool.submit(work, items[0])
        for item in items[1:]:
            result = coming.result()
            coming = pool.submit(work, item)
            yield result
        yield coming.result()


def threads(number: int) -> "ThreadPoolExecutor":
    """Threads with the caller's context variables: their log lines name the caller's request."""
    # Functions that never have more than one item need not load the threads.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(number, initializer=_take_over, initargs=(copy_context(),))


def _take_over(context: Context) -> None:
    for variable, value in context.items():
        variable.set(value)


Loaded = TypeVar("Loaded")


def load_undamaged(
    ids: Sequence[str], load_all: Callable[[Sequence[str]], Mapping[str, Loaded]]
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    """The items found, and the failure of each damaged item, by id; raises TRANSIENT errors.

    Each half of the ids of a batch with a damaged item is loaded by itself.
    """
    try:
        return load_all(ids), {}
    except TRANSIENT:
        raise
    except Exception as error:  # noqa: BLE001 - one damaged item must not keep back the others
        if len(ids) <= 1:
            return {}, dict.fromkeys(ids, error)
    half = len(ids) // 2
    (found, damaged), (more, also) = (
        load_undamaged(each, load_all) for each in (ids[:half], ids[half:])
    )
    return {**found, **more}, {**damaged, **also}


PAGE = 50
"""Entries per request and key."""

Place = tuple[float, str]
"""The negated instant of an entry in seconds since 1970, and the id; sorts the newest first."""

Key = TypeVar("Key")

Newest = Callable[[Key, int, float | None], Sequence[tuple[str, float]]]
"""Ids and instants of at most so many entries of a key, up to an instant, the newest first."""


def newest_first(
    keys: Sequence[bytes], natural: "DynamoNatural", after: Place | None = None
) -> Iterator[Place]:
    """Every record of the natural keys after the place, the newest first."""
    return places_newest_first(keys, natural.newest, after, PAGE)


def places_newest_first(
    keys: Sequence[Key], newest: Newest[Key], after: Place | None, page_size: int
) -> Iterator[Place]:
    """Every entry of the keys after the place, the newest first."""
    before_s = None if after is None else -after[0]
    firsts = side_by_side(lambda key: newest(key, page_size, before_s), keys)
    several = (
        _pages_of(key, newest, first, page_size) for key, first in zip(keys, firsts, strict=True)
    )
    return (place for place in merge(*several) if after is None or place > after)


def _pages_of(
    key: Key, newest: Newest[Key], page: Sequence[tuple[str, float]], page_size: int
) -> Iterator[Place]:
    seen: set[str] = set()
    while page:
        fresh = [(-instant_s, each) for each, instant_s in page if each not in seen]
        yield from sorted(fresh)
        seen.update(map(itemgetter(1), fresh))
        if len(page) < page_size:
            return
        last_s = page[-1][1]
        before_s = last_s if fresh else math.nextafter(last_s, -math.inf)
        page = newest(key, page_size, before_s)
