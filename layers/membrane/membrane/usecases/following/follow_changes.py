"""Follow a batch of changes: index records and topics, feed topics, send captures, end threads.

A failed job does not keep back the other jobs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.usecases.capture.send_captures import send_captures
from membrane.usecases.following.end_threads import end_threads
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.world import World
from membrane.usecases.search.indexing.batch import IndexTally
from membrane.usecases.search.indexing.changes import (
    ChangedSource,
    FailedSource,
    StreamChanges,
    merge_changes,
)
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.topics.indexing import follow_topics
from membrane.usecases.topics.placing.feed_topics import FeedTally, feed_topics

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FollowResult:
    records: IndexTally = field(default_factory=IndexTally)
    topics: IndexTally = field(default_factory=IndexTally)
    fed: FeedTally = field(default_factory=FeedTally)
    unsent: Sequence[FailedSource] = ()
    """New records that may be captures, and that no model was told of."""
    unstarted: Sequence[FailedSource] = ()
    """Steps whose thread an outcome may have ended, and for which no consolidation was started."""

    @property
    def failures(self) -> Sequence[tuple[Waiting, ChangedSource]]:
        """The changes that failed alone, without repeats, by the kind of work to retry."""
        by_kind = (
            (Waiting.RECORD, self.records.failed),
            (Waiting.TOPIC, self.topics.failed),
            (Waiting.FED, self.fed.failed),
            (Waiting.CREATED, self.unsent),
            (Waiting.ENDED, self.unstarted),
        )
        return [
            (kind, changed)
            for kind, failed in by_kind
            for changed in merge_changes(each.changed for each in failed)
        ]


def follow_all(
    changes: StreamChanges, world: World, is_out_of_time: IsOutOfTime = never
) -> FollowResult:
    """Index the records, index the topics, feed topics, send captures to a model, then end threads.

    Raises the first error that ended a job, after all jobs; the caller repeats the batch.
    """
    errors = list[Exception]()
    records = _run_job(
        lambda: index_records(changes.records, world, is_out_of_time), IndexTally(), errors
    )
    topics = _run_job(
        lambda: follow_topics(changes.topics, world, is_out_of_time), IndexTally(), errors
    )
    fed = _run_job(lambda: feed_topics(changes.facts, world, is_out_of_time), FeedTally(), errors)
    unsent = _run_job(
        lambda: send_captures(changes.created, world, is_out_of_time),
        list[FailedSource](),
        errors,
    )
    unstarted = _run_job(
        lambda: end_threads(changes.ended, world, is_out_of_time),
        list[FailedSource](),
        errors,
    )
    if errors:
        raise errors[0]
    return FollowResult(records, topics, fed, unsent, unstarted)


def follow_all_or_set_aside(
    changes: StreamChanges, world: World, is_out_of_time: IsOutOfTime = never
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
