"""Place an observation in the topic that the observation names, or in a topic found by search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.access.principals import above_ordinary, require_revise_for
from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge
from membrane.domain.language.fields import token_of
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.sizes import MAX_REPLY_BYTES, is_surely_within, payload_bytes
from membrane.domain.topics.appending import KEEP, FieldWrite
from membrane.domain.topics.placing.apply_observation import markers
from membrane.domain.topics.placing.observations import (
    Observation,
    Placement,
    placement_of,
    require_whole,
    resolve_links,
)
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import NOT_FOUND, load_topics
from membrane.usecases.topics.placing.find_topic import Target, TargetSearch
from membrane.usecases.topics.similar_topics import similar_topics
from membrane.usecases.topics.writing import Decision, write_and_trim

if TYPE_CHECKING:
    from membrane.domain.topics.replies.ingest import IngestedTopic
    from membrane.domain.topics.requests.ingest import FieldInput, IngestTopic


def ingest_topic(request: "IngestTopic", call: Call, world: World) -> ReplyBody:
    """Create a topic, extend a topic, or let the service decide; all is written, or nothing.

    Raises InvalidArgument if a topic of the request is not visible to the trust, or a value does
    not fit; PermissionDenied, also for a salience that needs `revise`; AlreadyExists; Aborted;
    TooLarge; WrongEmbedder if the topic has to be searched for.
    """
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    trust = call.principal.trust.narrow_to(request.trust)
    observation = _observation_of(request)
    require_whole(observation)
    placing = _Placing(observation, trust, call, world, suggest=request.suggest_similar)
    return write_and_trim(placing.decide, call, world)


@dataclass(frozen=True, slots=True)
class _Placing:
    observation: Observation
    trust: Trust
    call: Call
    world: World
    suggest: bool

    def decide(self, context: ChangeContext) -> Decision:
        there = load_topics(self.observation.mentioned_ids, self.trust, self.world.topics)
        named = self._requested_topic(there)
        self._require_reach(named)
        ends = {each: topic.id for each, topic in there.items()}
        observation = resolve_links(self.observation, ends)
        search = TargetSearch(observation, self.trust, self.call, self.world, context)
        target = search.target(named)
        placed = target.placed
        self._require_write(placed.after.scope, placed.after.sensitivity)
        body = self._body(target)
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

    def _require_reach(self, named: Topic | None) -> None:
        """Raises PermissionDenied, before a costly search, if no topic can be the target."""
        scope = self.call.principal.scope_for_writing(self.observation.scope)
        least = self.observation.sensitivity or Sensitivity.PUBLIC
        if named is not None:
            scope, least = named.scope, max(least, named.sensitivity, key=lambda each: each.level)
        self._require_write(scope, least)

    def _require_write(self, scope: str, sensitivity: Sensitivity) -> None:
        self.call.principal.require_write(scope, sensitivity)
        if not self.trust.allows(scope, sensitivity):
            raise PermissionDenied("the request's trust does not cover what it would write")

    def _requested_topic(self, there: Mapping[str, Topic]) -> Topic | None:
        observation = self.observation
        if observation.placement is Placement.NEW_TOPIC or not observation.topic_id:
            return None
        topic = there.get(observation.topic_id)
        if topic is None or (observation.scope is not None and observation.scope != topic.scope):
            raise InvalidArgument(NOT_FOUND)
        return topic

    def _body(self, target: Target) -> "IngestedTopic":
        placed = target.placed
        similar = self.suggest and similar_topics(placed.after, self.trust, self.world)
        body: IngestedTopic = {
            "topic_id": placed.after.id,
            "applied": markers(self.observation, placed, target.decision),
            "version_ids": dict(placed.version_ids),
            "similar_topic_ids": similar or [],
            "placement": {
                "decision": target.decision,
                "resolved_by": target.resolved_by,
                "score": target.score,
                "fields": dict(placed.decisions),
            },
            "consistency_token": token_of(placed.after.id, placed.after.version),
        }
        text = compact_json(body)
        if not is_surely_within(text) and payload_bytes(text) > MAX_REPLY_BYTES:
            raise TooLarge(f"the reply would be larger than {MAX_REPLY_BYTES} bytes")
        return body


def _observation_of(request: "IngestTopic") -> Observation:
    return Observation(
        placement=placement_of(request.placement),
        topic_id=request.topic_id,
        scope=request.scope,
        sensitivity=request.sensitivity,
        title=request.title,
        summary=request.summary,
        kind=request.topic_kind,
        salience=request.salience,
        writes=tuple(_field_write(each, place) for place, each in enumerate(request.fields)),
        edges=tuple((each.to_topic_id, each.kind) for each in request.edges),
    )


def _field_write(field: "FieldInput", position: int) -> FieldWrite:
    return FieldWrite(
        name=field.name,
        value=field.value,
        field_type=field.field_type,
        ref=(field.ref_topic_id or None) if field.names_reference else KEEP,
        provenance=field.provenance,
        why_changed=field.why_changed,
        impact_expected=field.impact_expected,
        valid_from=field.valid_from,
        position=position,
    )
