"""Consolidate evidence: the steps of ended threads become traces, the traces skills and plans."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.find_matches import CONSOLIDATE, result_alone
from membrane.usecases.learning.learn_from_traces import learn_from_traces
from membrane.usecases.learning.learning_run import Consolidated
from membrane.usecases.learning.make_trace import MAX_STEPS, make_trace
from membrane.usecases.machinery.side_by_side import (
    IsOutOfTime,
    load_undamaged,
    never,
    side_by_side,
)
from membrane.usecases.ports.indexes import LEARNING_SHARDS, Waiting
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

TRACES, SKILLS, PLANS = "TracesMade", "SkillsMade", "PlansMade"
"""The metrics of a run."""


def consolidate_all(world: World, is_out_of_time: IsOutOfTime = never) -> Consolidated:
    """Consolidate all threads without a step in the quiet time, and every waiting trace.

    A Query a shard if nothing waits. Raises the errors of the store; a
    thread or a group with a failure is reported and left for the next run.
    """
    shards = side_by_side(lambda shard: [*world.learning.waiting(shard)], range(LEARNING_SHARDS))
    waiting = [each for found in shards for each in found]
    steps = [each for each in waiting if each.stage is Stage.STEP]
    traces = [each.record_id for each in waiting if each.stage is Stage.TRACE]
    return _consolidate(_quiet_threads(steps, world), traces, world, is_out_of_time)


def consolidate_scope(
    scope: str,
    world: World,
    is_out_of_time: IsOutOfTime = never,
    *,
    quiet_s: float | None = None,
    is_complete: bool = True,
    may_cross: bool = True,
) -> Consolidated:
    """Consolidate the threads and traces of a scope; `quiet_s` overrides the quiet time.

    Without `is_complete`, a trace without a match goes on waiting for a run over all evidence.
    Without `may_cross`, the traces take no part in skills across scopes, whatever the policy is.
    """
    shards = side_by_side(
        lambda shard: [*world.learning.steps_of_scope(scope, shard)], range(LEARNING_SHARDS)
    )
    steps = [each for found in shards for each in found]
    traces = [each.record_id for each in world.learning.traces_of_scope(scope)]
    threads = _quiet_threads(steps, world, quiet_s)
    return _consolidate(
        threads, traces, world, is_out_of_time, is_complete=is_complete, may_cross=may_cross
    )


def consolidate_thread(
    scope: str, thread_id: str, world: World, is_out_of_time: IsOutOfTime = never
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
    is_out_of_time: IsOutOfTime,
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
    held, damaged = load_undamaged(trace_ids, records.load_own, records.load)
    for error in damaged.values():
        world.report(CONSOLIDATE, FAULT, error)
        done.failed.append(error)
    return {each.id: each.scope for each in held.values()}


def _made_traces(
    threads: Sequence[Sequence[str]],
    world: World,
    is_out_of_time: IsOutOfTime,
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
    """The steps of each thread whose last step is at least as old as the quiet time.

    Of a thread with newer steps, enough steps to fill whole traces.
    """
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


def measure_made(done: Consolidated, world: World) -> None:
    for metric, made in ((TRACES, done.traces), (SKILLS, done.skills), (PLANS, done.plans)):
        if made:
            world.measure(metric, len(made), "Count")
