"""Write, delete, nest and unnest fields, set the reference of a field, and promote fields."""

from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.language.errors import AlreadyExists, InvalidArgument, NotFound
from membrane.domain.topics import appending, nesting, versions
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.promotion import (
    Promotion,
    edge_to_undo,
    merge_back,
    promote,
    require_promotable,
    require_undoable,
)
from membrane.domain.topics.requests import editing
from membrane.domain.topics.topic import Field, FieldType, Topic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.editing import topics
from membrane.usecases.topics.loading import load_topics, title_heads
from membrane.usecases.topics.writing import Decision, topic_token

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import (
        AppendedField,
        DeletedField,
        Grouping,
        NestedFields,
        PromotedFields,
        UndonePromotion,
        UnnestedFields,
    )


NOT_FOUND = "field not found"


def append_field(request: editing.AppendField, call: Call, world: World) -> ReplyBody:
    """Add a revision to a field; an archived topic is revived.

    The reply has the version id. Raises NotFound for the topic, PermissionDenied, InvalidArgument
    for a reference to an absent topic, and the errors of `append_writes`.
    """

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        ref = request.ref
        if isinstance(ref, str):
            ref = topics.resolve_reference(ref, call, world)
        active, back = versions.revive(topic, context)
        added = appending.append_writes(active, [_field_write(request, ref)], context)
        draft = versions.EventDraft(
            EventKind.FIELDS, {"fields": [request.field_name]}, request.why_changed or ""
        )
        after = versions.next_version(active, *back, draft, context=context, fields=added.fields)
        heads = title_heads(after, call.principal.trust, world) if back else ()
        [(_, version_id)] = added.version_ids
        change = TopicChange(
            topics=[(topic, after)],
            revisions=added.revisions,
            heads=heads,
            values=added.values,
        )
        body: AppendedField = {
            "version_id": version_id,
            "consistency_token": topic_token(after),
        }
        return Decision(change, body, grown_fields=[request.field_name])

    return topics.edit(request.id, decide, call, world)


def delete_field(request: editing.DeleteField, call: Call, world: World) -> ReplyBody:
    """Delete the field, or the group with all fields. Raises NotFound, PermissionDenied."""

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        names = _whole_names(topic, request.name)
        fields = appending.mark_deleted(topic.fields, names, context.timestamp)
        groups = {name: each for name, each in topic.groups.items() if name != request.name}
        draft = versions.EventDraft(EventKind.FIELD_DELETED, {"fields": names})
        after = versions.next_version(topic, draft, context=context, fields=fields, groups=groups)
        body: DeletedField = {"deleted": request.name, "consistency_token": topic_token(after)}
        return topics.decision_to_write(topic, after, body)

    return topics.edit(request.id, decide, call, world)


def set_field_ref(request: editing.SetFieldRef, call: Call, world: World) -> ReplyBody:
    """Set or clear the reference of a field; a missing field is created without a value.

    Raises NotFound, also for a missing field with no reference to clear; PermissionDenied;
    InvalidArgument for an absent referenced topic and for the name of a group.
    """

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        nesting.require_writable(topic, request.name)
        before = topic.living_fields.get(request.name)
        if before is None and request.ref_topic_id is None:
            raise NotFound(NOT_FOUND)
        ref = request.ref_topic_id and topics.resolve_reference(request.ref_topic_id, call, world)
        if before is not None and before.ref_topic_id == ref:
            return topics.decision_to_keep(topic, topics.done_reply(topic))
        pointing = replace(before or Field(type=FieldType.STRING), ref_topic_id=ref)
        fields = (
            dict(topic.fields) if before else appending.free_names(topic.fields, [request.name])
        )
        draft = versions.EventDraft(
            EventKind.REF, versions.reference_detail(topic, request.name, ref)
        )
        fields[request.name] = pointing
        after = versions.next_version(topic, draft, context=context, fields=fields)
        return topics.decision_to_write(topic, after, topics.done_reply(after))

    return topics.edit(request.id, decide, call, world)


def nest_fields(request: editing.NestFields, call: Call, world: World) -> ReplyBody:
    """Show fields as a bundle. Raises NotFound, PermissionDenied, and as `group_fields` does."""

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        after, moved = nesting.group_fields(
            topic, request.field_names, request.nest_key, request.provenance, context
        )
        body: NestedFields = {**_grouping(after, request), "moved_fields": list(moved)}
        return topics.decision_to_write(topic, after, body)

    return topics.edit(request.id, decide, call, world)


def unnest_fields(request: editing.UnnestFields, call: Call, world: World) -> ReplyBody:
    """Ungroup a bundle. Raises NotFound, PermissionDenied, and as `ungroup_fields` does."""

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        after, restored = nesting.ungroup_fields(topic, request.nest_key, context)
        body: UnnestedFields = {**_grouping(after, request), "restored_fields": list(restored)}
        return topics.decision_to_write(topic, after, body)

    return topics.edit(request.id, decide, call, world)


def _grouping(after: Topic, request: editing.NestFields | editing.UnnestFields) -> "Grouping":
    return {
        "ok": True,
        "topic_id": after.id,
        "nest_key": request.nest_key.strip(),
        "consistency_token": topic_token(after),
    }


def _field_write(request: editing.AppendField, ref: appending.RefChange) -> appending.FieldWrite:
    return appending.FieldWrite(
        name=request.field_name,
        value=request.value,
        field_type=request.field_type,
        ref=ref,
        provenance=request.provenance,
        why_changed=request.why_changed,
        impact_expected=request.impact_expected,
        valid_from=request.valid_from,
    )


def _whole_names(topic: Topic, name: str) -> list[str]:
    """The whole names of the field, or of all fields in the group; raises NotFound."""
    if name in topic.living_fields:
        return [name]
    if name in nesting.shown_groups(topic):
        return [nesting.whole_name(name, inner) for inner in nesting.inner_fields(topic, name)]
    raise NotFound(NOT_FOUND)


def promote_fields(
    request: editing.PromoteFields, call: Call, world: World, *, child_kind: str | None = None
) -> ReplyBody:
    """Move fields into a new child topic, in one write with the parent.

    Without a `child_kind`, the child has the kind of the parent.

    Raises NotFound for the parent, PermissionDenied, AlreadyExists if the id of the child is taken,
    and InvalidArgument as `require_promotable` does.
    """
    child_id = topics.new_topic_id(request.child_topic_id, "child_topic_id", call, world)
    promotion = Promotion(
        child_id=child_id,
        title=request.child_title.strip(),
        summary=request.child_summary,
        names=nesting.distinct(request.field_names),
        relationship_kind=request.relationship_kind.strip(),
        link_field=request.parent_link_field,
        provenance=request.provenance,
        kind=child_kind,
    )

    def decide(parent: Topic, context: versions.ChangeContext) -> Decision:
        require_promotable(parent, promotion)
        if world.topics.load(child_id) is not None:
            raise AlreadyExists(f"topic_id already exists: {child_id}")
        after, child, revisions = promote(parent, promotion, context)
        edge = versions.new_edge(None, parent.id, child_id, promotion.relationship_kind, context)
        change = TopicChange(
            topics=[(parent, after), (None, child)],
            revisions=revisions,
            edges=() if edge is None else (edge,),
            heads=title_heads(child, call.principal.trust, world),
        )
        body: PromotedFields = {
            "ok": True,
            "child_topic_id": child_id,
            "moved_fields": list(promotion.names),
            "relationship_kind": promotion.relationship_kind,
            "parent_link_field": promotion.link_field,
            "consistency_token": topic_token(after),
        }
        return Decision(change, body)

    return topics.edit(request.id, decide, call, world)


def undo_promotion(request: editing.UndoPromotion, call: Call, world: World) -> ReplyBody:
    """Move the fields of the child back into the parent and delete the child, in one write.

    Raises NotFound for the parent, PermissionDenied for parent or child, InvalidArgument and
    FailedPrecondition as `edge_to_undo` and `require_undoable` do.
    """

    def decide(parent: Topic, context: versions.ChangeContext) -> Decision:
        child = _child(request.child_topic_id, call, world)
        links = topics.links_between(parent, child, world.topics)
        kind = edge_to_undo(links, request.relationship_kind)
        require_undoable(parent, child, world.topics.events(child))
        after, gone, restored, removed = merge_back(parent, child, kind, context)
        change = TopicChange(
            topics=[(parent, after), (child, gone)],
            edges=versions.removed_edges((each for each in links if each.kind == kind), context),
        )
        body: UndonePromotion = {
            "ok": True,
            "parent_topic_id": parent.id,
            "restored_fields": list(restored),
            "removed_ref_fields": list(removed),
            "deleted_child_topic_id": child.id,
            "consistency_token": topic_token(after),
        }
        return Decision(change, body)

    return topics.edit(request.id, decide, call, world)


def _child(child_id: str, call: Call, world: World) -> Topic:
    if not child_id:
        raise InvalidArgument("child_topic_id required")
    child = load_topics([child_id], call.principal.trust, world.topics).get(child_id)
    if child is None:
        raise InvalidArgument(f"child topic not found: {child_id}")
    call.principal.require_write(child.scope, child.sensitivity)
    return child
