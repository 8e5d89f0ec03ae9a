"""The plan of a skill: the id, and a plan made later than the skill."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.learning.counted_traces import evidence_in, planned_trace
from membrane.domain.learning.learned_records import new_plan_record
from membrane.domain.learning.plans import later_plan, may_be_planned
from membrane.domain.learning.recipes import MAX_COMPARED
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidating_call import making_for
from membrane.usecases.learning.find_matches import Known, skills_of
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
    new = [*filter(None, map(evidence_in, uses))]
    if not may_be_planned(payload, new):
        return None
    named = [each.ref for each in skill.record.provenance.sources]
    read = min(room, MAX_COMPARED, len(named))
    held = known.load(named[len(named) - read :]).values()
    counted = [each for each in held if each.tombstone is None and skill.id in skills_of(each)]
    plan = later_plan(payload, [*filter(None, map(evidence_in, counted)), *new])
    if plan is None:
        return None
    plan_id = plan_id_of(skill.id)
    making = making_for(plan_id, world)
    record = new_plan_record(plan, [*counted, *uses], making, world.policy)
    linked = [(each, planned_trace(each, plan_id, making_for(each.id, world))) for each in counted]
    return LaterPlan(record, linked)
