"""Find the topic that an observation belongs to, and what becomes of that topic.

The topic is found by its id; else by title and kind, where no kind is a kind of its own, and heads
of titles are consistent; else, if no kind is told, by the title alone, if the index finds a single
topic of any kind with the title. The index may lag behind: right after a topic with a kind was
made, an observation without a kind can become a second topic of the title.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.topics.placing.observations import EdgeWrite, Observation, Placement
from membrane.domain.topics.placing.placing import (
    FieldDecision,
    PlacedObservation,
    place_in_new_topic,
    place_in_topic,
)
from membrane.domain.topics.placing.repeats import PastRevisions, back_dated_writes
from membrane.domain.topics.placing.resolving import may_be_of, may_have_title
from membrane.domain.topics.titles import is_untitled, normalise_text
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext, unwritten_topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.records.creating import id_for
from membrane.usecases.topics.histories import value_as_of
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.nearest import Near, nearest
from membrane.usecases.topics.titles import (
    Title,
    content_of,
    renamed_heads,
    title_heads,
    title_of,
    unnamed_holder,
)

if TYPE_CHECKING:
    from membrane.domain.topics.replies.ingest import Decision, ResolvedBy

FEW_NAMED = 8
"""Topics that may have the title, of whatever kind, that are looked at."""

FEW_EDGES = 16
"""So many are looked up one by one."""

MANY_EDGES = 100_000
"""Of the topic that are read where more are looked up."""


@dataclass(frozen=True, slots=True)
class Target:
    placed: PlacedObservation
    decision: "Decision"
    resolved_by: "ResolvedBy | None"
    """None where nothing was found."""
    score: float | None = None
    """How like it is, where that decided."""
    heads: tuple[Head, ...] = ()
    """Of its title."""


@dataclass(frozen=True, slots=True)
class Finding:
    told: Observation
    """With the ids of living topics in its references and edges."""
    trust: Trust
    call: Call
    services: TopicServices
    context: ChangeContext
    must_search: bool
    """Otherwise, where the index cannot be asked, nothing is taken to be alike."""

    def target(self, named: Topic | None) -> Target:
        """Where it goes; `named` is the topic that the caller names, if any (spec 2.3)."""
        asked = self.told.placement
        if asked is Placement.NEW_TOPIC:
            placed = self._begun()
            heads = title_heads(placed.after, self._own, self.services)
            return Target(placed, asked, "request", heads=heads)
        if named is None:
            return self._found()
        if asked is Placement.AUTO:
            return self._extension(named, self.told, "topic_id")
        return replace(self._extension(named, self.told, "request"), decision=asked)

    def _found(self) -> Target:
        title = self._title()
        found = None if title is None else self._held(title)
        if found is not None:
            return found
        placed = self._begun()
        near = self._near(placed.after)
        topic = self._of_any_kind(near)
        if topic is not None:
            return self._extension(topic, _beside(self.told, topic), "title")
        like = self._like(near)
        if like is not None:
            topic, likest = like
            found = self._extension(topic, _beside(self.told, topic), "similarity")
            return replace(found, score=likest.similarity)
        heads = () if title is None else (title.held_by(placed.after),)
        return Target(placed, Placement.NEW_TOPIC, None, heads=heads)

    def _near(self, fresh: Topic) -> Sequence[Near]:
        try:
            return nearest(fresh, [self._scope], self.trust, self.services)
        except WrongEmbedder:
            if self.must_search:
                raise
            return ()

    def _title(self) -> Title | None:
        told = self.told
        if is_untitled(told.title):
            return content_of(self._scope, told, self.services)
        return title_of(self._scope, told.kind or "", told.title, self.services)

    def _held(self, title: Title) -> Target | None:
        """The topic that has the title, and its head if that does not name the topic yet.

        By the principal's own trust: a request that narrows the trust makes no second topic.
        """
        told, titled = self.told, not is_untitled(self.told.title)
        named = title.holder(self._own, told.sensitivity)
        topic = named
        if named is None and titled:
            topic = unnamed_holder(title, self._own, told.sensitivity, self.services)
        if topic is None:
            return None
        resolved_by: ResolvedBy = "title" if titled else "content"
        found = self._extension(topic, _beside(told, topic), resolved_by)
        return found if named else replace(found, heads=(title.held_by(topic),))

    def _of_any_kind(self, near: Sequence[Near]) -> Topic | None:
        """The only topic of the title among those found, if no kind is told."""
        title = self.told.title
        if self.told.kind is not None or is_untitled(title):
            return None
        named = [each for each in near if may_have_title(title, each.entry.terms)]
        same = {
            topic.id: topic
            for topic, _ in self._there(named[:FEW_NAMED])
            if normalise_text(topic.title) == normalise_text(title)
        }
        return next(iter(same.values())) if len(same) == 1 else None

    def _like(self, near: Sequence[Near]) -> tuple[Topic, Near] | None:
        least = self.services.topic_policy.similarity
        enough = [each for each in near if each.similarity >= least]
        return next(self._there(enough), None)

    def _there(self, near: Sequence[Near]) -> Iterator[tuple[Topic, Near]]:
        """The topics of the scope that the observation may be of, as they are now."""
        ids = [each.entry.record_id for each in near]
        there = load_topics(ids, self.trust, self.services.topics)
        for each in near:
            topic = there.get(each.entry.record_id)
            if topic is not None and topic.scope == self._scope and may_be_of(topic, self.told):
                yield topic, each

    def _begun(self) -> PlacedObservation:
        told = self.told
        fresh = unwritten_topic(
            id_for(self.call, self.services),
            self._scope,
            told.sensitivity or self.services.policy.sensitivity,
            title=told.title,
            summary=told.summary,
            kind=told.kind,
            salience=told.salience,
            context=self.context,
        )
        return place_in_new_topic(fresh, told, self.context)

    def _extension(self, topic: Topic, told: Observation, resolved_by: "ResolvedBy") -> Target:
        skip_repeats = told.placement is Placement.AUTO
        past = self._then(topic) if skip_repeats else {}
        edges = self._edges(topic)
        placed = place_in_topic(
            topic, told, edges, self.context, skip_repeats=skip_repeats, past=past
        )
        heads = renamed_heads(topic, placed.after, self._own, self.services)
        return Target(placed, _usual_placement(told, placed), resolved_by, heads=heads)

    def _then(self, topic: Topic) -> PastRevisions:
        """The values at the time of fields that are told of late."""
        late = back_dated_writes(topic, self.told.writes)
        store = self.services.topics
        return {name: value_as_of(topic.fields[name], at, store) for name, at in late.items()}

    def _edges(self, topic: Topic) -> Mapping[EdgeWrite, Edge]:
        """The asked edges that there are, or were."""
        asked, store = set(self.told.edges), self.services.topics
        if len(asked) > FEW_EDGES:
            found = store.edges([topic.id], MANY_EDGES)
        else:
            each = (store.find_edge(topic.id, to_id, kind) for to_id, kind in sorted(asked))
            found = [edge for edge in each if edge is not None]
        return {(edge.to_id, edge.kind): edge for edge in found if edge.from_id == topic.id}

    @property
    def _own(self) -> Trust:
        return self.call.principal.trust

    @property
    def _scope(self) -> str:
        return self.call.principal.scope_for_writing(self.told.scope)


def _beside(told: Observation, topic: Topic) -> Observation:
    """The observation by somebody who may not know the topic: title, kind and summary stay.

    A topic without a title takes the observation's; a summary that is told replaces the topic's.
    """
    gives = is_untitled(topic.title) and not is_untitled(told.title)
    title = told.title if gives else ""
    return replace(told, title=title, kind=None, summary=told.summary or None)


def _usual_placement(told: Observation, placed: PlacedObservation) -> "Decision":
    is_version = list(placed.decisions.values()) == [FieldDecision.VERSION]
    is_all = len(told.writes) == 1 and not told.edges
    return Placement.VERSION_FIELD if is_version and is_all else Placement.EXTEND_TOPIC
