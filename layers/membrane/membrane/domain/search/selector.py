"""The selector's score of a skill or plan, part by part."""

from dataclasses import dataclass, replace

from membrane.domain.language.fields import Fraction
from membrane.domain.search.applicability import Applicability
from membrane.domain.search.success_bound import success_bound
from membrane.domain.search.track_record import TrackRecord, recency_of_use

BASE, SUCCESS, RECENCY = 0.5, 0.4, 0.1
"""What a perfect fit scores without any use, and what a perfect record of uses adds.

The parts multiply: a good record in other tasks must not put a skill before the skill for this
task. `tests/bench/selection.py` measures the choice.
"""


@dataclass(frozen=True, slots=True)
class SelectorParts:
    """The parts of a selector's score, each from 0 to 1."""

    applicability: Fraction
    """How well the skill or plan fits the task; without a task, the confidence of the record."""
    success: Fraction
    """The success rate that the record of uses proves: the 10 % quantile of the Beta posterior."""
    recency: Fraction
    """The recency of the last use, halved every 30 days."""

    @property
    def score(self) -> float:
        return self.applicability * (BASE + SUCCESS * self.success + RECENCY * self.recency)

    def score_with(self, name: str, value: float) -> float:
        """The score with a different value of the named part."""
        return replace(self, **{name: value}).score


@dataclass(frozen=True, slots=True)
class Contender:
    """A skill or plan with all that the selector weighs."""

    id: str
    created_at: str
    trigger: str
    """The signal that the task met best; may be empty."""
    track_record: TrackRecord
    parts: SelectorParts

    @classmethod
    def of(
        cls,
        record_id: str,
        created_at: str,
        fitting: Applicability,
        uses: TrackRecord,
        now_s: float,
    ) -> "Contender":
        parts = SelectorParts(
            fitting.value,
            success_bound(uses.successes, uses.failures),
            recency_of_use(uses.last_used_at, now_s),
        )
        return cls(record_id, created_at, fitting.trigger, uses, parts)

    @property
    def score(self) -> float:
        return self.parts.score

    def score_after(self, *, successes: int = 0, failures: int = 0) -> float:
        """The score just after further uses."""
        uses = self.track_record
        success = success_bound(uses.successes + successes, uses.failures + failures)
        return SelectorParts(self.parts.applicability, success, recency=1.0).score
