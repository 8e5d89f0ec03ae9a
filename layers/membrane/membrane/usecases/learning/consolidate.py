"""Consolidate evidence: the steps of ended threads become traces, the traces skills and plans."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from membrane.domain.ingest.turns import thread_of
from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning import made_records
from membrane.domain.records.learning_mark import UNMARKED, Stage
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload, TimelineEvent
from membrane.domain.records.standing import event_key
from membrane.domain.records.stored import AnyRecord, StoredRecord, id_within, is_alive
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.learning.find_matches import CONSOLIDATE, making_for, result_alone
from membrane.usecases.learning.learn_from_traces import learn_from_traces
from membrane.usecases.learning.learning_run import Consolidated
from membrane.usecases.machinery import calls
from membrane.usecases.ports.indexes import LEARNING_SHARDS, Waiting
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

MAX_STEPS = 64
"""Steps of a trace: the transaction has room for as many. A longer thread goes on in a further
trace.
"""

MIN_STEPS = 2
"""Steps of a trace without an outcome."""

FIRST_TURN = 1

TRACES, SKILLS, PLANS = "TracesMade", "SkillsMade", "PlansMade"
"""The metrics of a run."""


def consolidate_all(world: World, is_out_of_time: calls.IsOutOfTime = calls.never) -> Consolidated:
    """Consolidate all threads without a step in the quiet time, and every waiting trace.

    A Query a shard if nothing waits. Raises the errors of the store; a
    thread or a group with a failure is reported and left for the next run.
    """
    shards = calls.side_by_side(
        lambda shard: [*world.learning.waiting(shard)], range(LEARNING_SHARDS)
    )
    waiting = [each for found in shards for each in found]
    steps = [each for each in waiting if each.stage is Stage.STEP]
    traces = [each.record_id for each in waiting if each.stage is Stage.TRACE]
    return _consolidate(_quiet_threads(steps, world), traces, world, is_out_of_time)


def consolidate_scope(
    scope: str,
    world: World,
    is_out_of_time: calls.IsOutOfTime = calls.never,
    *,
    quiet_s: float | None = None,
    is_complete: bool = True,
    may_cross: bool = True,
) -> Consolidated:
    """Consolidate the threads and traces of a scope; `quiet_s` overrides the quiet time.

    Without `is_complete`, a trace without a match goes on waiting for a run over all evidence.
    Without `may_cross`, the traces take no part in skills across scopes, whatever the policy is.
    """
    shards = calls.side_by_side(
        lambda shard: [*world.learning.steps_of_scope(scope, shard)], range(LEARNING_SHARDS)
    )
    steps = [each for found in shards for each in found]
    traces = [each.record_id for each in world.learning.traces_of_scope(scope)]
    threads = _quiet_threads(steps, world, quiet_s)
    return _consolidate(
        threads, traces, world, is_out_of_time, is_complete=is_complete, may_cross=may_cross
    )


def consolidate_thread(
    scope: str, thread_id: str, world: World, is_out_of_time: calls.IsOutOfTime = calls.never
) -> Consolidated:
    """Make the trace of an ended thread, and count the trace in a known skill.

    The trace of no known skill goes on waiting for the run over the scope: skills founded from
    several traces at once are better than skills of the first two, and a trace of a concurrent run
    may not be in the index yet.
    """
    thread = [each.record_id for each in world.learning.steps_of_thread(scope, thread_id)]
    threads = [thread] if thread else []
    return _consolidate(threads, [], world, is_out_of_time, founds=False, is_complete=False)


def _consolidate(
    threads: Sequence[Sequence[str]],
    trace_ids: Sequence[str],
    world: World,
    is_out_of_time: calls.IsOutOfTime,
    *,
    founds: bool = True,
    is_complete: bool = True,
    may_cross: bool = True,
) -> Consolidated:
    done = Consolidated()
    crosses_scopes = may_cross and world.learning_policy.crosses_scopes
    across: dict[bytes, list[str]] | None = {} if crosses_scopes else None
    made = dict[str, str]()
    for trace in _made_traces(threads, world, is_out_of_time, done):
        made[trace.id] = trace.scope
    done.traces.extend(made)
    if not made and not trace_ids:
        return done
    waiting = [each for each in trace_ids if each not in made]
    scopes = {**_scopes_of(waiting, world, done), **made}
    for _, of_scope in groupby(sorted(scopes, key=scopes.__getitem__), key=scopes.__getitem__):
        if is_out_of_time():
            done.is_left = True
            break
        learn_from_traces(
            [*of_scope],
            done,
            world,
            is_out_of_time,
            founds=founds,
            is_complete=is_complete,
            across=across,
        )
    done.is_left = done.is_left or is_out_of_time()
    return done


def _scopes_of(trace_ids: Sequence[str], world: World, done: Consolidated) -> dict[str, str]:
    """The scope of each trace; a BatchGetItem for 100 traces."""
    if not trace_ids:
        return {}
    records = world.records
    held, damaged = calls.load_undamaged(trace_ids, records.load_own)
    for error in damaged.values():
        world.report(CONSOLIDATE, FAULT, error)
        done.failed.append(error)
    return {each.id: each.scope for each in held.values()}


def _made_traces(
    threads: Sequence[Sequence[str]],
    world: World,
    is_out_of_time: calls.IsOutOfTime,
    done: Consolidated,
) -> Iterator[StoredRecord]:
    for thread in threads:
        for start in range(0, len(thread), MAX_STEPS):
            steps = thread[start : start + MAX_STEPS]
            if is_out_of_time():
                done.is_left = True
                return
            trace = result_alone(partial(make_trace, steps, world), world, done.failed)
            if trace is not None:
                yield trace


def _quiet_threads(
    steps: Sequence[Waiting], world: World, quiet_s: float | None = None
) -> list[list[str]]:
    """The steps of each thread that is quiet, or of a longer one as whole traces."""
    quiet_s = world.learning_policy.quiet_s if quiet_s is None else quiet_s
    quiet_from_s = epoch_seconds(world.now()) - quiet_s
    threads = list[list[str]]()
    for _, of_thread in groupby(steps, key=lambda each: each.group):
        thread = [*of_thread]
        is_quiet = thread[-1].born_s <= quiet_from_s
        ready = thread if is_quiet else thread[: len(thread) // MAX_STEPS * MAX_STEPS]
        if ready:
            threads.append([each.record_id for each in ready])
    return threads


def make_trace(step_ids: Sequence[str], world: World) -> StoredRecord | None:
    """The trace of at most MAX_STEPS waiting steps of a thread, the oldest first.

    None if nothing comes of the steps, or a concurrent run has used the steps and the trace is
    gone. Every step loses the mark in the transaction that writes the trace. Raises Aborted;
    ScopeFenced; the errors of the store.
    """
    return calls.until_won(lambda: _attempt(step_ids, world), world)


def _attempt(step_ids: Sequence[str], world: World) -> StoredRecord | None:
    records = world.records
    found, damaged = calls.load_undamaged(step_ids, records.load_each)
    for error in damaged.values():
        world.report(CONSOLIDATE, FAULT, error)
    held = [found.get(each) for each in step_ids]
    steps = [each for each in held if is_alive(each) and each.learning.awaits is Stage.STEP]
    if not steps:
        return _trace_of_used(held[0], world)
    if len(steps) < MIN_STEPS and _outcome_of(steps[-1]) is None:
        making = making_for(steps[0].id, world)
        records.replace_all([(steps[0], made_records.idle_step(steps[0], making))])
        return None
    opening = _opening_of(steps[0], world)
    trace = _trace_from(steps, opening, world)
    try:
        _write(trace, steps, opening, world)
    except IdTaken:
        raise LostRace from None  # another run has used the first step: read again
    return trace


def _write(
    trace: StoredRecord, steps: Sequence[StoredRecord], opening: StoredRecord | None, world: World
) -> None:
    opened = list[Change]()
    if opening is not None:
        making = making_for(opening.id, world)
        opened.append((opening, made_records.used_opening(opening, trace.id, making)))

    def create(fading: float) -> None:
        used = [
            (
                step,
                made_records.used_step(step, trace.id, making_for(step.id, world), fading=fading),
            )
            for step in steps
        ]
        world.records.create(trace, changed=[*used, *opened])

    try:
        create(world.learning_policy.step_fading)
    except TooManyProfiles:  # the shorter half-life would be one decay class of the scope too many
        create(1.0)


def _trace_from(
    steps: Sequence[StoredRecord], opening: StoredRecord | None, world: World
) -> StoredRecord:
    making = making_for(id_within(steps[0].id, "trace"), world)
    records = [step.record for step in steps]
    payload = made_records.trace_of(records, None if opening is None else _first_event(opening))
    message = None if opening is None else opening.record
    return made_records.new_trace(
        payload,
        records,
        message,
        making,
        is_interpreted=world.learning_policy.interprets_traces,
        crosses_scopes=world.learning_policy.crosses_scopes,
    )


def _opening_of(step: StoredRecord, world: World) -> StoredRecord | None:
    """The first message of the conversation that the step belongs to.

    None without a conversation, and for a message that is a step itself or has opened a trace: a
    message leads to one trace, which goes with the message. So later traces of a long conversation
    are without the message. One Query and one BatchGetItem, for the tool calls of messages alone.
    """
    thread = thread_of(step.record)
    payload = step.record.payload
    if not isinstance(payload, EpisodicPayload) or thread != payload.thread_id:
        return None
    key = event_key(step.scope, f"{thread}:{FIRST_TURN}")
    ids = [record_id for record_id, _ in world.natural.newest(key, 1)]
    held = world.records.load_each(ids).get(ids[0]) if ids else None
    if not is_alive(held) or held.learning != UNMARKED:
        return None
    event = _first_event(held)
    return None if event is None or event.event_kind == TOOL_CALL else held


def _first_event(held: StoredRecord) -> TimelineEvent | None:
    payload = held.record.payload
    if not isinstance(payload, EpisodicPayload) or not payload.timeline:
        return None
    return payload.timeline[0]


def _trace_of_used(step: AnyRecord | None, world: World) -> StoredRecord | None:
    """The living trace that another run made of the step."""
    if not isinstance(step, StoredRecord) or not step.learning.trace_id:
        return None
    held = world.records.load(step.learning.trace_id)
    return held if is_alive(held) else None


def _outcome_of(step: StoredRecord) -> OutcomeStatus | None:
    payload = step.record.payload
    return payload.outcome if isinstance(payload, EpisodicPayload) else None


def measure_made(done: Consolidated, world: World) -> None:
    for metric, made in ((TRACES, done.traces), (SKILLS, done.skills), (PLANS, done.plans)):
        if made:
            world.measure(metric, len(made), "Count")
