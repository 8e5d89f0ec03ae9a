"""Learn from waiting traces: each is counted in a skill, founds a skill with others, or is alone.

A trace is used once: the transaction that writes the skill ends the waiting of its traces. A killed
run leaves the other traces waiting for the next run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.made_records import (
    ended_at,
    evidence_in,
    grown_version,
    learned_trace,
    new_plan_record,
    new_skill_record,
    unmatched_trace,
)
from membrane.domain.learning.plans import new_plan, updated_plan
from membrane.domain.learning.skills import Evidence, new_skill, updated_skill
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidating_call import making_for
from membrane.usecases.learning.find_matches import (
    Known,
    is_in_use,
    skill_of,
    unlearned_among,
)
from membrane.usecases.learning.write_stated_facts import write_stated_facts
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import Change, IdTaken, LostRace
from membrane.usecases.ports.services import Services

MAX_TOGETHER = 20
"""Traces that a transaction counts in a skill: each takes up to four of its hundred writes."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a run has made of the waiting traces: ids of records."""

    skills: Sequence[str] = ()
    """New skills."""
    plans: Sequence[str] = ()
    """New plans."""
    grown: Sequence[str] = ()
    """Skills with further evidence."""
    unmatched: Sequence[str] = ()
    """Traces that match nothing so far."""
    facts: Sequence[str] = ()
    """Facts that the traces state, created or reinforced."""


@dataclass(slots=True)
class Learning:
    """The traces of one scope in a run, and what was made of them."""

    known: Known
    services: Services
    skills: list[str] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    uses: dict[str, list[str]] = field(default_factory=dict)
    """By skill, the traces to count in the skill."""
    unlearned: dict[str, StoredRecord] = field(default_factory=dict)
    """By id, the traces that no skill was learned from and that may found one."""
    unmatched: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def state_facts(self, traces: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
        """Write the facts that the traces state; the traces as stored afterwards."""
        facts = write_stated_facts(traces, self.services)
        if not facts:
            return traces
        self.facts.extend(facts)
        ids = [each.id for each in traces]
        self.known.forget(ids)
        held = self.known.load(ids)
        if len(held) < len(ids):
            raise LostRace
        return [held[each] for each in ids]


def learn_from_traces(
    trace_ids: Sequence[str],
    services: Services,
    is_out_of_time: IsOutOfTime = never,
    *,
    is_complete: bool = True,
) -> Learned:
    """Learn from waiting traces of one scope, the earliest ended first.

    With `is_complete` the ids are all waiting traces of the scope: like traces found skills, and a
    trace that matches nothing waits no longer, for later traces find it. Otherwise the traces that
    are no uses of known skills go on waiting. Raises Aborted; ScopeFenced; the errors of the
    store.
    """
    run = Learning(Known(services), services)
    loaded = run.known.load(trace_ids).values()
    waiting = sorted((each for each in loaded if _waits(each)), key=_end_of)
    for each in waiting:
        run.known.offer(each)
    for each in waiting:
        if is_out_of_time():
            break
        _place(each, run)
    if is_complete:
        _found_skills(run, is_out_of_time)
    for skill_id, uses in run.uses.items():
        for start in range(0, len(uses), MAX_TOGETHER):
            _count_uses(skill_id, uses[start : start + MAX_TOGETHER], run)
    if is_complete:
        _end_waiting(run)
    return Learned(run.skills, run.plans, run.grown, run.unmatched, run.facts)


def _place(trace: StoredRecord, run: Learning) -> None:
    """Note the skill that the trace is a use of, or the unlearned traces that may be alike."""
    candidates = run.known.candidates(trace)
    skill = skill_of(trace, candidates)
    if skill is None:
        run.unmatched.append(trace.id)
        run.unlearned |= {each.id: each for each in (trace, *unlearned_among(candidates))}
    elif is_in_use(skill):
        run.uses.setdefault(skill.id, []).append(trace.id)
    else:
        run.unmatched.append(trace.id)  # a caller has dismissed the skill


def _found_skills(run: Learning, is_out_of_time: IsOutOfTime) -> None:
    """Found a skill of every group of like traces, of one sensitivity first, then of all."""
    levels = {each.sensitivity for each in run.unlearned.values()}
    several = [[level] for level in sorted(levels, key=lambda each: each.level)]
    for some in [*several, [*levels]] if len(levels) > 1 else several:
        pool = [each for each in run.unlearned.values() if each.sensitivity in some]
        for group in groups_of([_evidence(each) for each in pool]):
            if is_out_of_time():
                return
            ids = [each.record_id for each in group]
            if new_skill(group) is not None:
                until_won(partial(_found_skill, ids, run), run.services)


def _found_skill(trace_ids: Sequence[str], run: Learning) -> None:
    """Write a skill of like traces; nothing if other runs leave too few of the traces.

    One transaction writes the skill, its plan, and MAX_TOGETHER of the traces, which wait no
    longer. Further traces are uses of the skill.
    """
    held = run.known.load(trace_ids).values()
    unlearned = sorted(unlearned_among(held), key=_end_of)
    group, further = unlearned[:MAX_TOGETHER], unlearned[MAX_TOGETHER:]
    skill = new_skill([_evidence(each) for each in group])
    if skill is not None:
        skill_id = _write_skill(skill, group, run)
        run.uses.setdefault(skill_id, []).extend(each.id for each in further)
    used = {each.id for each in unlearned} if skill is not None else set[str]()
    run.unmatched = [each for each in run.unmatched if each not in used]
    for each in used:
        run.unlearned.pop(each, None)


def _write_skill(skill: CompetencePayload, group: Sequence[StoredRecord], run: Learning) -> str:
    services = run.services
    group = run.state_facts(group)
    skill_id = id_within(group[0].id, "skill")
    new = new_skill_record(skill, group, making_for(skill_id, services), services.policy)
    planned = new_plan([_evidence(each) for each in group])
    plans = list[StoredRecord]()
    if planned is not None:
        making = making_for(_plan_id(skill_id), services)
        plans.append(new_plan_record(planned, group, making, services.policy))
    plan_id = plans[0].id if plans else None
    changed = _counted_versions(group, skill_id, plan_id, services)
    try:
        services.records.create(new, also=plans, changed=changed)
    except IdTaken:
        raise LostRace from None  # another run has founded the skill: read again
    finally:
        run.known.forget([each.id for each in group])
    run.skills.append(skill_id)
    run.plans.extend(each.id for each in plans)
    return skill_id


def _count_uses(skill_id: str, trace_ids: Sequence[str], run: Learning) -> None:
    """Count the traces in the skill and its plan, in one transaction."""

    def attempt() -> None:
        ids = [skill_id, _plan_id(skill_id), *trace_ids]
        held = run.known.load(ids)
        skill, plan = held.get(skill_id), held.get(_plan_id(skill_id))
        if plan is not None and not is_in_use(plan):
            plan = None
        uses = unlearned_among(held[each] for each in trace_ids if each in held)
        if skill is None or not is_in_use(skill) or not uses:
            return  # deleted meanwhile: the traces wait for the next run
        uses = [*run.state_facts(uses)]
        changed = _grown_versions(skill, plan, uses, run.services)
        plan_id = None if plan is None else plan.id
        changed += _counted_versions(uses, skill_id, plan_id, run.services)
        try:
            run.services.records.replace_all(changed)
        finally:
            run.known.forget(ids)
        run.grown.append(skill_id)

    until_won(attempt, run.services)


def _grown_versions(
    skill: StoredRecord,
    plan: StoredRecord | None,
    uses: Sequence[StoredRecord],
    services: Services,
) -> list[Change]:
    changed = list[Change]()
    for held in (skill, plan):
        if held is None:
            continue
        before = after = held.record.payload
        for each in uses:
            if isinstance(after, CompetencePayload):
                after = updated_skill(after, _evidence(each))
            elif isinstance(after, PlanGraphPayload):
                after = updated_plan(after, _evidence(each))
        if isinstance(after, (CompetencePayload, PlanGraphPayload)):
            rates = (_rate(before), _rate(after))
            making = making_for(held.id, services)
            grown = grown_version(held, after, uses, making, services.policy, rates=rates)
            changed.append((held, grown))
    return changed


def _counted_versions(
    traces: Sequence[StoredRecord], skill_id: str, plan_id: str | None, services: Services
) -> list[Change]:
    return [
        (
            each,
            learned_trace(each, skill_id, plan_id, making_for(each.id, services), services.policy),
        )
        for each in traces
    ]


def _end_waiting(run: Learning) -> None:
    """Let the traces that match nothing wait no longer, several in a transaction."""
    left = run.unmatched
    for start in range(0, len(left), MAX_TOGETHER):
        some = left[start : start + MAX_TOGETHER]

        def attempt(some: Sequence[str] = some) -> None:
            held = run.known.load(some)
            waiting = [held[each] for each in some if each in held and _waits(held[each])]
            waiting = [stated for each in waiting for stated in run.state_facts([each])]
            changed = [
                (each, unmatched_trace(each, making_for(each.id, run.services))) for each in waiting
            ]
            if changed:
                try:
                    run.services.records.replace_all(changed)
                finally:
                    run.known.forget(some)

        until_won(attempt, run.services)


def _evidence(trace: StoredRecord) -> Evidence:
    evidence = evidence_in(trace)
    if evidence is None:
        raise TypeError("only traces are evidence of skills")
    return evidence


def _rate(payload: object) -> float:
    match payload:
        case CompetencePayload(performance=performance) if performance is not None:
            return performance.success_rate
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            return 1 - metrics.failure_rate
        case _:
            return 0.5


def _waits(trace: StoredRecord) -> bool:
    return trace.tombstone is None and trace.learning.awaits is Stage.TRACE


def _plan_id(skill_id: str) -> str:
    return id_within(skill_id, "plan")


def _end_of(trace: StoredRecord) -> tuple[str, str]:
    payload = trace.record.payload
    end = ended_at(payload) if isinstance(payload, EpisodicPayload) else trace.record.created_at
    return end.removesuffix("Z"), trace.id
