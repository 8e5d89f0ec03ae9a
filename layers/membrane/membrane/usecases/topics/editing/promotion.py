"""Make fields a topic of their own, and take them back."""

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
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.editing.changing import edit
from membrane.usecases.topics.editing.links import links_between
from membrane.usecases.topics.editing.topics import new_topic_id
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided, topic_token

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import PromotedFields, UndonePromotion


def promote_fields(request: PromoteFields, call: Call, services: TopicServices) -> ReplyBody:
    """The child that the fields are under now, in one write with its parent.

    Raises NotFound for the parent, PermissionDenied, AlreadyExists where there is a topic of the
    child's id, InvalidArgument as `require_promotable` does.
    """
    child_id = new_topic_id(request.child_topic_id, "child_topic_id", call, services)
    asked = Promotion(
        child_id=child_id,
        title=request.child_title.strip(),
        summary=request.child_summary,
        names=distinct(request.field_names),
        relationship_kind=request.relationship_kind.strip(),
        link_field=request.parent_link_field,
        provenance=request.provenance,
    )

    def decide(parent: Topic, context: ChangeContext) -> Decided:
        require_promotable(parent, asked)
        if services.topics.load(child_id) is not None:
            raise AlreadyExists(f"topic_id already exists: {child_id}")
        after = promote(parent, asked, context)
        edge = new_edge(None, parent.id, child_id, asked.relationship_kind, context)
        change = TopicChange(
            topics=[(parent, after.parent), (None, after.child)],
            revisions=after.revisions,
            edges=() if edge is None else (edge,),
            heads=title_heads(after.child, call.principal.trust, services),
        )
        body: PromotedFields = {
            "ok": True,
            "child_topic_id": child_id,
            "moved_fields": list(asked.names),
            "relationship_kind": asked.relationship_kind,
            "parent_link_field": asked.link_field,
            "consistency_token": topic_token(after.parent),
        }
        return Decided(change, body)

    return edit(request.id, decide, call, services)


def undo_promotion(request: UndoPromotion, call: Call, services: TopicServices) -> ReplyBody:
    """The parent with the child's fields, and the child deleted, in one write.

    Raises NotFound for the parent, PermissionDenied for either, InvalidArgument and
    FailedPrecondition as `edge_to_undo` and `require_undoable` do.
    """

    def decide(parent: Topic, context: ChangeContext) -> Decided:
        child = _child(request.child_topic_id, call, services)
        links = links_between(parent, child, services.topics)
        kind = edge_to_undo(links, request.relationship_kind)
        require_undoable(parent, child, services.topics.events(child))
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
        return Decided(change, body)

    return edit(request.id, decide, call, services)


def _child(child_id: str, call: Call, services: TopicServices) -> Topic:
    """The child, which the caller may write; raises InvalidArgument where there is none."""
    if not child_id:
        raise InvalidArgument("child_topic_id required")
    child = load_topics([child_id], call.principal.trust, services.topics).get(child_id)
    if child is None:
        raise InvalidArgument(f"child topic not found: {child_id}")
    call.principal.require_write(child.scope, child.sensitivity)
    return child
