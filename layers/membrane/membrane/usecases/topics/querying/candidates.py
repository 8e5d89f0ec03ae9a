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
from membrane.domain.topics.placing.observations import TYPES, searchable_topic
from membrane.domain.topics.requests.reading import QueryTopics, Stage
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.search.reindex import embedder_in_use
from membrane.usecases.topics.indexing import source_of
from membrane.usecases.topics.loading import Saliences, load_topics
from membrane.usecases.topics.reading.list_topics import Walk

MOST_EMBEDDED = 100
"""The most topics without an entry to embed; of further topics, only the words count."""

UNRELATED = 0.2
"""Texts without a common word and with a cosine up to UNRELATED are not similar."""


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
    world = saliences.world
    token_ids = [record_named(token) for token in request.consistency_tokens]
    question = request.q if Stage.SEMANTIC in request.stages else None

    def token_topics() -> list[Topic]:
        """The topics to read as of now, because the index may lag behind."""
        return [each for each in _visible(token_ids, trust, world) if _admits(request, each)]

    if question is not None and question.strip():
        if request.topic_ids:
            named = _visible(request.topic_ids, trust, world)
            return _ranked_named_topics(question, named, token_topics, world)
        return _ranked_topics(question, request, token_topics, trust, world)
    if request.topic_ids:
        named = _visible(request.topic_ids, trust, world)
        ordered = named if question is None else saliences.most_salient_first(named)
        several = ((topic, Source.NAMED) for topic in ordered)
    else:
        salient = _most_salient(request, token_topics, trust, saliences)
        several = ((topic, Source.SALIENCE) for topic in salient)
    similarity = None if question is None else 0.0
    return (Candidate(topic, source, similarity) for topic, source in several)


TokenTopics = Callable[[], list[Topic]]


def _most_salient(
    request: QueryTopics, token_topics: TokenTopics, trust: Trust, saliences: Saliences
) -> Iterator[Topic]:
    """By assigned salience and, within batches of at least WEIGHED, by full salience."""
    fresh, topics = token_topics(), saliences.world.topics
    scopes = _scopes(trust, partial(topics.scopes, None, MAX_SCOPES + 2))
    walk = Walk(scopes, trust, topics, request.include_archived)
    size = max(WEIGHED, 2 * request.top_k)
    seen: set[str] = set()
    for _ in range(max(1, MOST_EXAMINED // size)):
        some = [each for each in _distinct([*fresh, *walk.take(size)]) if each.id not in seen]
        fresh = []
        seen |= {each.id for each in some}
        yield from saliences.most_salient_first(some)
        if walk.is_ended:
            return


def _ranked_named_topics(
    question: str, named: Sequence[Topic], token_topics: TokenTopics, world: World
) -> Iterator[Candidate]:
    """All named topics, however small the similarity to the question.

    The embedder of the stored vectors also embeds the question: the vectors are compared.
    """
    embedder = embedder_in_use(world.embedder)
    by_id = {topic.id: topic for topic in named}
    stored = world.topic_search.at(list(by_id), embedder.dimensions)
    known = {each.record_id for each in stored} - {topic.id for topic in token_topics()}
    fresh = [topic for topic in named if topic.id not in known]
    world = world.but(embedder=embedder)
    for topic_id, similarity, parts in _matches(question, fresh, lambda *_: stored, world):
        yield Candidate(by_id[topic_id], Source.NAMED, similarity, parts)


def _ranked_topics(
    question: str, request: QueryTopics, token_topics: TokenTopics, trust: Trust, world: World
) -> Iterator[Candidate]:
    """Hits of the index, and topics unknown to the index: new topics and archived topics.

    Archived topics are looked for among the MOST_EXAMINED topics of the highest assigned salience.
    """
    scopes = _scopes(trust, world.topic_search.scopes)
    archived: dict[str, Topic] = {}
    if request.include_archived:
        walk = Walk(scopes, trust, world.topics, include_archived=True)
        several = walk.take(MOST_EXAMINED)
        archived = {each.id: each for each in several if each.status is TopicStatus.ARCHIVED}
    known = archived | {topic.id: topic for topic in token_topics()}

    def hits(asked: Question, dense: Sequence[float]) -> list[Entry]:
        search = Search(asked, dense, scopes, trust.ceiling, TYPES)
        found = world.topic_search.search(search).entries
        return [entry for entry in found if trust.allows(entry.scope, entry.sensitivity)]

    matches = _matches(question, list(known.values()), hits, world)
    like = [match for match in matches if _is_similar(match[2])]
    given: set[str] = set()
    for start in range(0, len(like), request.top_k):
        some = like[start : start + request.top_k]
        unknown = [topic_id for topic_id, _, _ in some if topic_id not in known]
        there = known | dict(load_topics(unknown, trust, world.topics))
        for topic_id, similarity, parts in some:
            topic = there.get(topic_id)
            if topic is not None and topic.id not in given and _admits(request, topic):
                given.add(topic.id)
                source = Source.TOKEN if topic.id in known else Source.SEARCH
                source = Source.ARCHIVE if topic.id in archived else source
                yield Candidate(topic, source, similarity, parts)


def _matches(
    text: str,
    fresh: Sequence[Topic],
    find: Callable[[Question, Sequence[float]], Iterable[Entry]],
    world: World,
) -> list[tuple[str, float, Mapping[str, float]]]:
    """Ids of topics, the most similar to the question first, with the similarity and its parts.

    The similarity is from 0 to 1; see `likeness` for the parts. Ties are ordered by id. `find` has
    the entries of the index, `fresh` the topics of which the index has older entries, or none.
    """
    question = question_of(text, world.now())
    searchables = [searchable_topic(topic) for topic in fresh]
    texts = [each.text for each in searchables[:MOST_EMBEDDED]]
    dense, *vectors = world.embedder.embed([question.text, *texts])
    vectors += [[0.0] * len(dense)] * (len(searchables) - len(texts))
    entries = {each.record_id: each for each in find(question, dense)} | {
        topic.id: entry_of(source_of(topic), searchable, vector)
        for topic, searchable, vector in zip(fresh, searchables, vectors, strict=True)
    }
    # a stable order, because sums of floats depend on the order
    several = sorted(entries.values(), key=lambda entry: (entry.scope, entry.record_id))
    matches = [
        (entry.record_id, _similarity(parts, world.weights), parts)
        for entry, parts in zip(several, likeness(question, dense, several), strict=True)
    ]
    return sorted(matches, key=lambda match: (-match[1], match[0]))


def _similarity(parts: Mapping[str, float], weights: Weights) -> float:
    most = weights.score(dict.fromkeys(parts, 1.0))
    return min(1.0, weights.score(parts) / most) if most else 0.0


def _is_similar(parts: Mapping[str, float]) -> bool:
    return parts["lexical"] > 0.0 or parts["marks"] > 0.0 or parts["dense"] > UNRELATED


def _admits(request: QueryTopics, topic: Topic) -> bool:
    is_archived = topic.status is TopicStatus.ARCHIVED
    return topic.status is TopicStatus.ACTIVE or (is_archived and request.include_archived)


def _scopes(trust: Trust, known: Callable[[str], Iterable[str]]) -> Sequence[str]:
    return trust.known_scopes(known, "a query goes through", "in trust.scopes")


def _visible(topic_ids: Sequence[str], trust: Trust, world: World) -> list[Topic]:
    return _distinct(load_topics(topic_ids, trust, world.topics).values()) if topic_ids else []


def _distinct(topics: Iterable[Topic]) -> list[Topic]:
    return list({topic.id: topic for topic in topics}.values())
