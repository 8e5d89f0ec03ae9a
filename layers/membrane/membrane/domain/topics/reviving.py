"""A topic that is used again: nothing of what was forgotten of it is missing."""

from dataclasses import replace

from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.founding import USUAL_SALIENCE
from membrane.domain.topics.ladder import as_at_first
from membrane.domain.topics.making import NEVER_READ, Circumstances, Happening
from membrane.domain.topics.salience import salience_of
from membrane.domain.topics.topic import Topic, TopicStatus


def revived(
    topic: Topic, during: Circumstances, why: str = ""
) -> tuple[Topic, tuple[Happening, ...]]:
    """The topic out of the archive, and what that is for its trail; of any other one nothing."""
    if topic.status is not TopicStatus.ARCHIVED:
        return topic, ()
    return awake(topic, during), (Happening(EventKind.REVIVED, {}, why),)


def awake(topic: Topic, during: Circumstances) -> Topic:
    """The topic active and whole, and no step of the ladder due at once."""
    return lively(replace(as_at_first(topic), status=TopicStatus.ACTIVE), during)


def lively(topic: Topic, during: Circumstances) -> Topic:
    """The topic as salient as a new one, where it has faded so that it would soon be forgotten."""
    if salience_of(topic, NEVER_READ, during.now_s).total > during.policy.summarise_below:
        return topic
    return replace(topic, base=Anchor(USUAL_SALIENCE, during.now_s, topic.base.born_s))
