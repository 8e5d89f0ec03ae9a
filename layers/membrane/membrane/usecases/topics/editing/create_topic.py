"""Create a topic without fields."""

from membrane.domain.access.trust import above_ordinary, require_revise_for
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.records.idempotency import is_keyed_id, keyed_id
from membrane.domain.topics.making import Circumstances, founded, unborn
from membrane.domain.topics.requests.editing import CreateTopic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.editing.changing import told
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided, write


def create_topic(request: CreateTopic, call: Call, services: TopicServices) -> ReplyBody:
    """The id of the new topic.

    Raises AlreadyExists where there is a topic of that id, InvalidArgument, PermissionDenied.
    """
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    topic_id = new_topic_id(request.topic_id, "topic_id", call, services)
    scope = call.principal.scope_for_writing(request.scope)
    sensitivity = request.sensitivity or services.policy.sensitivity
    call.principal.require_write(scope, sensitivity)

    def decide(during: Circumstances) -> Decided:
        draft = unborn(
            topic_id,
            scope,
            sensitivity,
            title=request.title,
            summary=request.summary,
            kind=request.topic_kind,
            salience=request.salience,
            during=during,
        )
        topic = founded(draft, during)
        heads = title_heads(topic, call.principal.trust, services)
        change = TopicChange(topics=[(None, topic)], heads=heads, token=during.token)
        return Decided(change, told({"topic_id": topic.id}, topic))

    return write(decide, call, services).answer


def new_topic_id(asked: str | None, name: str, call: Call, services: TopicServices) -> str:
    """The id asked for in the field of that name, or one made from the key, or a random one.

    Raises InvalidArgument for one that only the server gives.
    """
    if asked is not None and is_keyed_id(asked):
        raise InvalidArgument(
            f"validation error for {name}: UUIDs of version 8 are the server's own"
        )
    if asked is not None or call.key is None:
        return asked or services.new_id()
    return keyed_id(call.principal.identity, call.rpc, call.key)
