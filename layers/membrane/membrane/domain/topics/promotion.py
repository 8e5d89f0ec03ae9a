"""Promotion: fields of a topic become a topic of their own, and can be merged back.

The fields change topics together with their lines, so the histories stay where they are. A field,
even a deleted one, belongs to one topic at a time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.topics import appending, nesting
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.topic import (
    LINKS_TOPIC,
    Edge,
    Field,
    FieldType,
    Group,
    Line,
    Revision,
    Topic,
    TopicStatus,
)
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    child_id: str
    title: str
    summary: str
    names: tuple[str, ...]
    """Distinct; the name of a group stands for all fields of the group."""
    relationship_kind: str
    link_field: str | None
    provenance: str
    kind: str | None = None
    """The kind of the child; None = the kind of the parent."""


def require_promotable(parent: Topic, promotion: Promotion) -> None:
    """Raise InvalidArgument with the words and in the order of MemState's checks."""
    if not promotion.title:
        raise InvalidArgument("child_title required")
    if not promotion.relationship_kind:
        raise InvalidArgument("relationship_kind required")
    if not promotion.names:
        raise InvalidArgument("field_names must name at least one field on the parent")
    if promotion.link_field in promotion.names:
        raise InvalidArgument("parent_link_field must not be one of the moved field names")
    shown = {*parent.living_fields, *nesting.shown_groups(parent)}
    for name in promotion.names:
        if name not in shown:
            raise InvalidArgument(f"field not on parent topic: {name}")
    if promotion.link_field is not None:
        nesting.require_writable(parent, promotion.link_field)
        if nesting.group_of(parent, promotion.link_field) in promotion.names:
            raise InvalidArgument("parent_link_field must not be one of the moved field names")
        if promotion.link_field in parent.living_fields:  # undoing removes the link field
            raise InvalidArgument(
                "parent_link_field must not be a field that the parent has already"
            )


def promote(
    parent: Topic, promotion: Promotion, context: ChangeContext
) -> tuple[Topic, Topic, tuple[tuple[Line, Revision], ...]]:
    """Parent, child and new revisions; `require_promotable` must have passed."""
    moved = _fields_to_move(parent, promotion.names)
    groups = {name: group for name, group in parent.groups.items() if name in promotion.names}
    child = _child(parent, promotion, moved, groups, context)
    without = replace(
        parent,
        fields={name: each for name, each in parent.fields.items() if name not in moved},
        groups={name: each for name, each in parent.groups.items() if name not in groups},
    )
    fields, revisions = _append_link(without, promotion, context)
    detail = {
        "child_topic_id": promotion.child_id,
        "moved_fields": list(promotion.names),
        "relationship_kind": promotion.relationship_kind,
    }
    draft = EventDraft(EventKind.PROMOTED, detail)
    after = next_version(without, draft, context=context, fields=fields)
    return after, child, revisions


def edge_to_undo(edges: Sequence[Edge], kind: str | None) -> str:
    """The kind of the edge that the promotion created.

    Raises InvalidArgument for no edge, no edge of the kind, and several kinds without a choice.
    """
    kinds = sorted({each.kind for each in edges if each.removed_at is None})
    if not kinds:
        raise InvalidArgument("no RELATED edge from parent to child topic")
    if kind is not None and kind not in kinds:
        raise InvalidArgument(f"no RELATED edge with kind '{kind}' from parent to child")
    if kind is None and len(kinds) > 1:
        raise InvalidArgument(
            f"multiple RELATED edges from parent to child; pass relationship_kind (found: {kinds})"
        )
    return kinds[0] if kind is None else kind


def require_undoable(parent: Topic, child: Topic, trail: Sequence[TopicEvent]) -> None:
    """Raise InvalidArgument or FailedPrecondition if the child cannot be merged back.

    `trail` is the child's. The child must come from the parent, have fields, share no name with the
    parent, and have absorbed no topic.
    """
    ours = {parent.id, *parent.absorbed}
    origins = [
        each.detail["parent_topic_id"] for each in trail if each.kind is EventKind.PROMOTED_FROM
    ]
    if not origins or origins[-1] not in ours:
        expected = origins[-1] if origins else parent.id
        raise InvalidArgument(
            f"child topic history does not match this parent; expected parent '{expected}'"
        )
    if not child.living_fields:
        raise InvalidArgument("child topic has no fields to merge back")
    taken = _names_of(_without_links(parent, child, child.updated_at))
    for name in sorted(_names_of(child)):
        if name in taken:
            raise InvalidArgument(
                f"parent already has field '{name}'; rename or remove it on the parent before undo"
            )
    if child.absorbed:
        raise FailedPrecondition("other topics were merged into the child: unmerge them first")


def merge_back(
    parent: Topic, child: Topic, kind: str, context: ChangeContext
) -> tuple[Topic, Topic, tuple[str, ...], tuple[str, ...]]:
    """Parent, child, restored fields, removed links; `require_undoable` must have passed."""
    links = _links(parent, child)
    restored = tuple(sorted(child.living_fields))
    fields = _combine_fields(_without_links(parent, child, context.timestamp).fields, child.fields)
    detail = {
        "child_topic_id": child.id,
        "restored_fields": list(restored),
        "removed_ref_fields": list(links),
        "relationship_kind": kind,
    }
    after = next_version(
        replace(parent, version=max(parent.version, child.version)),
        EventDraft(EventKind.UNDONE, detail),
        context=context,
        fields=fields,
        groups={**parent.groups, **child.groups},
    )
    back = {"parent_topic_id": parent.id, "restored_fields": list(restored)}
    gone = next_version(
        child,
        EventDraft(EventKind.UNDO_MERGED_BACK, back),
        EventDraft(EventKind.DELETED, {}),
        context=context,
        fields={},
        groups={},
        status=TopicStatus.DELETED,
    )
    return after, gone, restored, links


def _fields_to_move(parent: Topic, names: Collection[str]) -> dict[str, Field]:
    grouped = {
        nesting.whole_name(group, inner)
        for group in nesting.shown_groups(parent).keys() & names
        for inner in nesting.inner_fields(parent, group)
    }
    living = parent.living_fields
    return {name: each for name, each in living.items() if name in names or name in grouped}


def _child(
    parent: Topic,
    promotion: Promotion,
    fields: Mapping[str, Field],
    groups: Mapping[str, Group],
    context: ChangeContext,
) -> Topic:
    """The child; its versions continue from the parent's, because versions order the revisions."""
    unborn = Topic(
        id=promotion.child_id,
        scope=parent.scope,
        sensitivity=parent.sensitivity,
        title=promotion.title,
        summary=promotion.summary,
        kind=parent.kind if promotion.kind is None else promotion.kind,
        base=parent.base,
        lifecycle=parent.lifecycle,
        fields=fields,
        groups=groups,
        created_at=context.timestamp,
        updated_at=context.timestamp,
        version=parent.version,
    )
    origin = {
        "parent_topic_id": parent.id,
        "fields": list(promotion.names),
        "relationship_kind": promotion.relationship_kind,
    }
    return next_version(
        unborn,
        EventDraft(EventKind.CREATED, {"title": promotion.title}),
        EventDraft(EventKind.PROMOTED_FROM, origin),
        context=context,
    )


def _append_link(
    parent: Topic, promotion: Promotion, context: ChangeContext
) -> tuple[Mapping[str, Field], tuple[tuple[Line, Revision], ...]]:
    if promotion.link_field is None:
        return parent.fields, ()
    link = appending.FieldWrite(
        name=promotion.link_field,
        value=promotion.title,
        field_type=FieldType.STRING,
        ref=promotion.child_id,
        provenance=promotion.provenance,
        why_changed=f"promoted fields to nested topic {promotion.child_id}",
        operation=LINKS_TOPIC,
    )
    after = appending.append_writes(parent, [link], context)
    return after.fields, after.revisions


def _links(parent: Topic, child: Topic) -> tuple[str, ...]:
    living = sorted(parent.living_fields.items())
    return tuple(name for name, field in living if _is_link(field, child.id))


def _is_link(field: Field, child_id: str) -> bool:
    """Whether the field refers to the child and has no value but the link of the promotion."""
    if field.ref_topic_id != child_id:
        return False
    return field.current is None or field.current.operation == LINKS_TOPIC


def _without_links(parent: Topic, child: Topic, at: str) -> Topic:
    fields = {
        name: replace(field, ref_topic_id=None)
        if field.ref_topic_id == child.id and not _is_link(field, child.id)
        else field
        for name, field in parent.fields.items()
    }
    return replace(parent, fields=appending.mark_deleted(fields, _links(parent, child), at))


def _names_of(topic: Topic) -> set[str]:
    return {*topic.living_fields, *topic.groups}


def _combine_fields(
    parent: Mapping[str, Field], returning: Mapping[str, Field]
) -> dict[str, Field]:
    """The fields of both topics; on a shared name, the deleted field is displaced."""
    back = {name: each for name, each in returning.items() if each.deleted_at is None}
    together = appending.free_names(parent, back.keys()) | back
    for name in returning.keys() - back.keys():
        gone = returning[name]
        together |= appending.displace_field(name, gone) if name in together else {name: gone}
    return together
