"""Learn from waiting traces: count a trace in a skill, or found a skill from several.

A trace is used once: the transaction that writes the skill ends the waiting of the traces. A killed
run leaves the rest of the traces waiting for the next run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from membrane.domain.learning import learned_records
from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.plans import new_plan
from membrane.domain.learning.skills import new_skill
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.records.stored import StoredRecord, id_within
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.learning import find_matches, learning_run
from membrane.usecases.learning.count_uses import count_uses, counted_versions, plan_id_of
from membrane.usecases.machinery.calls import IsOutOfTime, until_won
from membrane.usecases.ports.world import World


def groups_to_found(unlearned: Mapping[str, StoredRecord]) -> Iterator[Sequence[str]]:
    """The ids of every group of like traces with enough successes for a skill.

    Groups of a single sensitivity come first, groups of the remaining traces last.
    """
    sensitivities = {each.sensitivity for each in unlearned.values()}
    levels = sorted(sensitivities, key=lambda each: each.level)
    several = [[level] for level in levels]
    for some in [*several, levels] if len(levels) > 1 else several:
        pool = [each for each in unlearned.values() if each.sensitivity in some]
        for group in groups_of([learning_run.evidence_of_trace(each) for each in pool]):
            if new_skill(group) is not None:
                yield [each.record_id for each in group]


def found_skill(trace_ids: Sequence[str], run: learning_run.Learning) -> None:
    """Write a skill of like traces of a scope; nothing if concurrent writes leave too few."""
    unlearned = _traces_to_learn_from(trace_ids, run)
    if len(learned_records.scopes_of(unlearned)) == 1:
        _found_skill_of(unlearned, run)


def found_skill_across(trace_ids: Sequence[str], run: learning_run.Learning) -> None:
    """Write an unscoped skill of like traces; nothing if a single party answers for the successes.

    A skill of the own scope, in use or dismissed by a caller, keeps a trace back: each trace was
    compared with its own scope before, and a trace that is kept back has no digests across.
    """
    unlearned = _traces_to_learn_from(trace_ids, run)
    open_traces = [each for each in unlearned if each.learning.lookups_across]
    successes = [
        each
        for each in open_traces[: learning_run.MAX_TOGETHER]
        if learning_run.evidence_of_trace(each).is_success
    ]
    if len({learning_run.evidence_of_trace(each).party for each in successes}) > 1:
        _found_skill_of(open_traces, run)


def _traces_to_learn_from(
    trace_ids: Sequence[str], run: learning_run.Learning
) -> list[StoredRecord]:
    held = run.known.load(trace_ids).values()
    return sorted(run.known.unlearned_among(held), key=learning_run.by_end)


def _found_skill_of(traces: Sequence[StoredRecord], run: learning_run.Learning) -> None:
    """Write the skill of the traces; nothing of too few successes.

    A transaction writes the skill, the plan, and MAX_TOGETHER of the traces, which wait no
    longer. Further traces are uses of the skill.
    """
    group, further = traces[: learning_run.MAX_TOGETHER], traces[learning_run.MAX_TOGETHER :]
    skill = new_skill([learning_run.evidence_of_trace(each) for each in group])
    if skill is None:
        return
    skill_id = _write_skill(skill, group, run)
    run.uses.setdefault(skill_id, []).extend(each.id for each in further)
    used = {each.id for each in traces}
    run.unlike = [each for each in run.unlike if each not in used]
    for each in used:
        run.unlearned.pop(each, None)
        run.left_over.pop(each, None)


def _write_skill(
    skill: CompetencePayload, group: Sequence[StoredRecord], run: learning_run.Learning
) -> str:
    world = run.world
    group = run.state_facts(group)
    skill_id = _skill_id(group[0])
    new = learned_records.new_skill_record(skill, group, find_matches.making_for(skill_id, world))
    planned = new_plan([learning_run.evidence_of_trace(each) for each in group])
    plans = list[StoredRecord]()
    if planned is not None:
        making = find_matches.making_for(plan_id_of(skill_id), world)
        plans.append(learned_records.new_plan_record(planned, group, making))
    plan_id = plans[0].id if plans else None
    changed = counted_versions(group, skill_id, plan_id, world)
    try:
        world.records.create(new, also=plans, changed=changed)
    except IdTaken:
        raise LostRace from None  # another run has founded the skill: read again
    finally:
        run.known.forget([each.id for each in group])
    run.done.skills.append(skill_id)
    run.done.plans.extend(each.id for each in plans)
    return skill_id


def _skill_id(first: StoredRecord) -> str:
    """The id of the skill that the trace founds: the same in two runs at once.

    A trace whose earlier skills ended for lack of evidence founds another skill.
    """
    return id_within(first.id, "skill", str(len(find_matches.skills_of(first))))


MAX_AT_ONCE = 200
"""Traces of a round; a backlog takes several rounds."""

MAX_KEPT_BACK = 10
"""Traces kept back in a transaction: each also loses the digests across scopes."""


def learn_from_traces(
    trace_ids: Sequence[str],
    done: learning_run.Consolidated,
    world: World,
    is_out_of_time: IsOutOfTime,
    *,
    founds: bool,
    is_complete: bool,
    across: dict[bytes, list[str]] | None,
) -> None:
    """Learn from waiting traces of a scope, the earliest ended first; `done` gains the results.

    `founds`: like traces without a known skill found new skills. `is_complete`: a trace without a
    match waits no longer, and later traces find the trace through the index. Without
    `is_complete`, the trace goes on waiting, as do all traces without a decision when time is up.
    With `across`, traces without a match in the scope take part in unscoped skills; `across` has
    the traces of the scopes before by digest, because the index may lag, and gains those of this
    scope. A group or a skill with a failure is reported and left waiting. Raises the errors of the
    store.
    """
    known = (
        find_matches.Known(world) if across is None else find_matches.Known(world, offered=across)
    )
    run = learning_run.Learning(known, world, done, crosses_scopes=across is not None)
    for start in range(0, len(trace_ids), MAX_AT_ONCE):
        if is_out_of_time():
            break
        loaded = run.known.load(trace_ids[start : start + MAX_AT_ONCE]).values()
        waiting = sorted((each for each in loaded if _waits(each)), key=learning_run.by_end)
        _learn_from(waiting, run, is_out_of_time, founds=founds, is_complete=is_complete)


def _learn_from(
    waiting: Sequence[StoredRecord],
    run: learning_run.Learning,
    is_out_of_time: IsOutOfTime,
    *,
    founds: bool,
    is_complete: bool,
) -> None:
    """Decide on the traces together; when time is up, the traces without a decision go on waiting.

    The waiting of a trace without a match ends last, after the decision on every group.
    """
    run.uses, run.unlearned, run.left_over = {}, {}, {}
    run.unlike, run.kept_back = [], set()
    for each in waiting:
        run.known.offer(each)
    for work in _works(waiting, run, founds=founds, is_complete=is_complete):
        if is_out_of_time():
            return
        find_matches.result_alone(partial(until_won, work, run.world), run.world, run.done.failed)
    run.done.unmatched.extend(run.unlike)


def _works(
    waiting: Sequence[StoredRecord], run: learning_run.Learning, *, founds: bool, is_complete: bool
) -> Iterator[Callable[[], None]]:
    """The pieces of work in order; every piece needs the results of the pieces before."""
    for trace in waiting:
        yield partial(_place, trace, run)
    if founds:
        for group in groups_to_found(run.unlearned):
            yield partial(found_skill, group, run)
        for group in groups_to_found(run.left_over):
            yield partial(found_skill_across, group, run)
    for skill_id, uses in run.uses.items():
        for some in _parts(uses):
            yield partial(count_uses, skill_id, some, run)
    if is_complete:
        findable = [each for each in run.unlike if each not in run.kept_back]
        kept_back = [each for each in run.unlike if each in run.kept_back]
        for some in (*_parts(findable), *_parts(kept_back, MAX_KEPT_BACK)):
            yield partial(_end_waiting, some, run)


def _parts(
    trace_ids: Sequence[str], size: int = learning_run.MAX_TOGETHER
) -> Iterator[Sequence[str]]:
    for start in range(0, len(trace_ids), size):
        yield trace_ids[start : start + size]


def _place(trace: StoredRecord, run: learning_run.Learning) -> None:
    """Note the skill of the trace, or the unlearned candidates for likeness.

    A trace that is like a dismissed skill founds no further skill. A skill dismissed in the scope
    also keeps the trace out of skills across scopes.
    """
    candidates = run.known.candidates(trace)
    skill = find_matches.skill_of(trace, candidates)
    if skill is None and run.crosses_scopes:
        skill = _place_across(trace, run)
    if skill is not None and find_matches.is_in_use(skill):
        run.uses.setdefault(skill.id, []).append(trace.id)
        return
    run.unlike.append(trace.id)
    if skill is None or skill.learning.is_across:
        run.unlearned |= _by_id((trace, *run.known.unlearned_among(candidates)))
    elif trace.learning.lookups_across:
        run.kept_back.add(trace.id)


def _place_across(trace: StoredRecord, run: learning_run.Learning) -> StoredRecord | None:
    """The skill made across scopes; without one, note the candidates of all scopes."""
    candidates = run.known.candidates_across(trace)
    skill = find_matches.skill_of(trace, candidates)
    if skill is None:
        run.left_over |= _by_id((trace, *run.known.unlearned_among(candidates)))
    return skill


def _by_id(traces: Iterable[StoredRecord]) -> dict[str, StoredRecord]:
    return {each.id: each for each in traces}


def _end_waiting(trace_ids: Sequence[str], run: learning_run.Learning) -> None:
    held = run.known.load(trace_ids)
    waiting = [held[each] for each in trace_ids if each in held and _waits(held[each])]
    try:
        stating = [each for trace in waiting for each in run.state_facts([trace])]
        changed = [(each, _without_match(each, run)) for each in stating]
        if changed:
            run.world.records.replace_all(changed)
    finally:
        run.known.forget(trace_ids)


def _without_match(trace: StoredRecord, run: learning_run.Learning) -> StoredRecord:
    making = find_matches.making_for(trace.id, run.world)
    return learned_records.unmatched_trace(trace, making, is_kept_back=trace.id in run.kept_back)


def _waits(trace: StoredRecord) -> bool:
    return trace.tombstone is None and trace.learning.awaits is Stage.TRACE
