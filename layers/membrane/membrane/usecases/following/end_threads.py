"""Start the consolidation of each thread that an outcome has ended."""

from collections.abc import Iterable

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import ProvenanceKind
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.following.consolidation_event import CONSOLIDATE
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search.indexing.changes import ChangedSource, FailedSource, merge_changes

END_THREADS = "EndThreads"
"""The operation in reports of failures."""


def end_threads(
    ended: Iterable[ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> list[FailedSource]:
    """Start the consolidating function once for each thread; report and return what failed alone.

    Without a consolidating function, nothing is read. A repeat starts the function again until the
    steps of the thread are a trace; the consolidation itself uses each step once. Raises
    ResourceExhausted and Unavailable if the records cannot be read; the caller repeats.
    """
    every = merge_changes(ended)
    if not world.consolidate_function or not every:
        return []
    records = world.records
    ids = [each.record_id for each in every]
    found, damaged = load_undamaged(ids, records.load_own, records.load)
    failed = [
        FailedSource(each, damaged[each.record_id]) for each in every if each.record_id in damaged
    ]
    threads = dict[tuple[str, str], list[ChangedSource]]()
    for each in every:
        thread = _ended_thread(found.get(each.record_id))
        if thread is not None:
            threads.setdefault(thread, []).append(each)
    for (scope, thread_id), steps in threads.items():
        error = _start(scope, thread_id, world, is_out_of_time)
        if error is not None:
            failed.extend(FailedSource(each, error) for each in steps)
    for left in failed:
        world.report(END_THREADS, FAULT, left.error)
    return failed


def _start(
    scope: str, thread_id: str, world: World, is_out_of_time: IsOutOfTime
) -> Exception | None:
    """Start the function for a thread; the reason if the function was not started."""
    if is_out_of_time():
        return OutOfTime()
    event = {CONSOLIDATE: {"scope": scope, "thread_id": thread_id}}
    try:
        world.invoke_later(world.consolidate_function, event)
    except Unavailable as error:
        return error
    return None


def _ended_thread(held: AnyRecord | None) -> tuple[str, str] | None:
    """Scope and thread of a waiting step with an outcome.

    None for a tool output with a status alone: the status is the outcome of the call.
    """
    if not is_alive(held) or held.learning.awaits is not Stage.STEP:
        return None
    payload, sources = held.record.payload, held.record.provenance.sources
    if not isinstance(payload, EpisodicPayload):
        return None
    is_ended = any(each.kind is ProvenanceKind.OUTCOME for each in sources)
    return (held.scope, payload.thread_id) if is_ended else None
