"""Bring the search index of topics up to date with those that have changed.

As `membrane.usecases.search.indexing.index_records` does with records, and by the same rules. Only
active topics are found: the vector of one that was archived, deleted or merged goes in that write.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.searched import index_version
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.searched import is_found
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Collection, Indexed, Source
from membrane.usecases.search.indexing.changes import Changed
from membrane.usecases.search.indexing.index_records import index_all


def index_topics(
    changed: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Put the vectors of these topics; see `index_all`."""
    return index_all(changed, topics_of(services), services, is_out_of_time)


def topics_of(services: TopicServices) -> Collection:
    """All topics, and their vectors."""
    topics = services.topics

    def load(topic_id: str) -> Source | None:
        topic = topics.load(topic_id)
        return None if topic is None else source_of(topic)

    def load_all(topic_ids: Sequence[str]) -> Mapping[str, Source]:
        return {each: source_of(topic) for each, topic in topics.load_all(topic_ids).items()}

    return Collection(load, load_all, services.topic_vectors, services.embedders)


def source_of(topic: Topic) -> Source:
    """What the topic's vector is made from."""
    return Source(
        id=topic.id,
        scope=topic.scope,
        type=MemoryType.ENTITY,
        sensitivity=topic.sensitivity,
        version=index_version(topic.base.born_s, topic.version),
        render=partial(searchable_topic, topic) if is_found(topic) else None,
    )
