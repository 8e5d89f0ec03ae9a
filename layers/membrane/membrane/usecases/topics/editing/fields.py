"""Write to a field, delete one, point one at a topic; show fields as one nested bundle."""

from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.language.errors import NotFound
from membrane.domain.topics.appending import FieldWrite, RefChange, append_writes
from membrane.domain.topics.displacing import free_names, mark_deleted
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.nesting import (
    RenamedFields,
    group_fields,
    inner_fields,
    require_writable,
    shown_groups,
    ungroup_fields,
    whole_name,
)
from membrane.domain.topics.relations import reference_detail
from membrane.domain.topics.requests.editing import (
    AppendField,
    DeleteField,
    NestFields,
    SetFieldRef,
    UnnestFields,
)
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import Field, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version, revive
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.editing.changing import changed, done, edit, referred, unchanged
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided, topic_token

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import (
        AppendedField,
        DeletedField,
        Grouping,
        NestedFields,
        UnnestedFields,
    )

NOT_FOUND = "field not found"


def append_field(request: AppendField, call: Call, services: TopicServices) -> ReplyBody:
    """The version id of the new revision; an archived topic is taken up again.

    Raises NotFound for the topic, PermissionDenied, and InvalidArgument for a reference to nothing
    and as `append_writes` does.
    """

    def decide(topic: Topic, context: ChangeContext) -> Decided:
        ref = request.ref
        if isinstance(ref, str):
            ref = referred(ref, call, services)
        active, back = revive(topic, context)
        added = append_writes(active, [_write(request, ref)], context)
        draft = EventDraft(
            EventKind.FIELDS, {"fields": [request.field_name]}, request.why_changed or ""
        )
        after = next_version(active, *back, draft, context=context, fields=added.fields)
        heads = title_heads(after, call.principal.trust, services) if back else ()
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
        return Decided(change, body, grown=[request.field_name])

    return edit(request.id, decide, call, services)


def delete_field(request: DeleteField, call: Call, services: TopicServices) -> ReplyBody:
    """Delete the field, or the group with its fields. Raises NotFound, PermissionDenied."""

    def decide(topic: Topic, context: ChangeContext) -> Decided:
        names = _named(topic, request.name)
        fields = mark_deleted(topic.fields, names, context.timestamp)
        groups = {name: each for name, each in topic.groups.items() if name != request.name}
        draft = EventDraft(EventKind.FIELD_DELETED, {"fields": names})
        after = next_version(topic, draft, context=context, fields=fields, groups=groups)
        body: DeletedField = {"deleted": request.name, "consistency_token": topic_token(after)}
        return changed(topic, after, body)

    return edit(request.id, decide, call, services)


def set_field_ref(request: SetFieldRef, call: Call, services: TopicServices) -> ReplyBody:
    """Set the field's reference, or clear it; a field that is not there is made without a value.

    Raises NotFound, also where there is no field to clear the reference of, PermissionDenied, and
    InvalidArgument for a reference to nothing and the own name of a group.
    """

    def decide(topic: Topic, context: ChangeContext) -> Decided:
        require_writable(topic, request.name)
        before = topic.living_fields.get(request.name)
        if before is None and request.ref_topic_id is None:
            raise NotFound(NOT_FOUND)
        ref = request.ref_topic_id and referred(request.ref_topic_id, call, services)
        if before is not None and before.ref_topic_id == ref:
            return unchanged(topic, done(topic))
        pointing = replace(before or Field(type=FieldType.STRING), ref_topic_id=ref)
        fields = dict(topic.fields) if before else free_names(topic.fields, [request.name])
        draft = EventDraft(EventKind.REF, reference_detail(topic, request.name, ref))
        fields[request.name] = pointing
        after = next_version(topic, draft, context=context, fields=fields)
        return changed(topic, after, done(after))

    return edit(request.id, decide, call, services)


def nest_fields(request: NestFields, call: Call, services: TopicServices) -> ReplyBody:
    """Show fields as one bundle. Raises NotFound, PermissionDenied, and as `group_fields` does."""

    def decide(topic: Topic, context: ChangeContext) -> Decided:
        after = group_fields(
            topic, request.field_names, request.nest_key, request.provenance, context
        )
        body: NestedFields = {**_grouping(after, request), "moved_fields": list(after.names)}
        return changed(topic, after.topic, body)

    return edit(request.id, decide, call, services)


def unnest_fields(request: UnnestFields, call: Call, services: TopicServices) -> ReplyBody:
    """Ungroup a bundle. Raises NotFound, PermissionDenied, and as `ungroup_fields` does."""

    def decide(topic: Topic, context: ChangeContext) -> Decided:
        after = ungroup_fields(topic, request.nest_key, context)
        body: UnnestedFields = {**_grouping(after, request), "restored_fields": list(after.names)}
        return changed(topic, after.topic, body)

    return edit(request.id, decide, call, services)


def _grouping(after: RenamedFields, request: NestFields | UnnestFields) -> "Grouping":
    return {
        "ok": True,
        "topic_id": after.topic.id,
        "nest_key": request.nest_key.strip(),
        "consistency_token": topic_token(after.topic),
    }


def _write(request: AppendField, ref: RefChange) -> FieldWrite:
    return FieldWrite(
        name=request.field_name,
        value=request.value,
        field_type=request.field_type,
        ref=ref,
        provenance=request.provenance,
        why_changed=request.why_changed,
        impact_expected=request.impact_expected,
        valid_from=request.valid_from,
    )


def _named(topic: Topic, name: str) -> list[str]:
    """The whole names of the field, or of all in the group, of that name; raises NotFound."""
    if name in topic.living_fields:
        return [name]
    if name in shown_groups(topic):
        return [whole_name(name, inner) for inner in inner_fields(topic, name)]
    raise NotFound(NOT_FOUND)
