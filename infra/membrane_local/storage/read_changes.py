"""Forgets the changes in a table's stream that every reader has read, and erased content first."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from membrane_local.memory.database import Database


@dataclass(slots=True)
class ReadChanges:
    """How far the readers of a table's stream have read."""

    database: Database
    table: str
    ends: dict[str, int] = field(default_factory=dict)
    """By reader, the number of the last change that was read."""
    first_given_up: int | None = None
    """The number of the first change that a dead letter names, for a redrive."""
    watchers: list[Callable[[], object]] = field(default_factory=list)
    """Called at every erasure."""
    erasures: int = 0
    has_erased: bool = field(init=False)
    """Whether unread changes, or the log of the file, may hold erased content."""
    lock: Lock = field(default_factory=Lock)
    """Held for a change of `has_erased`."""

    def __post_init__(self) -> None:
        self.has_erased = self.database.has_erasure()

    def trim(self) -> None:
        """Forget the changes that every reader has read, and that no dead letter names."""
        erasures, has_erased = self.erasures, self.has_erased
        before = min(self.ends.values()) + 1
        if self.first_given_up is not None and not has_erased:
            before = min(before, self.first_given_up)
        left = self.database.trim(self.table, before)
        if has_erased and not left:
            with self.lock:
                if self.erasures == erasures and self.database.forget_erasures():
                    self.has_erased = False

    def note_erasure(self) -> None:
        """Keep no change for a dead letter until all changes up to now are read."""
        with self.lock:
            self.erasures += 1
            self.has_erased = True
            self.database.note_erasure()
        for tell in self.watchers:
            tell()
