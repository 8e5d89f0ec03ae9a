"""How long a record can be restored, and how long tombstones and retracted records stay."""

from datetime import timedelta
from typing import NamedTuple

from membrane.domain.language.vocabulary import MemoryType

RETRACTED_PERIOD = timedelta(days=365)


class Retention(NamedTuple):
    """The periods that an operator may set."""

    restore: timedelta = timedelta(days=30)
    """A deleted record can be restored; its tombstone keeps the document."""
    tombstone: timedelta = timedelta(days=400)
    """The tombstone itself stays, with the audit trail."""
    episodic_tombstone: timedelta = timedelta(days=90)
    retracted: timedelta = RETRACTED_PERIOD
    """A retracted record stays before the sweep prunes it."""

    def tombstone_of(self, memory_type: MemoryType) -> timedelta:
        is_episode = memory_type is MemoryType.EPISODIC
        return self.episodic_tombstone if is_episode else self.tombstone
