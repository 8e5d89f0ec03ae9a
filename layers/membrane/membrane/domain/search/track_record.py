"""The track record of a skill or plan: successes, failures and the last use."""

from dataclasses import dataclass

from membrane.domain.language.fields import NotNegative, Timestamp
from membrane.domain.language.timestamps import NOT_GIVEN, seconds_of
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord

RECENCY_HALF_LIFE_S = 30 * 86_400
UNKNOWN = 0.5
"""The recency of a record without a time of use and of reinforcement."""


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How a skill or plan has done so far."""

    successes: NotNegative
    """Successful uses; of a plan, the executions without the share that failed."""
    failures: NotNegative
    """Failed uses."""
    last_used_at: Timestamp | None
    """The last use or, where unknown, the last reinforcement; null where both are unknown."""


def track_record(record: MemoryRecord) -> TrackRecord:
    """The uses that the payload states, or the tasks that gave credit, whichever are more.

    Both may count the same tasks, so they are not added.
    """
    stated, useful = _stated_uses(record), record.usefulness
    if useful is None or useful.successes + useful.failures <= stated.successes + stated.failures:
        return stated
    return TrackRecord(useful.successes, useful.failures, useful.last_used_at)


def _stated_uses(record: MemoryRecord) -> TrackRecord:
    reinforced_at = _given_time(record.lifecycle.last_reinforced_at)
    match record.payload:
        case CompetencePayload(performance=performance) if performance is not None:
            successes, failures = performance.success_count, performance.failure_count
            used_at = _given_time(performance.last_used_at)
            return TrackRecord(successes, failures, used_at or reinforced_at)
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            failed = metrics.execution_count * metrics.failure_rate
            succeeded = metrics.execution_count - failed
            used_at = _given_time(metrics.last_executed_at)
            return TrackRecord(succeeded, failed, used_at or reinforced_at)
        case _:
            return TrackRecord(0, 0, reinforced_at)


def _given_time(timestamp: str | None) -> str | None:
    return None if timestamp == NOT_GIVEN else timestamp


def recency_of_use(last_used_at: str | None, now_s: float) -> float:
    """1 for a use now or in the future, half after RECENCY_HALF_LIFE_S."""
    if last_used_at is None:
        return UNKNOWN
    age_s = max(0.0, now_s - seconds_of(last_used_at))
    return float(0.5 ** (age_s / RECENCY_HALF_LIFE_S))
