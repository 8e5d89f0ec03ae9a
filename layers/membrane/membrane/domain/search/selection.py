"""Select a skill or plan: a score for each candidate, and the confidence of the choice."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from membrane.domain.language.fields import Fraction
from membrane.domain.language.timestamps import NOT_GIVEN, seconds_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import CompetencePayload, Payload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord

SELECTABLE = frozenset({MemoryType.COMPETENCE, MemoryType.PLAN_GRAPH})

CLEAR = 0.7
"""A selection of less confidence has `needs_more`."""

RECENCY_HALF_LIFE_S = 30 * 86_400
UNKNOWN = 0.5
"""The success or recency of a record without figures."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidate skills and plans, the best first, and the lead of the best."""

    selected: Annotated[tuple[str, ...], Field(min_length=1)]
    """The ids of the skills and plans, the best first."""
    confidence: Fraction
    """How far the best stands out, from 0 to 1."""
    needs_more: bool
    """Whether the confidence is too low for a choice."""
    scores: dict[str, Fraction]
    """The score of each skill and plan, by id."""


def selection_of(candidates: Iterable[MemoryRecord], now_s: float) -> Selection | None:
    scored = {
        record.id: (selector_score(record, now_s), record.created_at.removesuffix("Z"))
        for record in candidates
        if record.type in SELECTABLE
    }
    if not scored:
        return None
    newest_first = sorted(sorted(scored), key=lambda each: scored[each][1], reverse=True)
    best_first = sorted(newest_first, key=lambda each: scored[each][0], reverse=True)
    scores = {record_id: scored[record_id][0] for record_id in best_first}
    confidence = _confidence(tuple(scores.values()))
    return Selection(tuple(best_first), confidence, confidence < CLEAR, scores)


def selector_score(record: MemoryRecord, now_s: float) -> float:
    """From 0 to 1: the mean of confidence, success so far, and recency of reinforcement."""
    recency = _recency(record.lifecycle.last_reinforced_at, now_s)
    return (record.confidence + _success(record.payload) + recency) / 3


def _success(payload: Payload) -> float:
    match payload:
        case CompetencePayload(performance=performance) if performance is not None:
            uses = performance.success_count + performance.failure_count
            return performance.success_count / uses if uses else UNKNOWN
        case PlanGraphPayload(metrics=metrics) if metrics is not None and metrics.execution_count:
            return 1 - metrics.failure_rate
        case _:
            return UNKNOWN


def _recency(reinforced_at: str, now_s: float) -> float:
    if reinforced_at == NOT_GIVEN:
        return UNKNOWN
    age_s = max(0.0, now_s - seconds_of(reinforced_at))
    return float(0.5 ** (age_s / RECENCY_HALF_LIFE_S))


def _confidence(best_first: tuple[float, ...]) -> float:
    """The score of a single candidate; of several, the lead over the second as a share."""
    if len(best_first) == 1:
        return min(best_first[0], 1.0)
    best, second = best_first[:2]
    return (best - second) / best if best > 0 else 0.0
