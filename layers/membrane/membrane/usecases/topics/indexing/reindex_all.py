"""Going through all records, and then through all topics: one re-index, of two parts.

Each part keeps its progress by itself, in the same form. They belong together by when they were
begun: the topics' part begins with the records', and waits for its end.
"""

from dataclasses import dataclass
from functools import partial

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.reindex import Reindexed, Reindexing, through_records
from membrane.usecases.topics.indexing.index_topics import index_topics_or_set_aside


@dataclass(frozen=True, slots=True)
class ReindexedAll:
    """What was done so far; JSON is that of the records' part, with that of the topics' in it."""

    records: Reindexed
    topics: Reindexed

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.records.is_done and self.topics.is_done

    def as_json(self) -> JsonObject:
        """As it is shown."""
        return {**self.records.as_json(), "topics": self.topics.as_json()}


def reindex_all(
    services: TopicServices, is_out_of_time: IsOutOfTime, *, again: bool = False
) -> ReindexedAll:
    """Go on until all is done or time is up, from where a step was ended; see `reindex`."""
    of_records, of_topics = through_records(services), through_topics(services)
    records, kept = of_records.reached()
    topics, kept_topics = of_topics.reached()
    is_left = of_records.goes_on(records) or _is_left(records, topics, of_topics)
    if records is None or again or not is_left:
        records, kept = of_records.begin(rfc3339(services.now()), kept)
        topics = None
    if topics is None or not _belongs(topics, records, of_topics):
        topics, kept_topics = of_topics.begin(records.started_at, kept_topics)
    records = of_records.go_on(records, kept, is_out_of_time)
    if records.is_done:
        topics = of_topics.go_on(topics, kept_topics, is_out_of_time)
    return ReindexedAll(records, topics)


def through_topics(services: TopicServices) -> Reindexing:
    """All topics."""
    index = partial(index_topics_or_set_aside, services=services)
    return Reindexing(services.topic_catalogue, services.topic_entries, index, services.now)


def _is_left(records: Reindexed | None, topics: Reindexed | None, job: Reindexing) -> bool:
    """Whether the records' part is done and the topics', begun with it, is not."""
    return records is not None and topics is not None and _belongs(topics, records, job)


def _belongs(topics: Reindexed, records: Reindexed, job: Reindexing) -> bool:
    return job.goes_on(topics) and topics.started_at == records.started_at
