"""The candidates of a query, the best first, loaded on demand.

With a question, the order is the similarity to the question; without, the salience. Every hit of a
search is loaded before the hit counts: the next hit takes the place of a missing or hidden topic.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.fields import record_named
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import Question, question_of
from membrane.domain.search.relevance import likeness
from membrane.domain.search.score import Weights
from membrane.domain.search.searchable import entry_of
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.requests.reading import QueryTopics, Stage
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.search.reindex import embedder_in_use
from membrane.usecases.topics.indexing import source_of
from membrane.usecases.topics.loading import Saliences, load_topics
from membrane.usecases.topics.similar_topics import TYPES
from membrane.usecases.topics.walk import Walk

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


MOST_EXAMINED = 1_000
"""The most topics that a query examines, besides topics named by id."""

WEIGHED = 99
"""Topics to order at a time by full salience, in a query without a question.

A `Walk` looks for one topic more: the sum is as many as a request reads.
"""


class Source(StrEnum):
    """The origin of a candidate."""

    SEARCH = "search"
    NAMED = "topic_ids"
    TOKEN = "consistency_tokens"  # noqa: S105 - the word for what a caller sent
    ARCHIVE = "include_archived"
    SALIENCE = "salience"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A topic that the query may show."""

    topic: Topic
    source: Source
    similarity: float | None
    """From 0 to 1; None without a question."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """The parts of the similarity."""


def candidates(request: QueryTopics, trust: Trust, saliences: Saliences) -> Iterator[Candidate]:
    """The topics that the query may show to the trust: each once, the best first.

    Raises InvalidArgument for a foreign consistency token and if scopes must be named;
    WrongEmbedder.
    """
    written = [record_named(token) for token in request.consistency_tokens]
    question = request.q if Stage.SEMANTIC in request.stages else None
    search = _CandidateSearch(request, question, written, trust, saliences)
    is_ranked = bool(question and question.strip())
    if request.topic_ids:
        return search.ranked_named_topics() if is_ranked else search.named_topics()
    return search.ranked_topics() if is_ranked else search.most_salient()


@dataclass(frozen=True, slots=True)
class _CandidateSearch:
    request: QueryTopics
    question: str | None
    """None: no ranking by a question; blank: nothing to rank by."""
    token_ids: Sequence[str]
    """Ids of topics to read as of now, because the index may lag behind."""
    trust: Trust
    saliences: Saliences

    def named_topics(self) -> Iterator[Candidate]:
        """Topics named by id, archived topics too: in the order given, or by salience."""
        named = self._load(self.request.topic_ids or ())
        ordered = named if self.question is None else self.saliences.most_salient_first(named)
        return (Candidate(topic, Source.NAMED, self._unranked_similarity) for topic in ordered)

    def most_salient(self) -> Iterator[Candidate]:
        """By assigned salience and, within batches of at least WEIGHED, by full salience."""
        written = self._token_topics()
        topics = self.world.topics
        walk = self._walk(self._scopes(partial(topics.scopes, None, MAX_SCOPES + 2)))
        size = max(WEIGHED, 2 * self.request.top_k)
        seen: set[str] = set()
        for _ in range(max(1, MOST_EXAMINED // size)):
            some = [each for each in _distinct([*written, *walk.take(size)]) if each.id not in seen]
            written = []
            seen |= {each.id for each in some}
            for topic in self.saliences.most_salient_first(some):
                yield Candidate(topic, Source.SALIENCE, self._unranked_similarity)
            if walk.is_ended:
                return

    def ranked_named_topics(self) -> Iterator[Candidate]:
        """All named topics, however small the similarity to the question.

        The embedder of the stored vectors also embeds the question: the vectors are compared.
        """
        embedder = embedder_in_use(self.world.embedder)
        world = self.world.but(embedder=embedder)
        by_id = {topic.id: topic for topic in self._load(self.request.topic_ids or ())}
        stored = world.topic_search.at(list(by_id), embedder.dimensions)
        known = {each.record_id for each in stored} - {topic.id for topic in self._token_topics()}
        fresh = [topic for topic in by_id.values() if topic.id not in known]
        scopes = sorted({topic.scope for topic in by_id.values()})[:MAX_SCOPES]
        matching = matching_of(self.question or "", fresh, scopes, self.trust, world)
        for match in matching.rank(stored):
            topic = by_id[match.entry.record_id]
            yield Candidate(topic, Source.NAMED, match.similarity, match.parts)

    def ranked_topics(self) -> Iterator[Candidate]:
        """Hits of the index, and topics unknown to the index: new topics and archived topics."""
        scopes = self._scopes(self.world.topic_search.scopes)
        archived = self._archived_topics(scopes)
        known = archived | {topic.id: topic for topic in self._token_topics()}
        fresh = list(known.values())
        at_once = self.request.top_k
        matching = matching_of(self.question or "", fresh, scopes, self.trust, self.world)
        ranked = matching.rank(matching.search(self.world))
        like = [match for match in ranked if match.is_similar]
        given: set[str] = set()
        for start in range(0, len(like), at_once):
            some = like[start : start + at_once]
            unknown = [each.entry.record_id for each in some if each.entry.record_id not in known]
            there = known | dict(load_topics(unknown, self.trust, self.world.topics))
            for match in some:
                topic = there.get(match.entry.record_id)
                if topic is not None and topic.id not in given and self._admits(topic):
                    given.add(topic.id)
                    source = Source.TOKEN if topic.id in known else Source.SEARCH
                    source = Source.ARCHIVE if topic.id in archived else source
                    yield Candidate(topic, source, match.similarity, match.parts)

    def _archived_topics(self, scopes: Sequence[str]) -> dict[str, Topic]:
        """By id, archived topics, if requested: the index has none.

        The search goes through the MOST_EXAMINED topics with the highest assigned salience.
        """
        if not self.request.include_archived:
            return {}
        topics = self._walk(scopes).take(MOST_EXAMINED)
        return {topic.id: topic for topic in topics if topic.status is TopicStatus.ARCHIVED}

    def _walk(self, scopes: Sequence[str]) -> Walk:
        return Walk(scopes, self.trust, self.world.topics, self.request.include_archived)

    def _token_topics(self) -> list[Topic]:
        return [topic for topic in self._load(self.token_ids) if self._admits(topic)]

    def _load(self, topic_ids: Sequence[str]) -> list[Topic]:
        if not topic_ids:
            return []
        return _distinct(load_topics(topic_ids, self.trust, self.world.topics).values())

    def _admits(self, topic: Topic) -> bool:
        """Whether the query admits a topic that was not named by id."""
        is_archived = topic.status is TopicStatus.ARCHIVED
        return topic.status is TopicStatus.ACTIVE or (is_archived and self.request.include_archived)

    def _scopes(self, known: Callable[[str], Iterable[str]]) -> Sequence[str]:
        """The scopes of the trust, and unscoped."""
        return self.trust.known_scopes(known, "a query goes through", "in trust.scopes")

    @property
    def world(self) -> World:
        return self.saliences.world

    @property
    def _unranked_similarity(self) -> float | None:
        """The similarity without a ranking: None without a question, 0 for a blank question."""
        return None if self.question is None else 0.0


def _distinct(topics: Iterable[Topic]) -> list[Topic]:
    return list({topic.id: topic for topic in topics}.values())
