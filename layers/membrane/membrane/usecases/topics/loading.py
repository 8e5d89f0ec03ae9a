"""Load topics with the rights of a principal: follow aliases, hide topics outside the trust."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.topic import HIDDEN, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


NOT_FOUND = "topic not found"

EVERYTHING = Trust(Sensitivity.HYPER, None)

LIVING = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)

MAX_ALIASES = 16
"""The longest chain of aliases that a load follows."""


def load_topic(
    topic_id: str, trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Topic:
    """The topic with the id; for an alias, the topic at the end of the chain.

    Raises NotFound for an absent topic, a topic outside the trust, or a deleted or erased topic
    without `deleted`.
    """
    found = load_topics([topic_id], trust, topics, deleted=deleted).get(topic_id)
    if found is None:
        raise NotFound(NOT_FOUND)
    return found


def load_topics(
    topic_ids: Iterable[str], trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Mapping[str, Topic]:
    """The topics that `load_topic` finds, by requested id; far fewer requests than ids."""
    asked = [each for each in dict.fromkeys(topic_ids) if RECORD_ID.fullmatch(each)]
    known: dict[str, Topic] = {}
    wanted = asked
    for _ in range(MAX_ALIASES):
        if not wanted:
            break
        known |= topics.load_all(wanted, trust)
        next_ids = {each.merged.into for each in known.values() if each.merged is not None}
        wanted = sorted(next_ids - known.keys())
    ends = {topic_id: _end(topic_id, known) for topic_id in asked}
    return {
        topic_id: topic
        for topic_id, topic in ends.items()
        if topic is not None
        and trust.allows(topic.scope, topic.sensitivity)
        and (deleted or topic.status not in HIDDEN)
    }


def _end(topic_id: str, known: Mapping[str, Topic]) -> Topic | None:
    """The topic at the end of a chain of aliases; None for a chain that leads nowhere."""
    topic = known.get(topic_id)
    for _ in range(MAX_ALIASES):
        if topic is None or topic.merged is None:
            return topic
        topic = known.get(topic.merged.into)
    return None
