"""Take what is told of a topic on the peer's route (spec 2)."""

from membrane.domain.access.trust import above_ordinary, require_revise_for
from membrane.domain.topics.appending import KEEP, FieldWrite
from membrane.domain.topics.placing.observations import Observation, placement_of
from membrane.domain.topics.requests.ingest import FieldTold, IngestTopic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.placing.place_topic import place


def ingest_topic(request: IngestTopic, call: Call, services: TopicServices) -> ReplyBody:
    """Make a topic, extend one, or let the service find which.

    Raises as `place` does, and PermissionDenied for a salience that needs `revise`.
    """
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    trust = call.principal.trust.narrowed(request.trust)
    return place(_told(request), trust, call, services, suggest=request.suggest_similar)


def _told(request: IngestTopic) -> Observation:
    return Observation(
        placement=placement_of(request.placement),
        topic_id=request.topic_id,
        scope=request.scope,
        sensitivity=request.sensitivity,
        title=request.title,
        summary=request.summary,
        kind=request.topic_kind,
        salience=request.salience,
        writes=tuple(_write(each, place) for place, each in enumerate(request.fields)),
        edges=tuple((each.to_topic_id, each.kind) for each in request.edges),
    )


def _write(told: FieldTold, position: int) -> FieldWrite:
    return FieldWrite(
        name=told.name,
        value=told.value,
        field_type=told.field_type,
        ref=(told.ref_topic_id or None) if told.names_reference else KEEP,
        provenance=told.provenance,
        why_changed=told.why_changed,
        impact_expected=told.impact_expected,
        valid_from=told.valid_from,
        position=position,
    )
