"""Create, change, delete, restore and link topics; fields have a module of their own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from membrane.domain.access.principals import above_ordinary, require_revise_for
from membrane.domain.language.errors import InvalidArgument, NotFound, PermissionDenied
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import is_keyed_id
from membrane.domain.salience.function import Anchor
from membrane.domain.topics import versions
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.requests import editing
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Edge, LadderStep, Topic, TopicStatus, own_ids
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.erase_topic import erase_topic
from membrane.usecases.topics.loading import load_topic, load_topics, renamed_heads, title_heads
from membrane.usecases.topics.writing import Decision, topic_token, write, write_and_trim

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.language.replies import Done
    from membrane.domain.topics.replies.editing import ChangedTopic, DeletedTopic


Edit = Callable[[Topic, versions.ChangeContext], Decision]
"""Decides about the loaded topic."""


def edit(
    topic_id: str, decide: Edit, call: Call, world: World, *, deleted: bool = False
) -> ReplyBody:
    """Commit the decision of `decide` about the topic.

    Raises NotFound for an absent or hidden topic, PermissionDenied for a topic that the caller may
    not write, and the errors of `decide` and `write`.
    """

    def decide_on_topic(context: versions.ChangeContext) -> Decision:
        topic = load_topic(topic_id, call.principal.trust, world.topics, deleted=deleted)
        call.principal.require_write(topic.scope, topic.sensitivity)
        return decide(topic, context)

    return write_and_trim(decide_on_topic, call, world)


def decision_to_write(
    before: Topic | None,
    after: Topic,
    body: Body,
    *,
    edges: Sequence[Edge] = (),
    heads: Sequence[Head] = (),
) -> Decision:
    change = TopicChange(topics=[(before, after)], edges=edges, heads=heads)
    return Decision(change, body)


def decision_to_keep(topic: Topic, body: Body) -> Decision:
    """The decision to write nothing: the topic is as requested already."""
    return Decision(None, body, about=(topic.id,))


def done_reply(topic: Topic) -> "Done":
    return {"ok": True, "consistency_token": topic_token(topic)}


def resolve_reference(topic_id: str, call: Call, world: World) -> str:
    """The id of the topic that a reference names; raises InvalidArgument for an absent topic."""
    found = load_topics([topic_id], call.principal.trust, world.topics).get(topic_id)
    if found is None:
        raise InvalidArgument(f"ref_topic_id not found: {topic_id}")
    return found.id


MAX_EDGES = 10_000
"""Edges of the second topic to search if an edge cannot be looked up by key."""


def add_relationship(request: editing.AddRelationship, call: Call, world: World) -> ReplyBody:
    """Link two topics; an existing link stays. Raises NotFound, PermissionDenied."""

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        other = load_topic(request.to_topic_id, call.principal.trust, world.topics)
        there = links_between(topic, other, world.topics, request.kind)
        if any(each.removed_at is None for each in there):
            return decision_to_keep(topic, done_reply(topic))
        ours = (each for each in there if (each.from_id, each.to_id) == (topic.id, other.id))
        edge = versions.new_edge(next(ours, None), topic.id, other.id, request.kind, context)
        after = _with_event(topic, EventKind.EDGE_ADDED, other, request.kind, context)
        edges = () if edge is None else (edge,)
        return decision_to_write(topic, after, done_reply(after), edges=edges)

    return edit(request.id, decide, call, world)


def remove_relationship(request: editing.RemoveRelationship, call: Call, world: World) -> ReplyBody:
    """Remove a link; reads as of an earlier instant still show the link.

    Raises NotFound for a missing topic or link, and PermissionDenied.
    """

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        other = load_topic(request.to_topic_id, call.principal.trust, world.topics)
        edges = versions.removed_edges(
            links_between(topic, other, world.topics, request.kind), context
        )
        if not edges:
            raise NotFound("relationship not found")
        after = _with_event(topic, EventKind.EDGE_REMOVED, other, request.kind, context)
        return decision_to_write(topic, after, done_reply(after), edges=edges)

    return edit(request.id, decide, call, world)


def links_between(
    source: Topic, target: Topic, topics: "DynamoTopics", kind: str | None = None
) -> Sequence[Edge]:
    """The edges of the kind, or of any kind, from `source` to `target`, removed edges too.

    Edges of topics that were merged into `source` or `target` count.
    """
    if kind is not None and not source.absorbed and not target.absorbed:
        edge = topics.find_edge(source.id, target.id, kind)
        return () if edge is None else (edge,)
    from_ids, to_ids = own_ids(source), own_ids(target)
    return [
        each
        for each in topics.edges(to_ids, MAX_EDGES)
        if each.from_id in from_ids and each.to_id in to_ids and kind in (None, each.kind)
    ]


def _with_event(
    topic: Topic, event: EventKind, other: Topic, kind: str, context: versions.ChangeContext
) -> Topic:
    draft = versions.EventDraft(event, {"to_topic_id": other.id, "kind": kind})
    return versions.next_version(topic, draft, context=context)


def create_topic(request: editing.CreateTopic, call: Call, world: World) -> ReplyBody:
    """Raises AlreadyExists for an id in use, InvalidArgument, PermissionDenied."""
    require_revise_for(call.principal, above_ordinary("salience", request.salience))
    topic_id = new_topic_id(request.topic_id, "topic_id", call, world)
    scope = call.principal.scope_for_writing(request.scope)
    sensitivity = request.sensitivity or world.policy.sensitivity
    call.principal.require_write(scope, sensitivity)

    def decide(context: versions.ChangeContext) -> Decision:
        draft = versions.unwritten_topic(
            topic_id,
            scope,
            sensitivity,
            title=request.title,
            summary=request.summary,
            kind=request.topic_kind,
            salience=request.salience,
            context=context,
        )
        topic = versions.first_version(draft, context)
        heads = title_heads(topic, call.principal.trust, world)
        return decision_to_write(None, topic, _body(topic), heads=heads)

    return write(decide, call, world).answer


def change_topic(request: editing.ChangeTopic, call: Call, world: World) -> ReplyBody:
    """Raises NotFound; PermissionDenied, also for a sensitivity lowered without admin; Aborted."""
    is_admin = Permission.ADMIN in call.principal.permissions

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        asked = request.sensitivity or topic.sensitivity
        if asked.level < topic.sensitivity.level and not is_admin:
            raise PermissionDenied("lowering a topic's sensitivity needs the permission admin")
        after = _edited_topic(topic, request, context)
        if after is None:
            return decision_to_keep(topic, _body(topic))
        call.principal.require_write(after.scope, after.sensitivity)
        heads = renamed_heads(topic, after, call.principal.trust, world)
        return decision_to_write(topic, after, _body(after), heads=heads)

    return edit(request.id, decide, call, world)


def _edited_topic(
    topic: Topic, request: editing.ChangeTopic, context: versions.ChangeContext
) -> Topic | None:
    said = _changed_attributes(topic, request, context)
    moved, drafts = _with_archived_flag(topic, request, context)
    if said:
        drafts = (versions.meta_event(said), *drafts)
    if not drafts:
        return None
    return versions.next_version(moved, *drafts, context=context, **said)


def _changed_attributes(
    topic: Topic, request: editing.ChangeTopic, context: versions.ChangeContext
) -> dict[str, Any]:
    said: dict[str, Any] = {
        "title": None if request.title is None else request.title or UNTITLED,
        "summary": request.summary,
        "kind": request.topic_kind,
        "sensitivity": request.sensitivity,
    }
    changed = {
        name: value
        for name, value in said.items()
        if value is not None and value != getattr(topic, name)
    }
    if request.salience is not None:
        changed["base"] = Anchor(request.salience, context.now_s, topic.base.born_s)
    return changed


def _with_archived_flag(
    topic: Topic, request: editing.ChangeTopic, context: versions.ChangeContext
) -> tuple[Topic, tuple[versions.EventDraft, ...]]:
    if request.archived is False:
        return versions.revive(topic, context)
    if request.archived is None or topic.status is TopicStatus.ARCHIVED:
        return topic, ()
    gone = replace(topic, status=TopicStatus.ARCHIVED, step=LadderStep.ARCHIVED)
    return gone, (versions.EventDraft(EventKind.ARCHIVED, {}),)


def delete_topic(request: editing.DeleteTopic, call: Call, world: World) -> ReplyBody:
    """Hide a topic with fields and links from all readers, or erase a topic, with `admin`.

    Raises NotFound, PermissionDenied, and the errors of `erase_topic`.
    """
    if request.erase:
        return erase_topic(request.id, request.why, call, world)
    call.principal.require(Permission.REVISE)

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        after = versions.deleted_topic(topic, context, request.why)
        body: DeletedTopic = {"deleted": topic.id, "consistency_token": topic_token(after)}
        return decision_to_write(topic, after, body)

    return edit(request.id, decide, call, world)


def restore_topic(request: editing.RestoreTopic, call: Call, world: World) -> ReplyBody:
    """Bring back a deleted topic. Raises NotFound, PermissionDenied, FailedPrecondition."""

    def decide(topic: Topic, context: versions.ChangeContext) -> Decision:
        after = versions.restored_topic(topic, context)
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
    return asked or call.new_id(world)
