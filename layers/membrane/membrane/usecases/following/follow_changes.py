"""Follow a batch of changes: index records, index topics, feed topics with observed facts.

A failed job does not keep back the two other jobs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Indexed
from membrane.usecases.search.indexing.changes import Changed, Told, merge_changes
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.topics.indexing import follow_topics
from membrane.usecases.topics.placing.feed_topics import FeedTally, feed_topics

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Followed:
    records: Indexed = field(default_factory=Indexed)
    topics: Indexed = field(default_factory=Indexed)
    fed: FeedTally = field(default_factory=FeedTally)

    @property
    def failures(self) -> Sequence[tuple[Waiting, Changed]]:
        """The changes that failed alone, without repeats, by the kind of work to retry."""
        by_kind = (
            (Waiting.RECORD, self.records.failed),
            (Waiting.TOPIC, self.topics.failed),
            (Waiting.FED, self.fed.failed),
        )
        return [
            (kind, changed)
            for kind, failed in by_kind
            for changed in merge_changes(each.changed for each in failed)
        ]


def follow_all(
    told: Told, services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Followed:
    """Index the records, index the topics, then feed topics.

    Raises the first error that ended a job, after all three jobs; the caller repeats the batch.
    """
    errors = list[Exception]()
    records = _run_job(
        lambda: index_records(told.records, services, is_out_of_time), Indexed(), errors
    )
    topics = _run_job(
        lambda: follow_topics(told.topics, services, is_out_of_time), Indexed(), errors
    )
    fed = _run_job(lambda: feed_topics(told.facts, services, is_out_of_time), FeedTally(), errors)
    if errors:
        raise errors[0]
    return Followed(records, topics, fed)


def follow_all_or_set_aside(
    told: Told, services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Followed:
    """Follow the changes, and queue a change that fails alone for a later try."""
    followed = follow_all(told, services, is_out_of_time)
    for kind, failed in followed.failures:
        services.set_aside(failed.record_id, failed.scopes, kind)
    return followed


def _run_job(job: Callable[[], Result], nothing: Result, errors: list[Exception]) -> Result:
    """The result of the job; after an error, appended to `errors`, `nothing`."""
    try:
        return job()
    except Exception as error:  # noqa: BLE001 - raised again once the other jobs have run
        errors.append(error)
        return nothing
