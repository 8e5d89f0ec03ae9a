"""Find topics that are one and the same: by title, and by what they say."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import Entry, unpack_dense
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.resolving import similarity
from membrane.domain.topics.reasoning.duplicates import Duplicate, duplicate_of
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.titles import is_untitled, title_key
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.scope_walk import sound_topics

MAX_TITLED = 50
"""Topics of one title that are looked at, for each that has it."""

_LIVING = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the duplicates of topics of one scope."""

    scope: str
    services: TopicServices

    def duplicates_of(self, topic: Topic) -> Sequence[Duplicate]:
        """Of a topic of the scope, as the indexes know them; the surest first."""
        if is_untitled(topic.title) or topic.status not in _LIVING:
            return ()
        topics, policy = self.services.topics, self.services.topic_policy
        titled = topics.titled(title_key(topic.scope, topic.kind, topic.title), MAX_TITLED)
        similar = self._similar(topic)
        others = sound_topics(sorted({*titled, *similar} - {topic.id}), self.services)
        found = [
            duplicate_of(topic, other, similar.get(other_id), policy)
            for other_id, other in others.items()
        ]
        return sorted((each for each in found if each is not None), key=_surest)

    def _similar(self, topic: Topic) -> Mapping[str, float]:
        """By id the cosine of those near enough; nothing while the index is of another embedder."""
        with suppress(WrongEmbedder):
            for entry in self._entry(topic):
                return self._near(topic, unpack_dense(entry.dense))
        return {}

    def _entry(self, topic: Topic) -> Sequence[Entry]:
        dimensions = self.services.embedder.dimensions
        return self.services.topic_search.at([topic.id], dimensions)

    def _near(self, topic: Topic, dense: Sequence[float]) -> Mapping[str, float]:
        search = Search(
            question=question_of(searchable_topic(topic).text, self.services.now()),
            dense=dense,
            scopes=(self.scope,),
            ceiling=topic.sensitivity,
            types=frozenset((MemoryType.ENTITY,)),
        )
        found = self.services.topic_search.search(search).entries
        cosines = {each.record_id: similarity(dense, each) for each in found}
        least = self.services.topic_policy.duplicate_similarity
        return {each: near for each, near in cosines.items() if near >= least}


def _surest(duplicate: Duplicate) -> tuple[float, str, str]:
    """Those of one title before those that are alike."""
    similarity = 1.0 if duplicate.similarity is None else duplicate.similarity
    return -similarity, duplicate.keeper.id, duplicate.other.id
