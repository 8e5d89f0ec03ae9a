"""Update the data derived from topics: the search vectors, and the change marks for reasoning.

`membrane.usecases.search.indexing` makes the vectors of records in the same way. Only active
topics are found: the write that archives, deletes or merges a topic removes the vector.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.standing import index_version
from membrane.domain.topics.placing.observations import searchable_topic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import is_found
from membrane.usecases.machinery.calls import TRANSIENT, IsOutOfTime, never
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search import indexing

TELL_REASON = "TellReason"
"""The operation in fault reports about messages to the reasoning function."""


def follow_topics(
    changed: Iterable[indexing.ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> indexing.IndexTally:
    """Index changed topics, then mark the topics for reasoning, which searches the new entries.

    An erased topic is not marked: a mark would name its scope again. Raises the errors of
    `index_all`.
    """
    every = indexing.merge_changes(changed)
    erased: set[str] = set()
    indexed = index_topics(every, world, is_out_of_time, erased)
    by_scope: dict[str, list[str]] = defaultdict(list)
    for each in every:
        for scope in each.scopes if each.record_id not in erased else ():
            by_scope[scope].append(each.record_id)
    for scope, topic_ids in by_scope.items():
        if world.topics.mark(scope, topic_ids):
            _notify_reasoning(scope, world)
    return indexed


def index_topics(
    changed: Iterable[indexing.ChangedSource],
    world: World,
    is_out_of_time: IsOutOfTime = never,
    erased: set[str] | None = None,
) -> indexing.IndexTally:
    """Put the vectors of changed topics, and add the erased ones to `erased`; see `index_all`."""
    topics, met = world.topics, set[str]() if erased is None else erased

    def load(topic_ids: Sequence[str]) -> Mapping[str, indexing.Source]:
        found = topics.load_all(topic_ids)
        met.update(each for each in found if found[each].status is TopicStatus.ERASED)
        return {each: source_of(topic) for each, topic in found.items()}

    return indexing.index_all(changed, load, world.topic_vectors, world, is_out_of_time)


def source_of(topic: Topic) -> indexing.Source:
    return indexing.Source(
        id=topic.id,
        scope=topic.scope,
        type=MemoryType.ENTITY,
        sensitivity=topic.sensitivity,
        version=index_version(topic.base.born_s, topic.version),
        render=partial(searchable_topic, topic) if is_found(topic) else None,
    )


def _notify_reasoning(scope: str, world: World) -> None:
    """Send a message to the reasoning function; without a message, the schedule finds the marks."""
    try:
        world.send_to_reasoning({"scope": scope}, world.topic_policy.debounce_s)
    except TRANSIENT as error:
        world.report(TELL_REASON, FAULT, error)
