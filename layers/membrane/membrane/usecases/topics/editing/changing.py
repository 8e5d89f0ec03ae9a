"""Edit a topic that the caller may see and write."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import Body
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.archive_history import write_and_trim
from membrane.usecases.topics.loading import load_topic, load_topics
from membrane.usecases.topics.writing import Decision, topic_token

if TYPE_CHECKING:
    from membrane.domain.language.replies import Done

Edit = Callable[[Topic, ChangeContext], Decision]
"""Decides about the loaded topic."""


def edit(
    topic_id: str, decide: Edit, call: Call, world: World, *, deleted: bool = False
) -> ReplyBody:
    """Commit the decision of `decide` about the topic.

    Raises NotFound for an absent or hidden topic, PermissionDenied for a topic that the caller may
    not write, and the errors of `decide` and `write`.
    """

    def decide_on_topic(context: ChangeContext) -> Decision:
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
