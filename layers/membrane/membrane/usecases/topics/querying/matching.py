"""The similarity of topics to a question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import Trust
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import Question, question_of
from membrane.domain.search.relevance import likeness
from membrane.domain.search.score import Weights
from membrane.domain.search.searchable import entry_of
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.topics.indexing import source_of
from membrane.usecases.topics.similar_topics import TYPES

MOST_EMBEDDED = 100
"""The most topics without an entry to embed; of further topics, only the words count."""

UNRELATED = 0.2
"""Texts without a common word and with a cosine up to UNRELATED are not similar."""


@dataclass(frozen=True, slots=True)
class Match:
    """An index entry, and the similarity to the question from 0 to 1."""

    entry: Entry
    similarity: float
    parts: Mapping[str, float]
    """The parts of the similarity; see `likeness`."""

    @property
    def is_similar(self) -> bool:
        """Whether the entry shares a word, a name or much of the meaning with the question."""
        has_word = self.parts["lexical"] > 0.0 or self.parts["marks"] > 0.0
        return has_word or self.parts["dense"] > UNRELATED


@dataclass(frozen=True, slots=True)
class Matching:
    """A question, with the scopes and the trust of the search."""

    question: Question
    dense: Sequence[float]
    scopes: Sequence[str]
    trust: Trust
    weights: Weights
    fresh: Mapping[str, Entry]
    """By id, entries of topics as of now; the index has older entries, or none."""

    def search(self, world: World) -> list[Entry]:
        """The visible hits of the index. Raises WrongEmbedder."""
        search = Search(self.question, self.dense, self.scopes, self.trust.ceiling, TYPES)
        found = world.topic_search.search(search).entries
        return [entry for entry in found if self.trust.allows(entry.scope, entry.sensitivity)]

    def rank(self, entries: Iterable[Entry]) -> list[Match]:
        """The entries and the fresh entries, the most similar first; ties by id."""
        every = {**{each.record_id: each for each in entries}, **self.fresh}
        # a stable order, because sums of floats depend on the order
        several = sorted(every.values(), key=lambda entry: (entry.scope, entry.record_id))
        parts = likeness(self.question, self.dense, several)
        matches = [
            Match(entry, self._similarity(own), own)
            for entry, own in zip(several, parts, strict=True)
        ]
        return sorted(matches, key=lambda match: (-match.similarity, match.entry.record_id))

    def _similarity(self, parts: Mapping[str, float]) -> float:
        most = self.weights.score(dict.fromkeys(parts, 1.0))
        return min(1.0, self.weights.score(parts) / most) if most else 0.0


def matching_of(
    question_text: str,
    fresh: Sequence[Topic],
    scopes: Sequence[str],
    trust: Trust,
    world: World,
) -> Matching:
    """The question, with entries of topics that the index does not know as of now."""
    question = question_of(question_text, world.now())
    searchables = [searchable_topic(topic) for topic in fresh]
    texts = [each.text for each in searchables[:MOST_EMBEDDED]]
    dense, *vectors = world.embedder.embed([question.text, *texts])
    vectors += [[0.0] * len(dense)] * (len(searchables) - len(texts))
    entries = {
        topic.id: entry_of(source_of(topic), searchable, vector)
        for topic, searchable, vector in zip(fresh, searchables, vectors, strict=True)
    }
    return Matching(question, dense, scopes, trust, world.weights, entries)
