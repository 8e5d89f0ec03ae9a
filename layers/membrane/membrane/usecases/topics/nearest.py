"""Topics that are like another one, by meaning, as the search index knows them."""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.resolving import similarity
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.named_scopes import known_scopes, named_scopes
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import load_topics

TYPES = frozenset((MemoryType.ENTITY,))
"""Of the entries of topics."""

MAX_SUGGESTED = 8

LOOKED_AT = 4 * MAX_SUGGESTED
"""Of what the index finds: some may be archived, merged or hidden since."""


class Near(NamedTuple):
    """The entry of a topic, which may be newer by now, and how like the topic is."""

    entry: Entry
    similarity: float


def nearest(
    topic: Topic, scopes: Sequence[str], trust: Trust, services: TopicServices
) -> Sequence[Near]:
    """What the index finds for a topic, whether or not it is written; the likest first.

    Nothing for a topic that says nothing. Raises WrongEmbedder.
    """
    text = searchable_topic(topic).text
    if not text or not scopes:
        return ()
    [dense] = services.embedder.embed([text])
    near = [
        Near(entry, similarity(dense, entry))
        for entry in entries_near(text, dense, scopes, trust.ceiling, services)
        if entry.record_id != topic.id and trust.allows(entry.scope, entry.sensitivity)
    ]
    return sorted(near, key=lambda each: (-each.similarity, each.entry.record_id))


def entries_near(
    text: str,
    dense: Sequence[float],
    scopes: Sequence[str],
    ceiling: Sensitivity,
    services: TopicServices,
) -> Sequence[Entry]:
    """The entries of topics that the index finds for a text and its vector; see `Search`."""
    search = Search(question_of(text, services.now()), dense, scopes, ceiling, TYPES)
    return services.topic_search.search(search).entries


def similar_topics(topic: Topic, trust: Trust, services: TopicServices) -> list[str]:
    """Ids of the likest other topics, as far as this trust shows them: a hint for a writer."""
    near = nearest(topic, _scopes(topic, trust, services), trust, services)[:LOOKED_AT]
    there = load_topics([each.entry.record_id for each in near], trust, services.topics)
    ends = (there.get(each.entry.record_id) for each in near)
    active = [each.id for each in ends if each is not None and each.status is TopicStatus.ACTIVE]
    return [each for each in dict.fromkeys(active) if each != topic.id][:MAX_SUGGESTED]


def _scopes(topic: Topic, trust: Trust, services: TopicServices) -> Sequence[str]:
    """All that the trust covers; where these are too many, the topic's own and what is unscoped."""
    named = known_scopes(trust, services.topic_search.scopes)
    try:
        return named_scopes(named, "a suggestion goes through", "in trust.scopes")
    except InvalidArgument:
        return sorted({"", topic.scope})
