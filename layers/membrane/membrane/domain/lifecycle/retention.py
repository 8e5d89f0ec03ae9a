"""The retention periods: for a restore, of tombstones and of retracted records."""

from datetime import timedelta
from typing import NamedTuple

from membrane.domain.language.vocabulary import MemoryType

RETRACTED_PERIOD = timedelta(days=365)


class Retention(NamedTuple):
    """The periods that an operator may set."""

    restore: timedelta = timedelta(days=30)
    """The time in which a deleted record keeps its document and can be restored."""
    tombstone: timedelta = timedelta(days=400)
    """The time from the deletion until the TTL removes tombstone and audit trail."""
    episodic_tombstone: timedelta = timedelta(days=45)
    """The same period for episodes: longer than 14 days, the most that a queue keeps a message."""
    retracted: timedelta = RETRACTED_PERIOD
    """The time from a retraction until the sweep may prune the record."""
    export: timedelta = timedelta(days=7)
    """The time for which an export and its file are kept."""

    def tombstone_of(self, memory_type: MemoryType) -> timedelta:
        is_episode = memory_type is MemoryType.EPISODIC
        return self.episodic_tombstone if is_episode else self.tombstone
