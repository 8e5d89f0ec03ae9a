"""The score of a skill or plan by the selector, and the record of uses that the score rests on.

The lower bound of a success rate says how good a skill is at least, by the uses that were counted.
The bound is the 10 % quantile of the Beta posterior of the success rate. The prior is Beta(1, 1):
before the first use, every rate is equally likely. A skill with 9 successes of 10 has a bound of
0.69, with 1 success of 1 of 0.32, without a use of 0.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, islice
from math import exp, lgamma, log

from membrane.domain.language.fields import Fraction, NotNegative, Timestamp
from membrane.domain.language.timestamps import NOT_GIVEN, seconds_of
from membrane.domain.records.payloads import CompetencePayload, Payload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.entries import terms_of
from membrane.domain.search.rendering import flat_words

MAX_TRIGGERS = 50
"""The triggers of a skill, and the operations of a plan, that are compared with a task."""

MAX_TRIGGER_CHARACTERS = 500
"""The characters of a signal or of a condition that are compared with a task."""

DOUBT = 0.5
"""A trigger counts as if half a word more were missing: two words that the task has tell more than
one."""


@dataclass(frozen=True, slots=True)
class Applicability:
    """How well a skill or plan fits."""

    value: float
    """From 0 to 1."""
    trigger: str = ""
    """The signal of the trigger that the task met best; empty where the task met none."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A trigger of a skill, or the intent of a plan."""

    signal: str
    conditions: str
    """Words that make the sign more certain, and that a task need not have."""


def applicability(payload: Payload, task: Mapping[int, float], similarity: float) -> Applicability:
    """The match of the best trigger with the task, or a higher similarity.

    `task` has weights by term (see `Question.terms`). `similarity` is the match of the whole record
    with the task.
    """
    best, trigger = 0.0, ""
    for sign in islice(_signs(payload), MAX_TRIGGERS):
        match = _match(sign, task)
        if match > best:
            best, trigger = match, sign.signal
    return Applicability(min(1.0, max(best, similarity)), trigger)


def _match(sign: _Sign, task: Mapping[int, float]) -> float:
    """The share of the sign's words that the task has, by the weights of the task's words.

    A word of the conditions counts where the task has the word, and else not.
    """
    signal = terms_of(sign.signal).keys()
    met = (signal | terms_of(sign.conditions).keys()) & task.keys()
    weight = sum(min(1.0, task[each]) for each in met)
    return weight / (len(signal | met) + DOUBT)


def _signs(payload: Payload) -> Iterator[_Sign]:
    match payload:
        case CompetencePayload(triggers=triggers):
            for each in triggers:
                values = each.conditions.values() if isinstance(each.conditions, dict) else ()
                yield _Sign(_cut(each.signal), _cut(flat_words([*values])))
        case PlanGraphPayload(intent=intent, nodes=nodes):
            yield _Sign(_cut(intent), " ".join(_cut(node.op) for node in nodes[:MAX_TRIGGERS]))
        case _:
            return


def _cut(text: str) -> str:
    return text[:MAX_TRIGGER_CHARACTERS]


LOWER = 0.1
"""The probability that the true success rate is below the bound."""

MAX_USES = 1_000
"""Of more uses, the bound is that of MAX_USES with the same rate; a bound rests on no more."""

_PRIOR = 1.0
_EXACT = 1e-12
_TINY = 1e-300


@lru_cache(maxsize=1 << 12)
def success_bound(successes: float, failures: float) -> float:
    """The success rate that is exceeded with a probability of 90 %.

    The counts may be fractions. The bound rises with every success and falls with every failure.
    """
    surplus = max(1.0, (successes + failures) / MAX_USES)
    return _quantile(_PRIOR + successes / surplus, _PRIOR + failures / surplus)


def _quantile(a: float, b: float) -> float:
    """Newton's method within a bracket, which a step outside halves."""
    low, high, rate = 0.0, 1.0, a / (a + b)
    while high - low > _EXACT:
        missing = _cumulative(rate, a, b) - LOWER
        low, high = (low, rate) if missing > 0 else (rate, high)
        step = missing / max(_density(rate, a, b), _TINY)
        if abs(step) < _EXACT:
            break
        rate -= step
        if not low < rate < high:
            rate = (low + high) / 2
    return rate


def _density(x: float, a: float, b: float) -> float:
    constant = lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(constant + (a - 1) * log(x) + (b - 1) * log(1 - x))


def _cumulative(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function (DLMF 8.17.22, and 8.17.4 above the mean)."""
    scale = _density(x, a, b) * x * (1 - x)
    if x < (a + 1) / (a + b + 2):
        return scale / (a * _fraction(x, a, b))
    return 1 - scale / (b * _fraction(1 - x, b, a))


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of DLMF 8.17.22, by the method of Lentz."""
    value = c = 1.0
    d = 0.0
    for step in count(1):
        term = _term(step, x, a, b)
        d = 1 / (1 + term * d)
        c = 1 + term / c
        value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return value


def _term(step: int, x: float, a: float, b: float) -> float:
    """The partial numerator of DLMF 8.17.23."""
    m, is_odd = divmod(step, 2)
    if is_odd:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))


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
    """The stated uses or the credited tasks, whichever are more: both may count the same."""
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
