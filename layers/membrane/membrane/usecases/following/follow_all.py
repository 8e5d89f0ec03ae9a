"""Bring all that is derived up to date with what has changed: vectors, and what feeds topics.

What fails in one of them keeps back nothing in the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Indexed
from membrane.usecases.search.indexing.changes import Changed, Told, merged
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.topics.indexing import follow_topics
from membrane.usecases.topics.placing.feed_topics import Fed, feed_topics

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Followed:
    records: Indexed = field(default_factory=Indexed)
    topics: Indexed = field(default_factory=Indexed)
    fed: Fed = field(default_factory=Fed)

    @property
    def failed(self) -> Sequence[tuple[Waiting, Changed]]:
        """What failed by itself, once each for what it is to be tried again for."""
        by_kind = (
            (Waiting.RECORD, self.records.failed),
            (Waiting.TOPIC, self.topics.failed),
            (Waiting.FED, self.fed.failed),
        )
        return [
            (kind, changed)
            for kind, failed in by_kind
            for changed in merged(each.changed for each in failed)
        ]


def follow_all(
    told: Told, services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Followed:
    """Index the records, follow the topics, then feed topics.

    Raises what ended one of the three, once the others are done; then all is to be repeated.
    """
    ended = list[Exception]()
    records = _tried(
        lambda: index_records(told.records, services, is_out_of_time), Indexed(), ended
    )
    topics = _tried(lambda: follow_topics(told.topics, services, is_out_of_time), Indexed(), ended)
    fed = _tried(lambda: feed_topics(told.facts, services, is_out_of_time), Fed(), ended)
    if ended:
        raise ended[0]
    return Followed(records, topics, fed)


def follow_all_or_set_aside(
    told: Told, services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Followed:
    """The same; what fails by itself is set aside, for a later try."""
    followed = follow_all(told, services, is_out_of_time)
    for kind, failed in followed.failed:
        services.set_aside(failed.record_id, failed.scopes, kind)
    return followed


def _tried(do: Callable[[], Result], nothing: Result, ended: list[Exception]) -> Result:
    """The result; else `nothing`, and the error is added to what has ended."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001 - raised again once the others are done
        ended.append(error)
        return nothing
