"""The periods that an operator may set, and the instant from which a sweep may prune a record."""

import math
from datetime import timedelta
from typing import NamedTuple

from membrane.domain.language.timestamps import seconds_of
from membrane.domain.language.vocabulary import DeletionPolicy, MemoryType
from membrane.domain.records.evidence import is_counted_trace
from membrane.domain.records.standing import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import PRUNE_THRESHOLD, Curves, prunable_at

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


def prunable_from(
    stored: StoredRecord,
    curves: Curves,
    threshold: float = PRUNE_THRESHOLD,
    retracted: timedelta = RETRACTED_PERIOD,
) -> float | None:
    """The instant from which the sweep may prune the record; None for never.

    A retracted record is pruned after the period `retracted`, regardless of pin and profile.
    """
    if not is_retracted(stored.record.payload):
        return prunable_at(stored.anchor, stored.record.lifecycle, curves, threshold)
    if stored.record.lifecycle.deletion_policy is not DeletionPolicy.AUTO_PRUNE:
        return None
    since = state_of(stored.record.payload).since
    since_s = stored.anchor.at_s if since is None else seconds_of(since)
    return since_s + retracted.total_seconds()


def due_of(
    stored: StoredRecord,
    curves: Curves,
    threshold: float = PRUNE_THRESHOLD,
    retracted: timedelta = RETRACTED_PERIOD,
) -> int | None:
    """The first whole second at which the sweep may prune the record; None for never."""
    instant = prunable_from(stored, curves, threshold, retracted)
    return None if instant is None else math.ceil(instant)


def vector_due_of(
    stored: StoredRecord, curves: Curves, threshold: float = PRUNE_THRESHOLD
) -> int | None:
    """The due second of a record that search finds, after which TTL may end the vector.

    None for a trace of a skill: the trace lives on as long as the skill does, and the sweep ends
    the vector with the trace.
    """
    return None if is_counted_trace(stored.record) else due_of(stored, curves, threshold)
