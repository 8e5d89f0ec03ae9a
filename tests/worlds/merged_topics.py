"""Topics merged and unmerged at will."""

from typing import Any

from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import merge_duplicates
from membrane.domain.topics.requests.editing import CreateTopic, UnmergeTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.reasoning.unmerging import unmerge_topic
from membrane.usecases.topics.writing import Decision, write
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
from tests.builders.stored_topics import first_broken


def standing(services: World, topic_id: str) -> Topic:
    """The topic as it is stored, whose trail is whole."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    trail = services.topics.events(topic)
    assert len(trail) == topic.events
    assert first_broken(topic.id, trail) is None
    return topic


def merge(services: World, keeper_id: str, other_id: str) -> None:
    """Let one topic take in the other, whatever either says."""

    def decide(context: Any) -> Decision:
        keeper, other = (standing(services, each) for each in (keeper_id, other_id))
        after, alias = merge_duplicates(Duplicate(keeper, other, Ground.TITLE, 1.0), context)
        change = TopicChange(topics=((keeper, after), (other, alias)), token=context.token)
        return Decision(change, {})

    write(decide, call(CreateTopic(), OWNER), services)


def unmerge(services: World, topic_id: str, **asked: Any) -> dict[str, Any]:
    """Take the topic out again of what it is in; what is answered."""
    request = UnmergeTopic(id=topic_id, **asked)
    return dict(unmerge_topic(request, call(request, OWNER), services).body)
