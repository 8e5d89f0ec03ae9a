"""Place an observation in the topic that the observation names, or in a topic found by search.

The id decides first; then title and kind, by consistent heads of titles, where no kind is a kind of
its own; then, without a kind, the title alone, if the index finds a single topic of any kind with
the title; last, similarity. The index may lag behind: right after a topic with a kind was created,
an observation without a kind can become a second topic of the title.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.principals import above_ordinary, require_revise_for
from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.names import normalise_text
from membrane.domain.language.values import MAX_REPLY_BYTES, is_surely_within, payload_bytes
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.apply_observation import (
    FieldDecision,
    PlacedObservation,
    back_dated_writes,
    markers,
    place_in_new_topic,
    place_in_topic,
)
from membrane.domain.topics.placing.observations import (
    TYPES,
    EdgeWrite,
    Observation,
    Placement,
    content_key,
    may_be_of,
    may_have_title,
    observation_of,
    resolve_links,
    searchable_topic,
    similarity,
)
from membrane.domain.topics.titles import is_untitled
from membrane.domain.topics.topic import Edge, Topic, TopicStatus
from membrane.domain.topics.versions import ChangeContext, unwritten_topic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics import loading
from membrane.usecases.topics.histories import value_as_of
from membrane.usecases.topics.writing import Decision, topic_token, write_and_trim

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import Decision as Decided
    from membrane.domain.topics.replies.editing import IngestedTopic, ResolvedBy
    from membrane.domain.topics.requests.ingest import IngestTopic

FEW_NAMED = 8
"""Topics of any kind to load, because the index entries may have the title."""

FEW_EDGES = 16
"""The most edges to look up by single requests."""

MANY_EDGES = 100_000
"""Edges of the topic to read, if more than FEW_EDGES are needed."""

MAX_SUGGESTED = 8

LOOKED_AT = 4 * MAX_SUGGESTED
"""Hits of the index to load: some may be archived, merged or hidden by now."""


def ingest_topic(request: "IngestTopic", call: Call, world: World) -> ReplyBody:
    """Create a topic, extend a topic, or let the service decide; all is written, or nothing.

    Raises InvalidArgument if a topic of the request is not visible to the trust, or a value does
    not fit; PermissionDenied, also for a salience that needs `revise`; AlreadyExists; Aborted;
    TooLarge; WrongEmbedder if the topic has to be searched for.
    """
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    trust = call.principal.trust.narrow_to(request.trust)
    asked = observation_of(request)

    def decide(context: ChangeContext) -> Decision:
        there = loading.load_topics(asked.mentioned_ids, trust, world.topics)
        named = _requested_topic(asked, there)
        _require_reach(asked, named, trust, call)
        observation = resolve_links(asked, {each: topic.id for each, topic in there.items()})
        target = _Placing(observation, trust, call, world, context).target(named)
        placed = target.placed
        _require_write(placed.after.scope, placed.after.sensitivity, trust, call)
        suggested = similar_topics(placed.after, trust, world) if request.suggest_similar else []
        body = _body(target, observation, suggested)
        if not placed.changes:
            return Decision(None, body, about=(placed.after.id,))
        change = TopicChange(
            topics=[(placed.before, placed.after)],
            revisions=placed.revisions,
            edges=placed.edges,
            heads=target.heads,
            values=placed.values,
        )
        return Decision(change, body, grown_fields=placed.written_fields)

    return write_and_trim(decide, call, world)


def _requested_topic(observation: Observation, there: Mapping[str, Topic]) -> Topic | None:
    if observation.placement is Placement.NEW_TOPIC or not observation.topic_id:
        return None
    topic = there.get(observation.topic_id)
    if topic is None or (observation.scope is not None and observation.scope != topic.scope):
        raise InvalidArgument(loading.NOT_FOUND)
    return topic


def _require_reach(observation: Observation, named: Topic | None, trust: Trust, call: Call) -> None:
    """Raises PermissionDenied, before a costly search, if no topic can be the target."""
    scope = call.principal.scope_for_writing(observation.scope)
    least = observation.sensitivity or Sensitivity.PUBLIC
    if named is not None:
        scope, least = named.scope, max(least, named.sensitivity, key=lambda each: each.level)
    _require_write(scope, least, trust, call)


def _require_write(scope: str, sensitivity: Sensitivity, trust: Trust, call: Call) -> None:
    call.principal.require_write(scope, sensitivity)
    if not trust.allows(scope, sensitivity):
        raise PermissionDenied("the request's trust does not cover what it would write")


@dataclass(frozen=True, slots=True)
class _Target:
    placed: PlacedObservation
    decision: "Decided"
    resolved_by: "ResolvedBy | None"
    """None if no topic was found."""
    score: float | None = None
    """The similarity, if similarity decided."""
    heads: tuple[Head, ...] = ()
    """Heads of the title."""


def _body(target: _Target, observation: Observation, similar: list[str]) -> "IngestedTopic":
    placed = target.placed
    body: IngestedTopic = {
        "topic_id": placed.after.id,
        "applied": markers(observation, placed, target.decision),
        "version_ids": dict(placed.version_ids),
        "similar_topic_ids": similar,
        "placement": {
            "decision": target.decision,
            "resolved_by": target.resolved_by,
            "score": target.score,
            "fields": dict(placed.decisions),
        },
        "consistency_token": topic_token(placed.after),
    }
    text = compact_json(body)
    if not is_surely_within(text) and payload_bytes(text) > MAX_REPLY_BYTES:
        raise TooLarge(f"the reply would be larger than {MAX_REPLY_BYTES} bytes")
    return body


@dataclass(frozen=True, slots=True)
class _Placing:
    observation: Observation
    """With the ids of living topics in references and edges."""
    trust: Trust
    call: Call
    world: World
    context: ChangeContext

    def target(self, named: Topic | None) -> _Target:
        """The target of the observation; `named` is the topic that the caller names, if any."""
        asked = self.observation.placement
        if asked is Placement.NEW_TOPIC:
            placed = self._new_topic()
            heads = loading.title_heads(placed.after, self.call.principal.trust, self.world)
            return _Target(placed, asked, "request", heads=heads)
        if named is None:
            return self._titled_target()
        if asked is Placement.AUTO:
            return self._extension(named, self.observation, "topic_id")
        return replace(self._extension(named, self.observation, "request"), decision=asked)

    def _titled_target(self) -> _Target:
        """The topic with the title, and the head if the head does not name the topic yet.

        The trust of the principal counts: a request with a narrower trust creates no second topic.
        """
        observation, trust, world = self.observation, self.call.principal.trust, self.world
        titled = not is_untitled(observation.title)
        title = (
            loading.title_of(self._scope, observation.kind or "", observation.title, world)
            if titled
            else loading.content_of(content_key(self._scope, observation), world)
        )
        if title is None:
            return self._searched_target()
        topic = named = title.holder(trust, observation.sensitivity)
        if topic is None and titled:
            topic = loading.holder_outside_head(title, trust, observation.sensitivity, world)
        if topic is None:
            found = self._searched_target()
            is_new = found.placed.before is None
            return replace(found, heads=(title.head_with(found.placed.after),)) if is_new else found
        found = self._unnamed_extension(topic, "title" if titled else "content")
        return found if named else replace(found, heads=(title.head_with(topic),))

    def _searched_target(self) -> _Target:
        placed = self._new_topic()
        near = _similar_entries(placed.after, [self._scope], self.trust, self.world)
        topic = self._only_topic_with_title(near)
        if topic is not None:
            return self._unnamed_extension(topic, "title")
        least = self.world.topic_policy.similarity
        like = next(self._eligible([each for each in near if each.similarity >= least]), None)
        if like is not None:
            topic, likest = like
            return replace(self._unnamed_extension(topic, "similarity"), score=likest.similarity)
        return _Target(placed, Placement.NEW_TOPIC, None)

    def _only_topic_with_title(self, near: Sequence["_Near"]) -> Topic | None:
        """The only topic with the title among the hits, if the observation has no kind."""
        title = self.observation.title
        if self.observation.kind is not None or is_untitled(title):
            return None
        named = [each for each in near if may_have_title(title, each.entry.terms)]
        same = {
            topic.id: topic
            for topic, _ in self._eligible(named[:FEW_NAMED])
            if normalise_text(topic.title) == normalise_text(title)
        }
        return next(iter(same.values())) if len(same) == 1 else None

    def _eligible(self, near: Sequence["_Near"]) -> Iterator[tuple[Topic, "_Near"]]:
        """The topics of the scope that the observation may belong to, as of now."""
        there = loading.load_topics(
            [each.entry.record_id for each in near], self.trust, self.world.topics
        )
        for each in near:
            topic = there.get(each.entry.record_id)
            if topic and topic.scope == self._scope and may_be_of(topic, self.observation):
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

    def _unnamed_extension(self, topic: Topic, resolved_by: "ResolvedBy") -> _Target:
        """The extension of a topic that the caller may not know: title, kind and summary stay.

        An untitled topic takes the title of the observation; an observed summary replaces the
        summary of the topic.
        """
        observation = self.observation
        gives = is_untitled(topic.title) and not is_untitled(observation.title)
        title, summary = observation.title if gives else "", observation.summary or None
        known = replace(observation, title=title, kind=None, summary=summary)
        return self._extension(topic, known, resolved_by)

    def _extension(
        self, topic: Topic, observation: Observation, resolved_by: "ResolvedBy"
    ) -> _Target:
        store, is_auto = self.world.topics, observation.placement is Placement.AUTO
        late = back_dated_writes(topic, self.observation.writes) if is_auto else {}
        past = {name: value_as_of(topic.fields[name], at, store) for name, at in late.items()}
        edges, context = self._edges(topic), self.context
        placed = place_in_topic(topic, observation, edges, context, skip_repeats=is_auto, past=past)
        heads = loading.renamed_heads(topic, placed.after, self.call.principal.trust, self.world)
        is_one = len(observation.writes) == 1 and not observation.edges
        is_version = is_one and [*placed.decisions.values()] == [FieldDecision.VERSION]
        decision: Decided = Placement.VERSION_FIELD if is_version else Placement.EXTEND_TOPIC
        return _Target(placed, decision, resolved_by, heads=heads)

    def _edges(self, topic: Topic) -> Mapping[EdgeWrite, Edge]:
        asked, store = set(self.observation.edges), self.world.topics
        if len(asked) > FEW_EDGES:
            found = store.edges([topic.id], MANY_EDGES)
        else:
            each = (store.find_edge(topic.id, to_id, kind) for to_id, kind in sorted(asked))
            found = [edge for edge in each if edge is not None]
        return {(edge.to_id, edge.kind): edge for edge in found if edge.from_id == topic.id}

    @property
    def _scope(self) -> str:
        return self.call.principal.scope_for_writing(self.observation.scope)


class _Near(NamedTuple):
    """The index entry of a topic, possibly older than the topic, and the similarity."""

    entry: Entry
    similarity: float


def _similar_entries(
    topic: Topic, scopes: Sequence[str], trust: Trust, world: World
) -> Sequence[_Near]:
    """Index entries similar to a topic, written or not; the most similar first.

    Empty for a topic without text and without scopes to search. Raises WrongEmbedder.
    """
    text = searchable_topic(topic).text
    if not text or not scopes:
        return ()
    [dense] = world.embedder.embed([text])
    search = Search(question_of(text, world.now()), dense, scopes, trust.ceiling, TYPES)
    near = [
        _Near(entry, similarity(dense, entry))
        for entry in world.topic_search.search(search).entries
        if entry.record_id != topic.id and trust.allows(entry.scope, entry.sensitivity)
    ]
    return sorted(near, key=lambda each: (-each.similarity, each.entry.record_id))


def similar_topics(topic: Topic, trust: Trust, world: World) -> list[str]:
    """Ids of the most similar active topics visible to the trust: a hint for a writer.

    Every scope of the trust is searched; if too many, the scope of the topic, and unscoped.
    """
    known = world.topic_search.scopes
    try:
        scopes = trust.known_scopes(known, "a suggestion goes through", "in trust.scopes")
    except InvalidArgument:
        scopes = sorted({"", topic.scope})
    near = _similar_entries(topic, scopes, trust, world)[:LOOKED_AT]
    there = loading.load_topics([each.entry.record_id for each in near], trust, world.topics)
    ends = (there.get(each.entry.record_id) for each in near)
    active = [each.id for each in ends if each is not None and each.status is TopicStatus.ACTIVE]
    return [each for each in dict.fromkeys(active) if each != topic.id][:MAX_SUGGESTED]
