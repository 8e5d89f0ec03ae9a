"""Suggest topics that are like one that is written to (spec 2.3)."""

from collections.abc import Sequence

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.nearest import nearest

MAX_SUGGESTED = 8

LOOKED_AT = 4 * MAX_SUGGESTED
"""Of what the index finds: some may be archived, merged or hidden since."""


def similar_topics(topic: Topic, trust: Trust, services: TopicServices) -> list[str]:
    """Ids of those that are likest, and never its own; only what this trust shows."""
    scopes = _scopes(topic, trust, services)
    near = nearest(topic, scopes, trust, services)[:LOOKED_AT]
    there = load_topics([each.topic_id for each in near], trust, services.topics)
    ends = (there.get(each.topic_id) for each in near)
    active = [each.id for each in ends if each is not None and each.status is TopicStatus.ACTIVE]
    return [each for each in dict.fromkeys(active) if each != topic.id][:MAX_SUGGESTED]


def _scopes(topic: Topic, trust: Trust, services: TopicServices) -> Sequence[str]:
    """All that this trust covers; where these are too many, the topic's own and what is unscoped.

    It is a hint, for which nobody has to name scopes.
    """
    named = services.topic_search.scopes() if trust.scopes is None else trust.scopes
    try:
        return named_scopes(named, "a suggestion goes through", "in trust.scopes")
    except InvalidArgument:
        return sorted({"", topic.scope})
