"""The entry of a record in the rank index, and the rank of the record in its decay class."""

from dataclasses import dataclass

from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.records.payloads import CompetencePayload, Payload, PlanGraphPayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import RANK_OF_ZERO, Anchor, rank_of

RANK_OF_RETRACTED = 10 * RANK_OF_ZERO
"""Below the rank of every faded record.

The index thus separates retracted records, which stay, from faded ones, which the sweep prunes.
"""

PERFORMANCE_DIGITS = 12
"""Decimals of a success rate in the index; DynamoDB refuses numbers too close to 0."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry of the rank index."""

    record_id: str
    anchor: Anchor
    deletion_policy: DeletionPolicy
    confidence: float
    performance: float | None


def rank_in_class(stored: StoredRecord) -> float:
    if is_retracted(stored.record.payload):
        return RANK_OF_RETRACTED
    return rank_of(stored.anchor, stored.record.lifecycle)


def performance_of(payload: Payload) -> float | None:
    """The success rate of a skill, or the executions of a plan; None if not recorded."""
    match payload:
        case CompetencePayload(performance=performance) if performance is not None:
            return round(performance.success_rate, PERFORMANCE_DIGITS)
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            return metrics.execution_count
        case _:
            return None
