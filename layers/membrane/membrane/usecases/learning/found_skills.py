"""Found skills: a skill, with a plan, of like traces that no known skill counts."""

from collections.abc import Iterator, Mapping, Sequence

from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.learned_records import new_plan_record, new_skill_record, scopes_of
from membrane.domain.learning.plans import new_plan
from membrane.domain.learning.skills import new_skill
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidating_call import making_for
from membrane.usecases.learning.count_uses import counted_versions
from membrane.usecases.learning.find_matches import skills_of
from membrane.usecases.learning.learning_run import (
    MAX_TOGETHER,
    Learning,
    by_end,
    evidence_of_trace,
)
from membrane.usecases.learning.skill_plans import plan_id_of
from membrane.usecases.ports.records import IdTaken, LostRace


def groups_to_found(unlearned: Mapping[str, StoredRecord]) -> Iterator[Sequence[str]]:
    """The ids of every group of like traces with enough successes for a skill.

    Groups of a single sensitivity come first, groups of the remaining traces last.
    """
    sensitivities = {each.sensitivity for each in unlearned.values()}
    levels = sorted(sensitivities, key=lambda each: each.level)
    several = [[level] for level in levels]
    for some in [*several, levels] if len(levels) > 1 else several:
        pool = [each for each in unlearned.values() if each.sensitivity in some]
        for group in groups_of([evidence_of_trace(each) for each in pool]):
            if new_skill(group) is not None:
                yield [each.record_id for each in group]


def found_skill(trace_ids: Sequence[str], run: Learning) -> None:
    """Write a skill of like traces of a scope; nothing if concurrent writes leave too few."""
    unlearned = _traces_to_learn_from(trace_ids, run)
    if len(scopes_of(unlearned)) == 1:
        _found_skill_of(unlearned, run)


def found_skill_across(trace_ids: Sequence[str], run: Learning) -> None:
    """Write an unscoped skill of like traces; nothing if a single party answers for the successes.

    A skill of the own scope, in use or dismissed by a caller, keeps a trace back: each trace was
    compared with its own scope before, and a trace that is kept back has no digests across.
    """
    unlearned = _traces_to_learn_from(trace_ids, run)
    open_traces = [each for each in unlearned if each.learning.lookups_across]
    successes = [each for each in open_traces[:MAX_TOGETHER] if evidence_of_trace(each).is_success]
    if len({evidence_of_trace(each).party for each in successes}) > 1:
        _found_skill_of(open_traces, run)


def _traces_to_learn_from(trace_ids: Sequence[str], run: Learning) -> list[StoredRecord]:
    """The traces without a skill as stored now, the earliest ended first."""
    held = run.known.load(trace_ids).values()
    return sorted(run.known.unlearned_among(held), key=by_end)


def _found_skill_of(traces: Sequence[StoredRecord], run: Learning) -> None:
    """Write the skill of the traces; nothing of too few successes.

    A transaction writes the skill, the plan, and MAX_TOGETHER of the traces, which wait no
    longer. Further traces are uses of the skill.
    """
    group, further = traces[:MAX_TOGETHER], traces[MAX_TOGETHER:]
    skill = new_skill([evidence_of_trace(each) for each in group])
    if skill is None:
        return
    skill_id = _write_skill(skill, group, run)
    run.uses.setdefault(skill_id, []).extend(each.id for each in further)
    used = {each.id for each in traces}
    run.unlike = [each for each in run.unlike if each not in used]
    for each in used:
        run.unlearned.pop(each, None)
        run.left_over.pop(each, None)


def _write_skill(skill: CompetencePayload, group: Sequence[StoredRecord], run: Learning) -> str:
    world = run.world
    group = run.state_facts(group)
    skill_id = _skill_id(group[0])
    new = new_skill_record(skill, group, making_for(skill_id, world), world.policy)
    planned = new_plan([evidence_of_trace(each) for each in group])
    plans = list[StoredRecord]()
    if planned is not None:
        making = making_for(plan_id_of(skill_id), world)
        plans.append(new_plan_record(planned, group, making, world.policy))
    plan_id = plans[0].id if plans else None
    changed = counted_versions(group, skill_id, plan_id, world)
    try:
        world.records.create(new, also=plans, changed=changed)
    except IdTaken:
        raise LostRace from None  # another run has founded the skill: read again
    finally:
        run.known.forget([each.id for each in group])
    run.skills.append(skill_id)
    run.plans.extend(each.id for each in plans)
    return skill_id


def _skill_id(first: StoredRecord) -> str:
    """The id of the skill that the trace founds: the same in two runs at once.

    A trace whose earlier skills ended for lack of evidence founds another skill.
    """
    return id_within(first.id, "skill", str(len(skills_of(first))))
