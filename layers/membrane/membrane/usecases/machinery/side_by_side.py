"""Work on many items: in threads, within the time; a damaged item of a batch fails alone."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, TypeVar

from membrane.usecases.machinery.calls import TRANSIENT
from membrane.usecases.ports.surroundings import MAX_WORKERS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


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
    ids: Sequence[str],
    load_all: Callable[[Sequence[str]], Mapping[str, Loaded]],
    load: Callable[[str], Loaded | None],
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    """The items found, and the failure of each damaged item, by id; raises TRANSIENT errors."""
    try:
        return load_all(ids), {}
    except TRANSIENT:
        raise
    except Exception:  # noqa: BLE001, S110 - raised again below, for the damaged item
        pass
    found: dict[str, Loaded] = {}
    damaged: dict[str, Exception] = {}
    for each in ids:
        try:
            loaded = load(each)
        except TRANSIENT:
            raise
        except Exception as error:  # noqa: BLE001 - one damaged item must not keep back the others
            damaged[each] = error
        else:
            if loaded is not None:
                found[each] = loaded
    return found, damaged
