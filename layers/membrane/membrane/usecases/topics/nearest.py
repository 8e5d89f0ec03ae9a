"""Topics that are like another one, by meaning, as the search index knows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import Trust
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.resolving import similarity
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.services_topics import TopicServices

TYPES = frozenset((MemoryType.ENTITY,))
"""Of the entries of topics."""


@dataclass(frozen=True, slots=True)
class Near:
    """A topic that was found, by an entry that may be older than it, and how like it is."""

    topic_id: str
    similarity: float
    terms: bytes
    """See `Entry`."""


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
    search = Search(
        question_of(text, services.now()),
        dense,
        scopes,
        trust.ceiling,
        TYPES,
    )
    near = [
        Near(entry.record_id, similarity(dense, entry), entry.terms)
        for entry in services.topic_search.search(search).entries
        if entry.record_id != topic.id and trust.allows(entry.scope, entry.sensitivity)
    ]
    return sorted(near, key=lambda each: (-each.similarity, each.topic_id))
