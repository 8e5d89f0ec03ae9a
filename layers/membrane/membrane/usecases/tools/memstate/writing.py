"""MemState's tools that write topics: each writes once, whole or not at all."""

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import validate
from membrane.domain.tools.memstate import writing
from membrane.domain.tools.memstate.documents import Long, cut_to_fit
from membrane.domain.topics.requests import editing
from membrane.domain.topics.versions import USUAL_SALIENCE
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate.windows import Expected, answer_of, require, written_answer
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.editing import fields, topics
from membrane.usecases.topics.editing.fields import promote_fields as promote
from membrane.usecases.topics.editing.fields import undo_promotion as undo
from membrane.usecases.topics.loading import load_topic

_NO_VALUE = (
    "memory_append_field requires `value` with the fact to store. Omitting it used to record an "
    'empty string while still returning ok—retry with value set (use "" only if you intentionally '
    "mean an empty string)."
)
_NO_NAMES = "field_names must be a non-empty list of field name strings"

_RESTORE = "POST /v1/topics/{topic_id}/restore, with a key that has the permission revise"

_NOT_OF_PROMOTION = {"parent_topic_id", "child_topic_kind", "link_provenance", "max_history"}
"""Arguments of other names, or without effect."""

_FIRST_FIELD = "fields.0."
"""The place of the only field of a write in a refusal of the domain."""


def create_topic(asked: writing.CreateTopic, call: Call, world: World) -> ToolAnswer:
    """A topic without fields. Raises the errors of `topics.create_topic`."""
    if asked.title is None:
        raise Expected("title required")
    sent = {**asked.model_dump(), "salience": asked.salience or USUAL_SALIENCE}
    request = validate(editing.CreateTopic, sent)
    body = topics.create_topic(request, call, world).body
    return written_answer({"ok": True, "topic_id": body["topic_id"]}, body)


def update_topic(asked: writing.UpdateTopic, call: Call, world: World) -> ToolAnswer:
    """Given attributes change; absent and null attributes stay. Raises NotFound."""
    require({"topic_id": asked.topic_id})
    given = asked.model_dump(exclude={"topic_id"}, exclude_none=True)
    request = validate(editing.ChangeTopic, {"id": asked.topic_id, **given})
    body = topics.change_topic(request, call, world).body
    return written_answer({"ok": True, "topic_id": body["topic_id"]}, body)


def delete_topic(asked: writing.DeleteTopic, call: Call, world: World) -> ToolAnswer:
    """Hide the topic until the topic is restored. Raises NotFound."""
    require({"topic_id": asked.topic_id})
    body = topics.delete_topic(editing.DeleteTopic(id=asked.topic_id), call, world).body
    restore = _RESTORE.format(topic_id=body["deleted"])
    return written_answer({"ok": True, "deleted": body["deleted"], "restore": restore}, body)


def add_relationship(asked: writing.Relationship, call: Call, world: World) -> ToolAnswer:
    """An edge; an existing edge stays as is. Raises NotFound."""
    request = validate(editing.AddRelationship, _edge(asked))
    return written_answer({"ok": True}, topics.add_relationship(request, call, world).body)


def remove_relationship(asked: writing.Relationship, call: Call, world: World) -> ToolAnswer:
    """The edge goes; the answer says if no such edge existed. Raises NotFound for a topic."""
    request = validate(editing.RemoveRelationship, _edge(asked))
    try:
        body = topics.remove_relationship(request, call, world).body
    except NotFound:
        for topic_id in (asked.from_topic_id, asked.to_topic_id):
            load_topic(topic_id, call.principal.trust, world.topics)
        return answer_of({"ok": True, "existed": False})
    return written_answer({"ok": True}, body)


def append_field(asked: writing.AppendField, call: Call, world: World) -> ToolAnswer:
    """A revision. Raises Expected without a value, NotFound, and as `fields.append_field`."""
    require({"topic_id": asked.topic_id, "field_name": asked.field_name})
    if not asked.has_value:
        raise Expected(_NO_VALUE)
    given = asked.model_dump(exclude={"topic_id"}, exclude_unset=True)
    sent = {"id": asked.topic_id, "provenance": asked.provenance, **given}
    request = validate(editing.AppendField, sent)
    try:
        body = fields.append_field(request, call, world).body
    except InvalidArgument as error:
        raise _in_words_of_the_tool(error) from error
    return written_answer({"ok": True, "version_id": body["version_id"]}, body)


def delete_field(asked: writing.DeleteField, call: Call, world: World) -> ToolAnswer:
    """The field goes, the history stays; the answer says if no such field existed."""
    require({"topic_id": asked.topic_id, "field_name": asked.field_name})
    reply: JsonObject = {"ok": True, "deleted": Long(asked.field_name)}
    request = editing.DeleteField(id=asked.topic_id, name=asked.field_name)
    try:
        body = fields.delete_field(request, call, world).body
    except NotFound:
        load_topic(asked.topic_id, call.principal.trust, world.topics)
        return answer_of(cut_to_fit({**reply, "existed": False}, ""))
    return written_answer(reply, body)


def set_field_ref(asked: writing.SetFieldRef, call: Call, world: World) -> ToolAnswer:
    """The reference of the field. Raises NotFound, and as `fields.set_field_ref`."""
    require({"topic_id": asked.topic_id, "field_name": asked.field_name})
    sent = {"id": asked.topic_id, "name": asked.field_name, "ref_topic_id": asked.ref_topic_id}
    request = validate(editing.SetFieldRef, sent)
    return written_answer({"ok": True}, fields.set_field_ref(request, call, world).body)


def nest_fields(asked: writing.NestFields, call: Call, world: World) -> ToolAnswer:
    """Fields in a bundle. Raises Expected, NotFound, and as `fields.nest_fields`."""
    require({"topic_id": asked.topic_id})
    require({"nest_key": asked.nest_key})
    if not asked.field_names:
        load_topic(asked.topic_id, call.principal.trust, world.topics)
        raise Expected(_NO_NAMES)
    sent = {"id": asked.topic_id, **asked.model_dump(exclude={"topic_id"})}
    body = fields.nest_fields(validate(editing.NestFields, sent), call, world).body
    reply = {
        "ok": True,
        "topic_id": body["topic_id"],
        "nest_key": Long(body["nest_key"]),
        "moved_fields": _long_names(body["moved_fields"]),
    }
    return written_answer(reply, body)


def unnest_fields(asked: writing.UnnestFields, call: Call, world: World) -> ToolAnswer:
    """Fields without the bundle. Raises Expected, NotFound, and as `fields.unnest_fields`."""
    require({"topic_id": asked.topic_id, "nest_key": asked.nest_key})
    request = editing.UnnestFields(id=asked.topic_id, nest_key=asked.nest_key)
    body = fields.unnest_fields(request, call, world).body
    reply = {
        "ok": True,
        "topic_id": body["topic_id"],
        "nest_key": Long(body["nest_key"]),
        "restored_fields": _long_names(body["restored_fields"]),
    }
    return written_answer(reply, body)


def promote_fields(asked: writing.PromoteFields, call: Call, world: World) -> ToolAnswer:
    """Fields as a topic of their own. Raises Expected, and as `promotion.promote_fields`."""
    require({"parent_topic_id": asked.parent_topic_id})
    try:
        load_topic(asked.parent_topic_id, call.principal.trust, world.topics)
    except NotFound as error:
        raise NotFound("parent topic not found") from error
    if not asked.field_names:
        raise Expected(_NO_NAMES)
    require({"child_title": asked.child_title})
    given = asked.model_dump(exclude=_NOT_OF_PROMOTION)
    sent = {"id": asked.parent_topic_id, "provenance": asked.link_provenance, **given}
    request = validate(editing.PromoteFields, sent)
    body = promote(request, call, world, child_kind=asked.child_topic_kind).body
    reply = {
        "ok": True,
        "child_topic_id": body["child_topic_id"],
        "moved_fields": _long_names(body["moved_fields"]),
        "relationship_kind": Long(body["relationship_kind"]),
        "parent_link_field": body["parent_link_field"],
    }
    return written_answer(reply, body)


def undo_promotion(asked: writing.UndoPromotion, call: Call, world: World) -> ToolAnswer:
    """The fields of the child back in the parent. Raises as `promotion.undo_promotion`."""
    require({"parent_topic_id": asked.parent_topic_id, "child_topic_id": asked.child_topic_id})
    sent = {"id": asked.parent_topic_id, **asked.model_dump(exclude={"parent_topic_id"})}
    body = undo(validate(editing.UndoPromotion, sent), call, world).body
    reply = {
        "ok": True,
        "parent_topic_id": body["parent_topic_id"],
        "restored_fields": _long_names(body["restored_fields"]),
        "removed_ref_fields": _long_names(body["removed_ref_fields"]),
        "deleted_child_topic_id": body["deleted_child_topic_id"],
    }
    return written_answer(reply, body)


def _edge(asked: writing.Relationship) -> JsonObject:
    """The request of the edge; an edge without a kind would be stored with an empty kind."""
    if asked.kind is None:
        raise Expected("kind required")
    return {"id": asked.from_topic_id, "to_topic_id": asked.to_topic_id, "kind": asked.kind}


def _long_names(names: list[str]) -> list[Long]:
    return [Long(each) for each in names]


def _in_words_of_the_tool(error: InvalidArgument) -> InvalidArgument:
    """The refusal of the only field of the write, with the names of the tool's arguments."""
    text = str(error)
    if not text.startswith(_FIRST_FIELD):
        return error
    return InvalidArgument(text.removeprefix(_FIRST_FIELD).replace("name is", "field_name is", 1))
