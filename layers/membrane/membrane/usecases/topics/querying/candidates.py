"""Which topics a query is about, the best first; read as they are needed.

With a question they come by what they have to do with it, else by salience. What a search finds is
looked at before it counts: what is gone, or may not be seen, makes way for what comes behind it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.changeover import embedder_in_use
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.querying.matching import matching_of
from membrane.usecases.topics.reading.list_topics import Walk
from membrane.usecases.topics.saliences import Saliences

MOST_EXAMINED = 1_000
"""Topics that one query goes through, apart from those named."""

WEIGHED = 99
"""Topics that are put in order by all of their salience, where there is no question.

With the one more that a `Walk` looks for they are as many as one request reads.
"""


class Source(StrEnum):
    """Where a candidate came from."""

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
    """From 0 to 1; None where nobody asked."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the similarity is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a query looks for, and for whom."""

    trust: Trust
    question: str | None
    """None where nothing is ranked by it; blank: nothing to rank by."""
    at_once: int
    """How many topics are wanted."""
    topic_ids: Sequence[str] = ()
    """Empty = every topic."""
    written: Sequence[str] = ()
    """Topics that must be known as they are now, although the index may lag behind."""
    include_archived: bool = False

    @property
    def is_ranked(self) -> bool:
        """Whether there is something to rank by."""
        return self.question is not None and bool(self.question.strip())

    def admits(self, topic: Topic) -> bool:
        """Whether a topic that was not named by its id is among what is asked for."""
        is_archived = topic.status is TopicStatus.ARCHIVED
        return topic.status is TopicStatus.ACTIVE or (is_archived and self.include_archived)

    @property
    def unranked(self) -> float | None:
        """The similarity where there is nothing to rank by."""
        return None if self.question is None else 0.0


def candidates(
    wanted: Wanted, saliences: Saliences, services: TopicServices
) -> Iterator[Candidate]:
    """Each once, the best first.

    Raises InvalidArgument where the scopes must be named; WrongEmbedder.
    """
    if wanted.topic_ids:
        named = _distinct(load_topics(wanted.topic_ids, wanted.trust, services.topics).values())
        return _of_named(named, wanted, saliences, services)
    if wanted.is_ranked:
        return _found(wanted, services)
    return _most_salient(wanted, saliences, services)


# --- without a question -------------------------------------------------------------------------


def _of_named(
    named: Sequence[Topic], wanted: Wanted, saliences: Saliences, services: TopicServices
) -> Iterator[Candidate]:
    """Those that were named, archived ones too: ranked, or else in the order given."""
    if wanted.is_ranked:
        return _ranked_among(named, wanted, services)
    ordered = named if wanted.question is None else saliences.ordered(named)
    return (Candidate(topic, Source.NAMED, wanted.unranked) for topic in ordered)


def _most_salient(
    wanted: Wanted, saliences: Saliences, services: TopicServices
) -> Iterator[Candidate]:
    """By the salience that topics were given, and, WEIGHED of them at a time, by all of it."""
    told = _written(wanted, services)
    every = partial(services.topics.scopes, None, MAX_SCOPES + 2)
    walk = _walk(_scopes(wanted.trust, every), wanted, services)
    size = max(WEIGHED, 2 * wanted.at_once)
    seen: set[str] = set()
    for _ in range(max(1, MOST_EXAMINED // size)):
        some = [each for each in _distinct([*told, *walk.take(size)]) if each.id not in seen]
        told = []
        seen |= {each.id for each in some}
        for topic in saliences.ordered(some):
            yield Candidate(topic, Source.SALIENCE, wanted.unranked)
        if walk.is_ended:
            return


def _walk(scopes: Sequence[str], wanted: Wanted, services: TopicServices) -> Walk:
    return Walk(scopes, wanted.trust, services.topics, include_archived=wanted.include_archived)


# --- by a question ------------------------------------------------------------------------------


def _ranked_among(
    named: Sequence[Topic], wanted: Wanted, services: TopicServices
) -> Iterator[Candidate]:
    """All of these, however little they have to do with the question.

    Stored vectors are compared with the question's, so one embedder makes both.
    """
    services = replace(services, embedder=embedder_in_use(services.embedder))
    ids, dimensions = [topic.id for topic in named], services.embedder.dimensions
    stored = {each.record_id: each for each in services.topic_search.at(ids, dimensions)}
    lately = {topic.id for topic in _written(wanted, services)}
    fresh = [topic for topic in named if topic.id not in stored or topic.id in lately]
    scopes = sorted({topic.scope for topic in named})[:MAX_SCOPES]
    matching, made = matching_of(wanted.question or "", fresh, scopes, wanted.trust, services)
    by_id = {topic.id: topic for topic in named}
    for match in matching.ranked({**stored, **made}.values()):
        topic = by_id[match.entry.record_id]
        yield Candidate(topic, Source.NAMED, match.similarity, match.parts)


def _found(wanted: Wanted, services: TopicServices) -> Iterator[Candidate]:
    """What the index finds, and what it does not know: topics just written, and archived ones."""
    scopes = _scopes(wanted.trust, services.topic_search.scopes)
    sources = dict.fromkeys(archived := _archived(scopes, wanted, services), Source.ARCHIVE)
    known = archived | {topic.id: topic for topic in _written(wanted, services)}
    fresh = list(known.values())
    matching, made = matching_of(wanted.question or "", fresh, scopes, wanted.trust, services)
    stored = {each.record_id: each for each in matching.search(services)}
    ranked = [match for match in matching.ranked({**stored, **made}.values()) if match.is_like]
    given: set[str] = set()
    for start in range(0, len(ranked), wanted.at_once):
        some = ranked[start : start + wanted.at_once]
        there = known | _loaded([each.entry.record_id for each in some], known, wanted, services)
        for match in some:
            topic = there.get(match.entry.record_id)
            if topic is not None and topic.id not in given and wanted.admits(topic):
                given.add(topic.id)
                usual = Source.TOKEN if topic.id in known else Source.SEARCH
                source = sources.get(topic.id, usual)
                yield Candidate(topic, source, match.similarity, match.parts)


def _loaded(
    topic_ids: Sequence[str], known: Mapping[str, Topic], wanted: Wanted, services: TopicServices
) -> dict[str, Topic]:
    """By id those that are there and not known yet; a merged one leads to what it became."""
    unknown = [each for each in topic_ids if each not in known]
    return dict(load_topics(unknown, wanted.trust, services.topics))


def _archived(scopes: Sequence[str], wanted: Wanted, services: TopicServices) -> dict[str, Topic]:
    """By id archived topics, where they are asked for: they are in no index.

    They are looked for among MOST_EXAMINED topics, those first that were given most salience.
    """
    if not wanted.include_archived:
        return {}
    topics = _walk(scopes, wanted, services).take(MOST_EXAMINED)
    return {topic.id: topic for topic in topics if topic.status is TopicStatus.ARCHIVED}


# --- what there is ------------------------------------------------------------------------------


def _written(wanted: Wanted, services: TopicServices) -> list[Topic]:
    """What tokens name, as it is now."""
    found = load_topics(wanted.written, wanted.trust, services.topics) if wanted.written else {}
    return [topic for topic in _distinct(found.values()) if wanted.admits(topic)]


def _scopes(trust: Trust, every: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Those that the trust names, else all of these; and what is unscoped."""
    named = every() if trust.scopes is None else trust.scopes
    return named_scopes(named, "a query goes through", "in trust.scopes")


def _distinct(topics: Iterable[Topic]) -> list[Topic]:
    return list({topic.id: topic for topic in topics}.values())
