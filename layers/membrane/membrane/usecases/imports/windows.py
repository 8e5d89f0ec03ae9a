"""Cuts an import into windows: what is done between two checkpoints, and again after a kill."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from membrane.domain.records.idempotency import MAX_OPERATIONS

WINDOW_LINES = 500
WINDOW_BYTES = 8 * 1024 * 1024
WINDOW_CHANGES = MAX_OPERATIONS // 2
"""Of one record: a line that is done again must be among the operations that it remembers. The
other half is for other writers."""


class Read(Protocol):
    """A line that was read."""

    @property
    def end(self) -> int:
        """Bytes of the object up to the beginning of the next line."""

    @property
    def changes(self) -> str | None:
        """The record that it changes, by its id."""


Entry = TypeVar("Entry", bound=Read)


def windows(entries: Iterable[Entry], begin: int) -> Iterator[list[Entry]]:
    """The entries in their order; the first begins at that byte."""
    window: list[Entry] = []
    changes: Counter[str | None] = Counter()
    for entry in entries:
        window.append(entry)
        changes[entry.changes] += entry.changes is not None
        if (
            len(window) == WINDOW_LINES
            or entry.end - begin >= WINDOW_BYTES
            or changes[entry.changes] == WINDOW_CHANGES
        ):
            yield window
            window, begin = [], entry.end
            changes.clear()
    if window:
        yield window
