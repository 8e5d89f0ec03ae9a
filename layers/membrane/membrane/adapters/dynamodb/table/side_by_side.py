"""Several requests at once, where there are several."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from membrane.usecases.ports.services import MAX_WORKERS

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def side_by_side(ask: Callable[[Asked], Answer], several: Sequence[Asked]) -> Iterable[Answer]:
    """What each is answered, in order; threads are for more than one."""
    if len(several) <= 1:
        return map(ask, several)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(several), MAX_WORKERS)) as pool:
        return list(pool.map(ask, several))
