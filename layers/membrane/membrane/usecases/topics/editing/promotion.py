"""Promote fields to a topic of their own, and undo a promotion."""

from typing import TYPE_CHECKING

from membrane.domain.language.errors import AlreadyExists, InvalidArgument
from membrane.domain.topics.editing.promotion import (
    Promotion,
    edge_to_undo,
    merge_back,
    promote,
    require_promotable,
    require_undoable,
)
from membrane.domain.topics.nesting import distinct
from membrane.domain.topics.relations import new_edge, removed_edges
from membrane.domain.topics.requests.editing import PromoteFields, UndoPromotion
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.editing.changing import edit, links_between
from membrane.usecases.topics.editing.topics import new_topic_id
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decision, topic_token

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import PromotedFields, UndonePromotion


def promote_fields(
    request: PromoteFields, call: Call, world: World, *, child_kind: str | None = None
) -> ReplyBody:
    """Move fields into a new child topic, in one write with the parent.

    Without a `child_kind`, the child has the kind of the parent.

    Raises NotFound for the parent, PermissionDenied, AlreadyExists if the id of the child is taken,
    and InvalidArgument as `require_promotable` does.
    """
    child_id = new_topic_id(request.child_topic_id, "child_topic_id", call, world)
    promotion = Promotion(
        child_id=child_id,
        title=request.child_title.strip(),
        summary=request.child_summary,
        names=distinct(request.field_names),
        relationship_kind=request.relationship_kind.strip(),
        link_field=request.parent_link_field,
        provenance=request.provenance,
        kind=child_kind,
    )

    def decide(parent: Topic, context: ChangeContext) -> Decision:
        require_promotable(parent, promotion)
        if world.topics.load(child_id) is not None:
            raise AlreadyExists(f"topic_id already exists: {child_id}")
        after, child, revisions = promote(parent, promotion, context)
        edge = new_edge(None, parent.id, child_id, promotion.relationship_kind, context)
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

    return edit(request.id, decide, call, world)


def undo_promotion(request: UndoPromotion, call: Call, world: World) -> ReplyBody:
    """Move the fields of the child back into the parent and delete the child, in one write.

    Raises NotFound for the parent, PermissionDenied for parent or child, InvalidArgument and
    FailedPrecondition as `edge_to_undo` and `require_undoable` do.
    """

    def decide(parent: Topic, context: ChangeContext) -> Decision:
        child = _child(request.child_topic_id, call, world)
        links = links_between(parent, child, world.topics)
        kind = edge_to_undo(links, request.relationship_kind)
        require_undoable(parent, child, world.topics.events(child))
        after = merge_back(parent, child, kind, context)
        change = TopicChange(
            topics=[(parent, after.parent), (child, after.child)],
            edges=removed_edges((each for each in links if each.kind == kind), context),
        )
        body: UndonePromotion = {
            "ok": True,
            "parent_topic_id": parent.id,
            "restored_fields": list(after.restored),
            "removed_ref_fields": list(after.removed),
            "deleted_child_topic_id": child.id,
            "consistency_token": topic_token(after.parent),
        }
        return Decision(change, body)

    return edit(request.id, decide, call, world)


def _child(child_id: str, call: Call, world: World) -> Topic:
    """The child, writable by the caller; raises InvalidArgument for an absent child."""
    if not child_id:
        raise InvalidArgument("child_topic_id required")
    child = load_topics([child_id], call.principal.trust, world.topics).get(child_id)
    if child is None:
        raise InvalidArgument(f"child topic not found: {child_id}")
    call.principal.require_write(child.scope, child.sensitivity)
    return child
