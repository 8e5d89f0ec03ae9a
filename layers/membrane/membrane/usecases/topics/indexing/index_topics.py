"""Bring the search index of topics up to date with those that have changed.

As `membrane.usecases.search.indexing.index_records` does with records, and by the same rules. Only
active topics are found: one that was archived, deleted or merged into another leaves a marker.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Changed, Indexed, index_version
from membrane.usecases.search.indexing.index_records import index_all
from membrane.usecases.search.indexing.sources import Collection, Source


def index_topics(
    changed: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Make the entries of these topics what they must be; see `index_all`."""
    return index_all(changed, topics_of(services), services.report, is_out_of_time)


def index_topics_or_set_aside(changed: Iterable[Changed], services: TopicServices) -> Indexed:
    """The same; a topic that fails by itself is set aside, for a later try."""
    indexed = index_topics(changed, services)
    for failed in indexed.failed:
        services.set_aside(failed.changed.record_id, failed.changed.scopes, Waiting.TOPIC)
    return indexed


def topics_of(services: TopicServices) -> Collection:
    """All topics, and their entries."""
    topics = services.topics

    def load(topic_id: str) -> Source | None:
        topic = topics.load(topic_id)
        return None if topic is None else source_of(topic)

    def load_all(topic_ids: Sequence[str]) -> Mapping[str, Source]:
        return {each: source_of(topic) for each, topic in topics.load_all(topic_ids).items()}

    return Collection(load, load_all, services.topic_entries, services.embedder)


def source_of(topic: Topic) -> Source:
    """What the topic's entry is made from."""
    is_found = topic.status is TopicStatus.ACTIVE
    return Source(
        id=topic.id,
        scope=topic.scope,
        type=MemoryType.ENTITY,
        sensitivity=topic.sensitivity,
        version=index_version(topic.base.born_s, topic.version),
        render=partial(searchable_topic, topic) if is_found else None,
    )
