"""Find topics of similar meaning in the search index."""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.likely_topics import similarity
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import load_topics

TYPES = frozenset((MemoryType.ENTITY,))
"""The memory type of all index entries of topics."""

MAX_SUGGESTED = 8

LOOKED_AT = 4 * MAX_SUGGESTED
"""Hits of the index to load: some may be archived, merged or hidden by now."""


class NearEntry(NamedTuple):
    """The index entry of a topic, possibly older than the topic, and the similarity."""

    entry: Entry
    similarity: float


def similar_entries(
    topic: Topic, scopes: Sequence[str], trust: Trust, world: World
) -> Sequence[NearEntry]:
    """Index entries similar to a topic, written or not; the most similar first.

    Empty for a topic without text and without scopes to search. Raises WrongEmbedder.
    """
    text = searchable_topic(topic).text
    if not text or not scopes:
        return ()
    [dense] = world.embedder.embed([text])
    near = [
        NearEntry(entry, similarity(dense, entry))
        for entry in entries_for_text(text, dense, scopes, trust.ceiling, world)
        if entry.record_id != topic.id and trust.allows(entry.scope, entry.sensitivity)
    ]
    return sorted(near, key=lambda each: (-each.similarity, each.entry.record_id))


def entries_for_text(
    text: str,
    dense: Sequence[float],
    scopes: Sequence[str],
    ceiling: Sensitivity,
    world: World,
) -> Sequence[Entry]:
    """The index entries of topics found for a text and the vector of the text; see `Search`."""
    search = Search(question_of(text, world.now()), dense, scopes, ceiling, TYPES)
    return world.topic_search.search(search).entries


def similar_topics(topic: Topic, trust: Trust, world: World) -> list[str]:
    """Ids of the most similar active topics visible to the trust: a hint for a writer."""
    near = similar_entries(topic, _scopes(topic, trust, world), trust, world)[:LOOKED_AT]
    there = load_topics([each.entry.record_id for each in near], trust, world.topics)
    ends = (there.get(each.entry.record_id) for each in near)
    active = [each.id for each in ends if each is not None and each.status is TopicStatus.ACTIVE]
    return [each for each in dict.fromkeys(active) if each != topic.id][:MAX_SUGGESTED]


def _scopes(topic: Topic, trust: Trust, world: World) -> Sequence[str]:
    """Every scope of the trust; if too many, the scope of the topic, and unscoped."""
    known = world.topic_search.scopes
    try:
        return trust.known_scopes(known, "a suggestion goes through", "in trust.scopes")
    except InvalidArgument:
        return sorted({"", topic.scope})
