"""Find the topic that an observation belongs to, and apply the observation.

The id decides first; then title and kind, by consistent heads of titles, where no kind is a kind of
its own; then, without a kind, the title alone, if the index finds a single topic of any kind with
the title; last, similarity. The index may lag behind: right after a topic with a kind was created,
an observation without a kind can become a second topic of the title.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.names import normalise_text
from membrane.domain.topics.placing.apply_observation import (
    FieldDecision,
    PastRevisions,
    PlacedObservation,
    back_dated_writes,
    place_in_new_topic,
    place_in_topic,
)
from membrane.domain.topics.placing.observations import (
    EdgeWrite,
    Observation,
    Placement,
    may_be_of,
    may_have_title,
)
from membrane.domain.topics.titles import is_untitled
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext, unwritten_topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import value_as_of
from membrane.usecases.topics.loading import (
    Title,
    content_of,
    holder_outside_head,
    load_topics,
    renamed_heads,
    title_heads,
    title_of,
)
from membrane.usecases.topics.similar_topics import NearEntry, similar_entries

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import Decision, ResolvedBy

FEW_NAMED = 8
"""Topics of any kind to load, because the index entries may have the title."""

FEW_EDGES = 16
"""The most edges to look up by single requests."""

MANY_EDGES = 100_000
"""Edges of the topic to read, if more than FEW_EDGES are needed."""


@dataclass(frozen=True, slots=True)
class Target:
    placed: PlacedObservation
    decision: "Decision"
    resolved_by: "ResolvedBy | None"
    """None if no topic was found."""
    score: float | None = None
    """The similarity, if similarity decided."""
    heads: tuple[Head, ...] = ()
    """Heads of the title."""


@dataclass(frozen=True, slots=True)
class TargetSearch:
    observation: Observation
    """With the ids of living topics in references and edges."""
    trust: Trust
    call: Call
    world: World
    context: ChangeContext

    def target(self, named: Topic | None) -> Target:
        """The target of the observation; `named` is the topic that the caller names, if any."""
        asked = self.observation.placement
        if asked is Placement.NEW_TOPIC:
            placed = self._new_topic()
            heads = title_heads(placed.after, self._own_trust, self.world)
            return Target(placed, asked, "request", heads=heads)
        if named is None:
            return self._searched_target()
        if asked is Placement.AUTO:
            return self._extension(named, self.observation, "topic_id")
        return replace(self._extension(named, self.observation, "request"), decision=asked)

    def _searched_target(self) -> Target:
        title = self._title()
        found = None if title is None else self._titled_target(title)
        if found is not None:
            return found
        placed = self._new_topic()
        near = similar_entries(placed.after, [self._scope], self.trust, self.world)
        topic = self._only_topic_with_title(near)
        if topic is not None:
            return self._extension(topic, _keeping_meta(self.observation, topic), "title")
        like = self._most_similar(near)
        if like is not None:
            topic, likest = like
            found = self._extension(topic, _keeping_meta(self.observation, topic), "similarity")
            return replace(found, score=likest.similarity)
        heads = () if title is None else (title.head_with(placed.after),)
        return Target(placed, Placement.NEW_TOPIC, None, heads=heads)

    def _title(self) -> Title | None:
        observation = self.observation
        if is_untitled(observation.title):
            return content_of(self._scope, observation, self.world)
        return title_of(self._scope, observation.kind or "", observation.title, self.world)

    def _titled_target(self, title: Title) -> Target | None:
        """The topic with the title, and the head if the head does not name the topic yet.

        The trust of the principal counts: a request with a narrower trust creates no second topic.
        """
        observation, titled = self.observation, not is_untitled(self.observation.title)
        named = title.holder(self._own_trust, observation.sensitivity)
        topic = named
        if named is None and titled:
            topic = holder_outside_head(title, self._own_trust, observation.sensitivity, self.world)
        if topic is None:
            return None
        resolved_by: ResolvedBy = "title" if titled else "content"
        found = self._extension(topic, _keeping_meta(observation, topic), resolved_by)
        return found if named else replace(found, heads=(title.head_with(topic),))

    def _only_topic_with_title(self, near: Sequence[NearEntry]) -> Topic | None:
        """The only topic with the title among the hits, if the observation has no kind."""
        title = self.observation.title
        if self.observation.kind is not None or is_untitled(title):
            return None
        named = [each for each in near if may_have_title(title, each.entry.terms)]
        same = {
            topic.id: topic
            for topic, _ in self._eligible_topics(named[:FEW_NAMED])
            if normalise_text(topic.title) == normalise_text(title)
        }
        return next(iter(same.values())) if len(same) == 1 else None

    def _most_similar(self, near: Sequence[NearEntry]) -> tuple[Topic, NearEntry] | None:
        least = self.world.topic_policy.similarity
        enough = [each for each in near if each.similarity >= least]
        return next(self._eligible_topics(enough), None)

    def _eligible_topics(self, near: Sequence[NearEntry]) -> Iterator[tuple[Topic, NearEntry]]:
        """The topics of the scope that the observation may belong to, as of now."""
        ids = [each.entry.record_id for each in near]
        there = load_topics(ids, self.trust, self.world.topics)
        for each in near:
            topic = there.get(each.entry.record_id)
            if (
                topic is not None
                and topic.scope == self._scope
                and may_be_of(topic, self.observation)
            ):
                yield topic, each

    def _new_topic(self) -> PlacedObservation:
        observation = self.observation
        fresh = unwritten_topic(
            self.call.new_id(self.world),
            self._scope,
            observation.sensitivity or self.world.policy.sensitivity,
            title=observation.title,
            summary=observation.summary,
            kind=observation.kind,
            salience=observation.salience,
            context=self.context,
        )
        return place_in_new_topic(fresh, observation, self.context)

    def _extension(
        self, topic: Topic, observation: Observation, resolved_by: "ResolvedBy"
    ) -> Target:
        skip_repeats = observation.placement is Placement.AUTO
        past = self._past_revisions(topic) if skip_repeats else {}
        edges = self._edges(topic)
        placed = place_in_topic(
            topic, observation, edges, self.context, skip_repeats=skip_repeats, past=past
        )
        heads = renamed_heads(topic, placed.after, self._own_trust, self.world)
        return Target(placed, _usual_placement(observation, placed), resolved_by, heads=heads)

    def _past_revisions(self, topic: Topic) -> PastRevisions:
        """The past values of fields that the observation writes back-dated."""
        late = back_dated_writes(topic, self.observation.writes)
        store = self.world.topics
        return {name: value_as_of(topic.fields[name], at, store) for name, at in late.items()}

    def _edges(self, topic: Topic) -> Mapping[EdgeWrite, Edge]:
        """The edges of the observation that exist, or existed."""
        asked, store = set(self.observation.edges), self.world.topics
        if len(asked) > FEW_EDGES:
            found = store.edges([topic.id], MANY_EDGES)
        else:
            each = (store.find_edge(topic.id, to_id, kind) for to_id, kind in sorted(asked))
            found = [edge for edge in each if edge is not None]
        return {(edge.to_id, edge.kind): edge for edge in found if edge.from_id == topic.id}

    @property
    def _own_trust(self) -> Trust:
        return self.call.principal.trust

    @property
    def _scope(self) -> str:
        return self.call.principal.scope_for_writing(self.observation.scope)


def _keeping_meta(observation: Observation, topic: Topic) -> Observation:
    """The observation for a topic that the caller may not know: title, kind and summary stay.

    An untitled topic takes the title of the observation; an observed summary replaces the summary
    of the topic.
    """
    gives = is_untitled(topic.title) and not is_untitled(observation.title)
    title = observation.title if gives else ""
    return replace(observation, title=title, kind=None, summary=observation.summary or None)


def _usual_placement(observation: Observation, placed: PlacedObservation) -> "Decision":
    is_version = list(placed.decisions.values()) == [FieldDecision.VERSION]
    is_all = len(observation.writes) == 1 and not observation.edges
    return Placement.VERSION_FIELD if is_version and is_all else Placement.EXTEND_TOPIC
