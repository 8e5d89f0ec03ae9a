"""Bring what is derived from topics up to date: their vectors, and the notes for reasoning.

Vectors are made as `membrane.usecases.search.indexing.index_records` makes those of records. Only
active topics are found: the write that archives, deletes or merges a topic removes its vector.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.vector_rules import index_version
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.searched import is_found
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Collection, Indexed, Source
from membrane.usecases.search.indexing.changes import Changed, merge_changes
from membrane.usecases.search.indexing.index_records import index_all

TELL_REASON = "TellReason"
"""How it is reported that the function that reasons could not be told."""


def follow_topics(
    changed: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Index these topics, then note them, so that whoever reasons about them finds their entries.

    Raises as `index_all`.
    """
    every = merge_changes(changed)
    indexed = index_topics(every, services, is_out_of_time)
    by_scope: dict[str, list[str]] = defaultdict(list)
    for each in every:
        for scope in each.scopes:
            by_scope[scope].append(each.record_id)
    for scope, topic_ids in by_scope.items():
        if services.topics.mark(scope, topic_ids):
            _tell(scope, services)
    return indexed


def index_topics(
    changed: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Put the vectors of these topics; see `index_all`."""
    topics = services.topics

    def load(topic_id: str) -> Source | None:
        topic = topics.load(topic_id)
        return None if topic is None else source_of(topic)

    def load_all(topic_ids: Sequence[str]) -> Mapping[str, Source]:
        return {each: source_of(topic) for each, topic in topics.load_all(topic_ids).items()}

    every = Collection(load, load_all, services.topic_vectors, services.embedders)
    return index_all(changed, every, services, is_out_of_time)


def source_of(topic: Topic) -> Source:
    return Source(
        id=topic.id,
        scope=topic.scope,
        type=MemoryType.ENTITY,
        sensitivity=topic.sensitivity,
        version=index_version(topic.base.born_s, topic.version),
        render=partial(searchable_topic, topic) if is_found(topic) else None,
    )


def _tell(scope: str, services: TopicServices) -> None:
    """Where this fails, or is never reached, the schedule's next run finds the notes."""
    try:
        services.send_to_reasoning({"scope": scope}, services.topic_policy.debounce_s)
    except TRANSIENT as error:
        services.report(TELL_REASON, FAULT, error)
