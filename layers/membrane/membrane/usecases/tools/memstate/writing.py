"""MemState's tools that write topics: each writes once, whole or not at all."""

from collections.abc import Callable
from typing import Any

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.language.requests import Request, validate
from membrane.domain.tools.memstate import replies, writing
from membrane.domain.tools.memstate.documents import Long, cut_to_fit
from membrane.domain.tools.memstate.topics import pick
from membrane.domain.topics.requests import editing
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate.windows import CUT_HINT, Expected, Run, answer_of
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.editing import fields, topics
from membrane.usecases.topics.loading import load_topic

Verb = Callable[[Any, Call, World], ReplyBody]
"""The use case of a route."""

_NO_VALUE = (
    "memory_append_field requires `value` with the fact to store. Omitting it used to record an "
    'empty string while still returning ok—retry with value set (use "" only if you intentionally '
    "mean an empty string)."
)
_NO_NAMES = "field_names must be a non-empty list of field name strings"

_RESTORE = "POST /v1/topics/{topic_id}/restore, with a key that has the permission revise"

_FIRST_FIELD = "fields.0."
"""The place of the only field of a write in a refusal of the domain."""


def writer_of(request: type[Request], verb: Verb, reply: type) -> Run:
    """The tool that writes as a route does, and answers with the parts of the route's reply."""

    def run(asked: Any, call: Call, world: World) -> ToolAnswer:
        return _answer(_body(request, verb, asked, call, world), reply)

    return run


def _body(request: type[Request], verb: Verb, asked: Any, call: Call, world: World) -> Body:
    return verb(validate(request, asked.of_route), call, world).body


def _answer(body: Body, reply: type, **further: Any) -> ToolAnswer:
    """The answer of a tool that wrote, from the reply of the use case, with the token."""
    document = {"ok": True, **pick(body, *reply.__annotations__), **further}
    return answer_of(cut_to_fit(document, CUT_HINT), [body["consistency_token"]])


create_topic = writer_of(editing.CreateTopic, topics.create_topic, replies.WrittenTopic)
update_topic = writer_of(editing.ChangeTopic, topics.change_topic, replies.WrittenTopic)
add_relationship = writer_of(editing.AddRelationship, topics.add_relationship, replies.Succeeded)
set_field_ref = writer_of(editing.SetFieldRef, fields.set_field_ref, replies.Succeeded)
unnest_fields = writer_of(editing.UnnestFields, fields.unnest_fields, replies.UnnestedFields)
undo_promotion = writer_of(editing.UndoPromotion, fields.undo_promotion, replies.UndonePromotion)


def delete_topic(asked: writing.DeleteTopic, call: Call, world: World) -> ToolAnswer:
    """Hide the topic until the topic is restored. Raises NotFound."""
    body = _body(editing.DeleteTopic, topics.delete_topic, asked, call, world)
    restore = _RESTORE.format(topic_id=body["deleted"])
    return _answer(body, replies.DeletedTopic, restore=restore)


def remove_relationship(asked: writing.Relationship, call: Call, world: World) -> ToolAnswer:
    """The edge goes; the answer says if no such edge existed. Raises NotFound for a topic."""
    try:
        body = _body(editing.RemoveRelationship, topics.remove_relationship, asked, call, world)
    except NotFound:
        for topic_id in (asked.from_topic_id, asked.to_topic_id):
            load_topic(topic_id, call.principal.trust, world.topics)
        return answer_of({"ok": True, "existed": False})
    return _answer(body, replies.Removed)


def append_field(asked: writing.AppendField, call: Call, world: World) -> ToolAnswer:
    """A revision. Raises Expected without a value, NotFound, and as `fields.append_field`."""
    if "value" not in asked.model_fields_set:
        raise Expected(_NO_VALUE)
    try:
        body = _body(editing.AppendField, fields.append_field, asked, call, world)
    except InvalidArgument as error:
        raise _in_words_of_the_tool(error) from error
    return _answer(body, replies.AppendedField)


def delete_field(asked: writing.DeleteField, call: Call, world: World) -> ToolAnswer:
    """The field goes, the history stays; the answer says if no such field existed."""
    reply: JsonObject = {"ok": True, "deleted": Long(asked.field_name)}
    try:
        body = _body(editing.DeleteField, fields.delete_field, asked, call, world)
    except NotFound:
        load_topic(asked.topic_id, call.principal.trust, world.topics)
        return answer_of(cut_to_fit({**reply, "existed": False}, ""))
    return _answer(body, replies.Removed, deleted=reply["deleted"])


def nest_fields(asked: writing.NestFields, call: Call, world: World) -> ToolAnswer:
    """Fields in a bundle. Raises Expected, NotFound, and as `fields.nest_fields`."""
    if not asked.nest_key.strip():
        raise Expected("nest_key required")
    if not asked.field_names:
        load_topic(asked.topic_id, call.principal.trust, world.topics)
        raise Expected(_NO_NAMES)
    body = _body(editing.NestFields, fields.nest_fields, asked, call, world)
    return _answer(body, replies.NestedFields)


def promote_fields(asked: writing.PromoteFields, call: Call, world: World) -> ToolAnswer:
    """Fields as a topic of their own. Raises Expected, and as `fields.promote_fields`."""
    try:
        load_topic(asked.parent_topic_id, call.principal.trust, world.topics)
    except NotFound as error:
        raise NotFound("parent topic not found") from error
    if not asked.field_names:
        raise Expected(_NO_NAMES)
    if not asked.child_title.strip():
        raise Expected("child_title required")
    request = validate(editing.PromoteFields, asked.of_route)
    reply = fields.promote_fields(request, call, world, child_kind=asked.child_topic_kind)
    return _answer(reply.body, replies.PromotedFields)


def _in_words_of_the_tool(error: InvalidArgument) -> InvalidArgument:
    """The refusal of the only field of the write, with the names of the tool's arguments."""
    text = str(error)
    if not text.startswith(_FIRST_FIELD):
        return error
    return InvalidArgument(text.removeprefix(_FIRST_FIELD).replace("name is", "field_name is", 1))
