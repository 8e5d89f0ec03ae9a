"""The rank of a record in its decay class, and the instant from which a sweep may prune it."""

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from membrane.domain.language.timestamps import seconds_of
from membrane.domain.language.vocabulary import DeletionPolicy, MemoryType
from membrane.domain.records.evidence import is_counted_trace
from membrane.domain.records.payloads import CompetencePayload, Payload, PlanGraphPayload
from membrane.domain.records.standing import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience import function

RANK_OF_RETRACTED = 10 * function.RANK_OF_ZERO
"""Below the rank of every faded record.

The index thus separates retracted records, which stay, from faded ones, which the sweep prunes.
"""

PERFORMANCE_DIGITS = 12
"""Decimals of a success rate in the index; DynamoDB refuses numbers too close to 0."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry of the rank index."""

    record_id: str
    anchor: function.Anchor
    deletion_policy: DeletionPolicy
    confidence: float
    performance: float | None


def rank_in_class(stored: StoredRecord) -> float:
    if is_retracted(stored.record.payload):
        return RANK_OF_RETRACTED
    return function.rank_of(stored.anchor, stored.record.lifecycle)


def performance_of(payload: Payload) -> float | None:
    """The success rate of a skill, or the executions of a plan; None if not recorded."""
    match payload:
        case CompetencePayload(performance=performance) if performance is not None:
            return round(performance.success_rate, PERFORMANCE_DIGITS)
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            return metrics.execution_count
        case _:
            return None


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
    curves: function.Curves,
    threshold: float = function.PRUNE_THRESHOLD,
    retracted: timedelta = RETRACTED_PERIOD,
) -> float | None:
    """The instant from which the sweep may prune the record; None for never.

    A retracted record is pruned after the period `retracted`, regardless of pin and profile.
    """
    if not is_retracted(stored.record.payload):
        return function.prunable_at(stored.anchor, stored.record.lifecycle, curves, threshold)
    if stored.record.lifecycle.deletion_policy is not DeletionPolicy.AUTO_PRUNE:
        return None
    since = state_of(stored.record.payload).since
    since_s = stored.anchor.at_s if since is None else seconds_of(since)
    return since_s + retracted.total_seconds()


def due_of(
    stored: StoredRecord,
    curves: function.Curves,
    threshold: float = function.PRUNE_THRESHOLD,
    retracted: timedelta = RETRACTED_PERIOD,
) -> int | None:
    """The first whole second at which the sweep may prune the record; None for never."""
    instant = prunable_from(stored, curves, threshold, retracted)
    return None if instant is None else math.ceil(instant)


def vector_due_of(
    stored: StoredRecord, curves: function.Curves, threshold: float = function.PRUNE_THRESHOLD
) -> int | None:
    """The due second of a record that search finds, after which TTL may end the vector.

    None for a trace of a skill: the trace lives on as long as the skill does, and the sweep ends
    the vector with the trace.
    """
    return None if is_counted_trace(stored.record) else due_of(stored, curves, threshold)
