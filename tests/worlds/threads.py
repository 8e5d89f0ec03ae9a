"""Callers in threads of their own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Outcome = TypeVar("Outcome")


def at_once(acts: Sequence[Callable[[], Outcome]]) -> list[Outcome]:
    """The results of all acts, begun at the same instant, each in a thread of its own."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Outcome]) -> Outcome:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))
