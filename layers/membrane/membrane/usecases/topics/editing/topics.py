"""Create, change, delete and restore a topic; fields have a module of their own."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import above_ordinary, require_revise_for
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.idempotency import is_keyed_id
from membrane.domain.topics.editing.editing import (
    deleted_topic,
    edited_topic,
    require_raised,
    restored_topic,
)
from membrane.domain.topics.requests.editing import (
    ChangeTopic,
    CreateTopic,
    DeleteTopic,
    RestoreTopic,
)
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext, first_version, unwritten_topic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import id_for
from membrane.usecases.topics.editing.changing import decision_to_keep, decision_to_write, edit
from membrane.usecases.topics.erasing.erase_topic import erase_topic
from membrane.usecases.topics.titles import renamed_heads, title_heads
from membrane.usecases.topics.writing import Decision, topic_token, write

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ChangedTopic, DeletedTopic


def create_topic(request: CreateTopic, call: Call, world: World) -> ReplyBody:
    """Raises AlreadyExists for an id in use, InvalidArgument, PermissionDenied."""
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    topic_id = new_topic_id(request.topic_id, "topic_id", call, world)
    scope = call.principal.scope_for_writing(request.scope)
    sensitivity = request.sensitivity or world.policy.sensitivity
    call.principal.require_write(scope, sensitivity)

    def decide(context: ChangeContext) -> Decision:
        draft = unwritten_topic(
            topic_id,
            scope,
            sensitivity,
            title=request.title,
            summary=request.summary,
            kind=request.topic_kind,
            salience=request.salience,
            context=context,
        )
        topic = first_version(draft, context)
        heads = title_heads(topic, call.principal.trust, world)
        return decision_to_write(None, topic, _body(topic), heads=heads)

    return write(decide, call, world).answer


def change_topic(request: ChangeTopic, call: Call, world: World) -> ReplyBody:
    """Raises NotFound; PermissionDenied, also for a sensitivity lowered without admin; Aborted."""
    is_admin = Permission.ADMIN in call.principal.permissions

    def decide(topic: Topic, context: ChangeContext) -> Decision:
        require_raised(topic.sensitivity, request.sensitivity, is_admin=is_admin)
        after = edited_topic(topic, request, context)
        if after is None:
            return decision_to_keep(topic, _body(topic))
        call.principal.require_write(after.scope, after.sensitivity)
        heads = renamed_heads(topic, after, call.principal.trust, world)
        return decision_to_write(topic, after, _body(after), heads=heads)

    return edit(request.id, decide, call, world)


def delete_topic(request: DeleteTopic, call: Call, world: World) -> ReplyBody:
    """Hide a topic with fields and links from all readers, or erase a topic, with `admin`.

    Raises NotFound, PermissionDenied, and the errors of `erase_topic`.
    """
    if request.erase:
        return erase_topic(request.id, request.why, call, world)
    call.principal.require(Permission.REVISE)

    def decide(topic: Topic, context: ChangeContext) -> Decision:
        after = deleted_topic(topic, context, request.why)
        body: DeletedTopic = {"deleted": topic.id, "consistency_token": topic_token(after)}
        return decision_to_write(topic, after, body)

    return edit(request.id, decide, call, world)


def restore_topic(request: RestoreTopic, call: Call, world: World) -> ReplyBody:
    """Bring back a deleted topic. Raises NotFound, PermissionDenied, FailedPrecondition."""

    def decide(topic: Topic, context: ChangeContext) -> Decision:
        after = restored_topic(topic, context)
        heads = title_heads(after, call.principal.trust, world)
        return decision_to_write(topic, after, _body(after), heads=heads)

    return edit(request.id, decide, call, world, deleted=True)


def _body(topic: Topic) -> "ChangedTopic":
    return {"topic_id": topic.id, "consistency_token": topic_token(topic)}


def new_topic_id(asked: str | None, name: str, call: Call, world: World) -> str:
    """The requested id, or an id made from the idempotency key, or a random id.

    `name` is the request field of the id. Raises InvalidArgument for an id that only the server
    gives.
    """
    if asked is not None and is_keyed_id(asked):
        raise InvalidArgument(
            f"validation error for {name}: UUIDs of version 8 are the server's own"
        )
    return asked or id_for(call, world)
