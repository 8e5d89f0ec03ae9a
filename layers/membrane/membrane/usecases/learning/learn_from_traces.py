"""Learn from waiting traces: count a trace in a skill, or found a skill from several.

A trace is used once: the transaction that writes the skill ends the waiting of the traces. A killed
run leaves the rest of the traces waiting for the next run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.learning.counted_traces import (
    ended_at,
    evidence_in,
    learned_trace,
    unmatched_trace,
)
from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.learned_records import (
    grown_version,
    new_plan_record,
    new_skill_record,
    scopes_of,
)
from membrane.domain.learning.likeness import Closeness, unknown
from membrane.domain.learning.plans import new_plan, updated_plan
from membrane.domain.learning.skills import Evidence, new_skill, updated_skill
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidating_call import making_for
from membrane.usecases.learning.find_matches import Known, is_in_use, skill_of, skills_of
from membrane.usecases.learning.isolated_work import result_alone
from membrane.usecases.learning.skill_plans import LaterPlan, later_plan_of, plan_id_of
from membrane.usecases.learning.write_stated_facts import write_stated_facts
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import Change, IdTaken, LostRace
from membrane.usecases.ports.services import Services

MAX_AT_ONCE = 200
"""Traces of a round; a backlog takes several rounds."""

MAX_TOGETHER = 20
"""Traces counted in a transaction: a trace takes up to four of the hundred writes."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a run, as ids of records."""

    skills: Sequence[str] = ()
    """New skills."""
    plans: Sequence[str] = ()
    """New plans."""
    grown: Sequence[str] = ()
    """Skills with further evidence."""
    unmatched: Sequence[str] = ()
    """Traces without a match."""
    facts: Sequence[str] = ()
    """Facts stated by the traces, created or reinforced."""
    failed: Sequence[Exception] = ()
    """Failures of single groups and skills, whose traces wait for the next run."""


@dataclass(slots=True)
class Learning:
    """The state of a run over the traces of a scope."""

    known: Known
    services: Services
    closeness: Closeness
    crosses_scopes: bool = False
    skills: list[str] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    uses: dict[str, list[str]] = field(default_factory=dict)
    """By skill, the traces to count in the skill."""
    unlearned: dict[str, StoredRecord] = field(default_factory=dict)
    """By id, the traces without a skill, candidates for founding a skill of the scope."""
    left_over: dict[str, StoredRecord] = field(default_factory=dict)
    """By id, traces of several scopes, candidates for founding a skill across scopes."""
    unlike: list[str] = field(default_factory=list)
    """The traces of the round without a skill."""
    unmatched: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)

    def state_facts(self, traces: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
        """Write the facts stated by the traces; return the traces as stored afterwards.

        The facts of a scope come from the traces of the scope alone.
        """
        facts = [
            fact
            for of_scope in _by_scope(traces)
            for fact in write_stated_facts(of_scope, self.services)
        ]
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
    closeness: Closeness = unknown,
    founds: bool = True,
    is_complete: bool = True,
    across: dict[bytes, list[str]] | None = None,
) -> Learned:
    """Learn from waiting traces of a scope, the earliest ended first.

    `founds`: like traces without a known skill found new skills. `is_complete`: a trace without a
    match waits no longer, and later traces find the trace through the index. Without
    `is_complete`, the trace goes on waiting, as do all traces without a decision when time is up.
    With `across`, traces without a match in the scope take part in unscoped skills; `across` has
    the traces of the scopes before by digest, because the index may lag, and gains those of this
    scope. A group or a skill with a failure is reported and left waiting. Raises the errors of the
    store.
    """
    known = Known(services) if across is None else Known(services, offered=across)
    run = Learning(known, services, closeness, crosses_scopes=across is not None)
    for start in range(0, len(trace_ids), MAX_AT_ONCE):
        if is_out_of_time():
            break
        loaded = run.known.load(trace_ids[start : start + MAX_AT_ONCE]).values()
        waiting = sorted((each for each in loaded if _waits(each)), key=_end_of)
        _learn_from(waiting, run, is_out_of_time, founds=founds, is_complete=is_complete)
    return Learned(run.skills, run.plans, run.grown, run.unmatched, run.facts, run.failed)


def _learn_from(
    waiting: Sequence[StoredRecord],
    run: Learning,
    is_out_of_time: IsOutOfTime,
    *,
    founds: bool,
    is_complete: bool,
) -> None:
    """Decide on the traces together; when time is up, the traces without a decision go on waiting.

    The waiting of a trace without a match ends last, after the decision on every group.
    """
    run.uses, run.unlearned, run.left_over, run.unlike = {}, {}, {}, []
    for each in waiting:
        run.known.offer(each)
    for work in _works(waiting, run, founds=founds, is_complete=is_complete):
        if is_out_of_time():
            return
        result_alone(partial(until_won, work, run.services), run.services, run.failed)
    run.unmatched.extend(run.unlike)


def _works(
    waiting: Sequence[StoredRecord], run: Learning, *, founds: bool, is_complete: bool
) -> Iterator[Callable[[], None]]:
    """The pieces of work in order; every piece needs the results of the pieces before."""
    for trace in waiting:
        yield partial(_place, trace, run)
    if founds:
        for group in _groups(run.unlearned, run):
            yield partial(_found_skill, group, run)
        for group in _groups(run.left_over, run):
            yield partial(_found_skill_across, group, run)
    for skill_id, uses in run.uses.items():
        for some in _parts(uses):
            yield partial(_count_uses, skill_id, some, run)
    if is_complete:
        for some in _parts(run.unlike):
            yield partial(_end_waiting, some, run)


def _parts(trace_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(trace_ids), MAX_TOGETHER):
        yield trace_ids[start : start + MAX_TOGETHER]


def _place(trace: StoredRecord, run: Learning) -> None:
    """Note the skill of the trace, or the unlearned candidates for likeness.

    A trace that is like a dismissed skill founds no further skill.
    """
    candidates = run.known.candidates(trace)
    skill = skill_of(trace, candidates, run.closeness)
    if skill is None and run.crosses_scopes:
        skill = _place_across(trace, run)
    if skill is not None and is_in_use(skill):
        run.uses.setdefault(skill.id, []).append(trace.id)
        return
    run.unlike.append(trace.id)
    if skill is None or skill.learning.is_across:
        run.unlearned |= _by_id((trace, *run.known.unlearned_among(candidates)))


def _place_across(trace: StoredRecord, run: Learning) -> StoredRecord | None:
    """The skill made across scopes; without one, note the candidates of all scopes."""
    candidates = run.known.candidates_across(trace)
    skill = skill_of(trace, candidates, run.closeness)
    if skill is None:
        run.left_over |= _by_id((trace, *run.known.unlearned_among(candidates)))
    return skill


def _by_id(traces: Iterable[StoredRecord]) -> dict[str, StoredRecord]:
    return {each.id: each for each in traces}


def _by_scope(traces: Iterable[StoredRecord]) -> Iterable[Sequence[StoredRecord]]:
    found = dict[str, list[StoredRecord]]()
    for each in traces:
        found.setdefault(each.scope, []).append(each)
    return found.values()


def _groups(unlearned: Mapping[str, StoredRecord], run: Learning) -> Iterator[Sequence[str]]:
    """The ids of every group of like traces with enough successes for a skill.

    Groups of a single sensitivity come first, groups of the remaining traces last.
    """
    levels = sorted({each.sensitivity for each in unlearned.values()}, key=_level_of)
    several = [[level] for level in levels]
    for some in [*several, levels] if len(levels) > 1 else several:
        pool = [each for each in unlearned.values() if each.sensitivity in some]
        for group in groups_of([_evidence(each) for each in pool], run.closeness):
            if new_skill(group) is not None:
                yield [each.record_id for each in group]


def _found_skill(trace_ids: Sequence[str], run: Learning) -> None:
    """Write a skill of like traces of a scope; nothing if concurrent writes leave too few."""
    unlearned = _traces_to_learn_from(trace_ids, run)
    if len(scopes_of(unlearned)) == 1:
        _found_skill_of(unlearned, run)


def _found_skill_across(trace_ids: Sequence[str], run: Learning) -> None:
    """Write an unscoped skill of like traces; nothing if the successes are of a single scope.

    A skill of the own scope, in use or dismissed by a caller, keeps a trace back.
    """
    unlearned = _traces_to_learn_from(trace_ids, run)
    unlike = [
        each
        for each in unlearned
        if skill_of(each, run.known.candidates(each), run.closeness) is None
    ]
    successes = [each for each in unlike[:MAX_TOGETHER] if _evidence(each).is_success]
    if len(scopes_of(successes)) > 1:
        _found_skill_of(unlike, run)


def _traces_to_learn_from(trace_ids: Sequence[str], run: Learning) -> list[StoredRecord]:
    """The traces without a skill as stored now, the earliest ended first."""
    held = run.known.load(trace_ids).values()
    return sorted(run.known.unlearned_among(held), key=_end_of)


def _found_skill_of(traces: Sequence[StoredRecord], run: Learning) -> None:
    """Write the skill of the traces; nothing of too few successes.

    A transaction writes the skill, the plan, and MAX_TOGETHER of the traces, which wait no
    longer. Further traces are uses of the skill.
    """
    group, further = traces[:MAX_TOGETHER], traces[MAX_TOGETHER:]
    skill = new_skill([_evidence(each) for each in group])
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
    services = run.services
    group = run.state_facts(group)
    skill_id = _skill_id(group[0])
    new = new_skill_record(skill, group, making_for(skill_id, services), services.policy)
    planned = new_plan([_evidence(each) for each in group])
    plans = list[StoredRecord]()
    if planned is not None:
        making = making_for(plan_id_of(skill_id), services)
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
            later = later_plan_of(skill, uses, room, run.known, run.services)
        if later is None or not _write_later_plan(later, skill, uses, run):
            changed = _grown_versions(skill, plan, uses, run.services)
            known_id = None if plan is None else plan_id
            changed += _counted_versions(uses, skill_id, known_id, run.services)
            run.services.records.replace_all(changed)
    finally:
        linked = [] if later is None else [before.id for before, _ in later.linked]
        run.known.forget([*ids, *linked])
    run.grown.append(skill_id)


def _write_later_plan(
    later: LaterPlan, skill: StoredRecord, uses: Sequence[StoredRecord], run: Learning
) -> bool:
    """Write the plan, the grown skill and the traces; False for a plan that the run cannot read.

    A plan of a concurrent run changed the skill, too: the caller's write loses, and reads again.
    """
    plan, services = later.plan, run.services
    changed = _grown_versions(skill, None, uses, services)
    changed += _counted_versions(uses, skill.id, plan.id, services)
    try:
        services.records.create(plan, changed=[*changed, *later.linked])
    except IdTaken:
        return False
    run.plans.append(plan.id)
    return True


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


def _end_waiting(trace_ids: Sequence[str], run: Learning) -> None:
    """End the waiting of traces without a match, in a transaction."""
    held = run.known.load(trace_ids)
    waiting = [held[each] for each in trace_ids if each in held and _waits(held[each])]
    try:
        stating = [each for trace in waiting for each in run.state_facts([trace])]
        changed = [
            (each, unmatched_trace(each, making_for(each.id, run.services))) for each in stating
        ]
        if changed:
            run.services.records.replace_all(changed)
    finally:
        run.known.forget(trace_ids)


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


def _skill_id(first: StoredRecord) -> str:
    """The id of the skill that the trace founds: the same in two runs at once.

    A trace whose earlier skills ended for lack of evidence founds another skill.
    """
    return id_within(first.id, "skill", str(len(skills_of(first))))


def _level_of(sensitivity: Sensitivity) -> int:
    return sensitivity.level


def _end_of(trace: StoredRecord) -> tuple[str, str]:
    payload = trace.record.payload
    end = ended_at(payload) if isinstance(payload, EpisodicPayload) else trace.record.created_at
    return end.removesuffix("Z"), trace.id
