"""Follow a batch of changes: index records and topics, send captures, end threads.

A failed job does not keep back the other jobs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import ProvenanceKind
from membrane.domain.learning.policy import CONSOLIDATE
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import AnyRecord, is_alive
from membrane.usecases.capture.interpreting_call import INTERPRET, is_interpreted
from membrane.usecases.machinery.calls import IsOutOfTime, OutOfTime, load_undamaged, never
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search import indexing
from membrane.usecases.topics.indexing import follow_topics


def send_captures(
    created: Iterable[indexing.ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> list[indexing.FailedSource]:
    """Send id and version of the captures among new records; report and return what failed alone.

    Without a model, nothing is read. A repeat sends again: the interpretation itself happens once.
    Raises ResourceExhausted and Unavailable if the records cannot be read; the caller repeats.
    """
    send, every = world.send_to_interpreter, indexing.merge_changes(created)
    if send is None or not every:
        return []
    records = world.records
    ids = [each.record_id for each in every]
    found, damaged = load_undamaged(ids, records.load_own)
    failed = list[indexing.FailedSource]()
    for each in every:
        held = found.get(each.record_id)
        if each.record_id in damaged:
            failed.append(indexing.FailedSource(each, damaged[each.record_id]))
        elif is_alive(held) and held.record.interpretation is not None and not is_interpreted(held):
            if is_out_of_time():
                failed.append(indexing.FailedSource(each, OutOfTime()))
                continue
            try:
                send(held.id, held.version, 0)
            except Unavailable as error:
                failed.append(indexing.FailedSource(each, error))
    for left in failed:
        world.report(INTERPRET, FAULT, left.error)
    return failed


END_THREADS = "EndThreads"
"""The operation in reports of failures."""


def end_threads(
    ended: Iterable[indexing.ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> list[indexing.FailedSource]:
    """Start the consolidating function once for each thread; report and return what failed alone.

    Without a consolidating function, nothing is read. A repeat starts the function again until the
    steps of the thread are a trace; the consolidation itself uses each step once. Raises
    ResourceExhausted and Unavailable if the records cannot be read; the caller repeats.
    """
    every = indexing.merge_changes(ended)
    if not world.consolidate_function or not every:
        return []
    records = world.records
    ids = [each.record_id for each in every]
    found, damaged = load_undamaged(ids, records.load_own)
    failed = [
        indexing.FailedSource(each, damaged[each.record_id])
        for each in every
        if each.record_id in damaged
    ]
    threads = dict[tuple[str, str], list[indexing.ChangedSource]]()
    for each in every:
        thread = _ended_thread(found.get(each.record_id))
        if thread is not None:
            threads.setdefault(thread, []).append(each)
    for (scope, thread_id), steps in threads.items():
        error = _start(scope, thread_id, world, is_out_of_time)
        if error is not None:
            failed.extend(indexing.FailedSource(each, error) for each in steps)
    for left in failed:
        world.report(END_THREADS, FAULT, left.error)
    return failed


def _start(
    scope: str, thread_id: str, world: World, is_out_of_time: IsOutOfTime
) -> Exception | None:
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


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FollowResult:
    records: indexing.IndexTally = field(default_factory=indexing.IndexTally)
    topics: indexing.IndexTally = field(default_factory=indexing.IndexTally)
    unsent: Sequence[indexing.FailedSource] = ()
    """New records that may be captures, and that no model was told of."""
    unstarted: Sequence[indexing.FailedSource] = ()
    """Steps whose thread an outcome may have ended, and for which no consolidation was started."""

    @property
    def failures(self) -> Sequence[tuple[Waiting, indexing.ChangedSource]]:
        """The changes that failed alone, without repeats, by the kind of work to retry."""
        by_kind = (
            (Waiting.RECORD, self.records.failed),
            (Waiting.TOPIC, self.topics.failed),
            (Waiting.CREATED, self.unsent),
            (Waiting.ENDED, self.unstarted),
        )
        return [
            (kind, changed)
            for kind, failed in by_kind
            for changed in indexing.merge_changes(each.changed for each in failed)
        ]


def follow_all(
    changes: indexing.StreamChanges, world: World, is_out_of_time: IsOutOfTime = never
) -> FollowResult:
    """Index the records, index the topics, send captures to a model, then end threads.

    Raises the first error that ended a job, after all jobs; the caller repeats the batch.
    """
    errors = list[Exception]()
    records = _run_job(
        lambda: indexing.index_records(changes.records, world, is_out_of_time),
        indexing.IndexTally(),
        errors,
    )
    topics = _run_job(
        lambda: follow_topics(changes.topics, world, is_out_of_time), indexing.IndexTally(), errors
    )
    unsent = _run_job(
        lambda: send_captures(changes.created, world, is_out_of_time),
        list[indexing.FailedSource](),
        errors,
    )
    unstarted = _run_job(
        lambda: end_threads(changes.ended, world, is_out_of_time),
        list[indexing.FailedSource](),
        errors,
    )
    if errors:
        raise errors[0]
    return FollowResult(records, topics, unsent, unstarted)


def follow_all_or_set_aside(
    changes: indexing.StreamChanges, world: World, is_out_of_time: IsOutOfTime = never
) -> FollowResult:
    """Follow the changes, and queue a change that fails alone for a later try."""
    followed = follow_all(changes, world, is_out_of_time)
    for kind, failed in followed.failures:
        world.set_aside(failed.record_id, failed.scopes, kind)
    return followed


def _run_job(job: Callable[[], Result], nothing: Result, errors: list[Exception]) -> Result:
    """The result of the job; after an error, appended to `errors`, `nothing`."""
    try:
        return job()
    except Exception as error:  # noqa: BLE001 - raised again once the other jobs have run
        errors.append(error)
        return nothing
