"""Count traces as uses of a known skill and of the plan of the skill."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.learning import learned_records
from membrane.domain.learning.plans import later_plan, may_be_planned, updated_plan
from membrane.domain.learning.recipes import MAX_COMPARED
from membrane.domain.learning.skills import updated_skill
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.stored import StoredRecord, id_within
from membrane.table.items import IdTaken
from membrane.usecases.learning.find_matches import Known, is_in_use, making_for, skills_of
from membrane.usecases.learning.learning_run import MAX_TOGETHER, Learning, evidence_of_trace
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World


@dataclass(frozen=True, slots=True)
class LaterPlan:
    """A new plan of a known skill, to be written with the next version of the skill."""

    plan: StoredRecord
    linked: Sequence[Change]
    """The known traces that the plan is made of."""


def plan_id_of(skill_id: str) -> str:
    return id_within(skill_id, "plan")


def later_plan_of(
    skill: StoredRecord, uses: Sequence[StoredRecord], room: int, known: Known, world: World
) -> LaterPlan | None:
    """The plan of a skill that never had one, made of the uses and of known traces.

    At first, two traces may have the same values, which looks like a constant and no flow. The
    skill of several scopes gets no later plan: the plan could show the values of one scope. One
    BatchGetItem for the newest MAX_COMPARED of the traces that the skill names, `room` at most;
    none if no edge is in the uses.
    """
    payload = skill.record.payload
    if not isinstance(payload, CompetencePayload) or skill.learning.is_across:
        return None
    new = [*filter(None, map(learned_records.evidence_in, uses))]
    if not may_be_planned(payload, new):
        return None
    named = [each.ref for each in skill.record.provenance.sources]
    read = min(room, MAX_COMPARED, len(named))
    held = known.load(named[len(named) - read :]).values()
    counted = [each for each in held if each.tombstone is None and skill.id in skills_of(each)]
    plan = later_plan(payload, [*filter(None, map(learned_records.evidence_in, counted)), *new])
    if plan is None:
        return None
    plan_id = plan_id_of(skill.id)
    making = making_for(plan_id, world)
    record = learned_records.new_plan_record(plan, [*counted, *uses], making)
    linked = [
        (each, learned_records.planned_trace(each, plan_id, making_for(each.id, world)))
        for each in counted
    ]
    return LaterPlan(record, linked)


def count_uses(skill_id: str, trace_ids: Sequence[str], run: Learning) -> None:
    """Count the traces in the skill and the plan, in a transaction.

    A skill that never had a plan may get one; a plan that has ended stays ended.
    """
    plan_id = plan_id_of(skill_id)
    ids = [skill_id, plan_id, *trace_ids]
    held = run.known.load(ids)
    skill, plan = held.get(skill_id), held.get(plan_id)
    if plan is not None and not is_in_use(plan):
        plan = None
    uses = run.known.unlearned_among(held[each] for each in trace_ids if each in held)
    if skill is not None and not skill.learning.is_across:
        uses = [each for each in uses if each.scope == skill.scope]
    if skill is None or not is_in_use(skill) or not uses:
        return  # deleted or moved meanwhile: the traces wait for the next run
    later = None
    try:
        uses = [*run.state_facts(uses)]
        if plan_id not in run.known.held:
            room = MAX_TOGETHER - len(uses)
            later = later_plan_of(skill, uses, room, run.known, run.world)
        if later is None or not _write_later_plan(later, skill, uses, run):
            changed = _grown_versions(skill, plan, uses, run.world)
            known_id = None if plan is None else plan_id
            changed += counted_versions(uses, skill_id, known_id, run.world)
            run.world.records.replace_all(changed)
    finally:
        linked = [] if later is None else [before.id for before, _ in later.linked]
        run.known.forget([*ids, *linked])
    if skill_id not in run.done.grown:
        run.done.grown.append(skill_id)


def _write_later_plan(
    later: LaterPlan, skill: StoredRecord, uses: Sequence[StoredRecord], run: Learning
) -> bool:
    """Write the plan, the grown skill and the traces; False for a plan that the run cannot read.

    A plan of a concurrent run changed the skill, too: the caller's write loses, and reads again.
    """
    plan, world = later.plan, run.world
    changed = _grown_versions(skill, None, uses, world)
    changed += counted_versions(uses, skill.id, plan.id, world)
    try:
        world.records.create(plan, changed=[*changed, *later.linked])
    except IdTaken:
        return False
    run.done.plans.append(plan.id)
    return True


def _grown_versions(
    skill: StoredRecord, plan: StoredRecord | None, uses: Sequence[StoredRecord], world: World
) -> list[Change]:
    changed = list[Change]()
    is_shared = skill.learning.is_across
    for held in (skill, plan):
        if held is None:
            continue
        before = after = held.record.payload
        for each in uses:
            if isinstance(after, CompetencePayload):
                after = updated_skill(after, evidence_of_trace(each), is_shared=is_shared)
            elif isinstance(after, PlanGraphPayload):
                after = updated_plan(after, evidence_of_trace(each), is_shared=is_shared)
        if isinstance(after, (CompetencePayload, PlanGraphPayload)):
            rates = (_rate(before), _rate(after))
            making = making_for(held.id, world)
            grown = learned_records.grown_version(held, after, uses, making, rates=rates)
            changed.append((held, grown))
    return changed


def counted_versions(
    traces: Sequence[StoredRecord], skill_id: str, plan_id: str | None, world: World
) -> list[Change]:
    return [
        (each, learned_records.learned_trace(each, skill_id, plan_id, making_for(each.id, world)))
        for each in traces
    ]


def _rate(payload: object) -> float:
    match payload:
        case CompetencePayload(performance=performance) if performance is not None:
            return performance.success_rate
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            return 1 - metrics.failure_rate
        case _:
            return 0.5
