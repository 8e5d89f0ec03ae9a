"""A skill or plan without some of its evidence: content learned again, counts reduced.

The content comes from the traces that are left. The counts also hold traces that have faded, so
they are those from before without the outcomes that were withdrawn. The counts inside a content
(uses of a step, successes that named a word) are brought to the same number of successes.
"""

from collections.abc import Sequence
from functools import reduce

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning import skills
from membrane.domain.learning.plans import metrics_of, new_plan, performance_of
from membrane.domain.learning.recipes import USES
from membrane.domain.records import payloads


def relearned_payload(
    payload: payloads.CompetencePayload | payloads.PlanGraphPayload,
    living: Sequence[skills.Evidence],
    withdrawn: Sequence[OutcomeStatus | None],
    *,
    is_complete: bool,
    is_shared: bool,
    erase: bool,
) -> payloads.CompetencePayload | payloads.PlanGraphPayload | None:
    """The skill or plan without the withdrawn evidence; None if it ends.

    `living` is the evidence that is left with its content, `withdrawn` has the known outcomes of
    the withdrawn evidence. With `is_complete` no counted evidence but the living is left. It ends
    with fewer than MIN_SUCCESSES counted; with `erase` also if the living evidence is too little to
    learn the content from, because the earlier content must not stay. With `is_shared`, of several
    scopes, it ends once the living successes are of one scope or share too little, because the
    earlier content would show what one scope has. A new name replaces the earlier name with
    `erase` or `is_shared`. The revision state stays.
    """
    if is_shared and not _can_be_shared(payload, living):
        return None
    renames = erase or is_shared
    match payload:
        case payloads.CompetencePayload():
            return _relearned_skill(payload, living, withdrawn, is_complete, renames=renames)
        case payloads.PlanGraphPayload():
            return _relearned_plan(payload, living, withdrawn, is_complete, renames=renames)


def _can_be_shared(
    payload: payloads.CompetencePayload | payloads.PlanGraphPayload,
    evidence: Sequence[skills.Evidence],
) -> bool:
    """Whether the evidence makes such a skill or plan of several scopes."""
    if not skills.are_of_several_scopes(evidence):
        return False
    match payload:
        case payloads.CompetencePayload():
            return skills.new_skill(evidence) is not None
        case payloads.PlanGraphPayload():
            return new_plan(evidence) is not None


def _relearned_skill(
    skill: payloads.CompetencePayload,
    living: Sequence[skills.Evidence],
    withdrawn: Sequence[OutcomeStatus | None],
    is_complete: bool,  # noqa: FBT001 - private
    *,
    renames: bool,
) -> payloads.CompetencePayload | None:
    before = skill.performance or payloads.PerformanceStats()
    performance = _performance(before, living, withdrawn, is_complete=is_complete)
    learned = skills.new_skill(living)
    if performance.success_count < skills.MIN_SUCCESSES or (learned is None and renames):
        return None
    if learned is None:
        return _with_counts(skill, before.success_count, performance)
    counted = (learned.performance or payloads.PerformanceStats()).success_count
    kept = {"revision": skill.revision} | ({} if renames else {"skill_name": skill.skill_name})
    return _with_counts(learned, counted, performance).model_copy(update=kept)


def _relearned_plan(
    plan: payloads.PlanGraphPayload,
    living: Sequence[skills.Evidence],
    withdrawn: Sequence[OutcomeStatus | None],
    is_complete: bool,  # noqa: FBT001 - private
    *,
    renames: bool,
) -> payloads.PlanGraphPayload | None:
    before = performance_of(plan.metrics or payloads.PlanMetrics())
    performance = _performance(before, living, withdrawn, is_complete=is_complete)
    learned = new_plan(living)
    if performance.success_count < skills.MIN_SUCCESSES or (learned is None and renames):
        return None
    content = plan if learned is None else learned
    kept: dict[str, object] = {"revision": plan.revision, "metrics": metrics_of(performance)}
    if not renames:
        kept["plan_id"] = plan.plan_id
    return content.model_copy(update=kept)


def _performance(
    before: payloads.PerformanceStats,
    living: Sequence[skills.Evidence],
    withdrawn: Sequence[OutcomeStatus | None],
    *,
    is_complete: bool,
) -> payloads.PerformanceStats:
    """The counts from before without the withdrawn outcomes, never below those of the living."""
    of_living = reduce(
        skills.performance_after, skills.in_order(living), payloads.PerformanceStats()
    )
    if is_complete:
        return of_living
    successes = before.success_count - withdrawn.count(OutcomeStatus.SUCCESS)
    failures = before.failure_count - withdrawn.count(OutcomeStatus.FAILURE)
    successes = max(successes, of_living.success_count)
    failures = max(failures, of_living.failure_count)
    shown = of_living if of_living.success_count else before
    return payloads.PerformanceStats(
        success_count=successes,
        failure_count=failures,
        success_rate=skills.success_rate(successes, failures),
        avg_latency_ms=shown.avg_latency_ms,
        last_used_at=shown.last_used_at,
    )


def _with_counts(
    skill: payloads.CompetencePayload, counted: int, performance: payloads.PerformanceStats
) -> payloads.CompetencePayload:
    """The skill whose content counts `counted` successes, brought to those of the performance."""
    changed: dict[str, object] = {"performance": performance}
    successes = performance.success_count
    if counted and successes != counted:
        changed["recipe"] = tuple(_with_uses(each, successes / counted) for each in skill.recipe)
        changed["triggers"] = tuple(_with_words(e, successes / counted) for e in skill.triggers)
    return skill.model_copy(update=changed)


def _with_uses(step: payloads.RecipeStep, factor: float) -> payloads.RecipeStep:
    schema = step.args_schema
    uses = schema.get(USES) if isinstance(schema, dict) else None
    if not isinstance(uses, int):
        return step
    return step.model_copy(update={"args_schema": {**schema, USES: _scaled_count(uses, factor)}})


def _with_words(trigger: payloads.Trigger, factor: float) -> payloads.Trigger:
    conditions = trigger.conditions if isinstance(trigger.conditions, dict) else {}
    words = conditions.get(skills.TASK_WORDS)
    if not isinstance(words, dict):
        return trigger
    counts = {
        word: _scaled_count(count, factor) if isinstance(count, int) else count
        for word, count in words.items()
    }
    return trigger.model_copy(update={"conditions": {**conditions, skills.TASK_WORDS: counts}})


def _scaled_count(count: int, factor: float) -> int:
    return max(1, round(count * factor))
