"""Changing one topic: loaded as the caller may see it, and written as the caller may write."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import Body
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.records import Head
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.archive_history import write_and_trim
from membrane.usecases.topics.loading import load_topic, load_topics
from membrane.usecases.topics.writing import Decided, topic_token

if TYPE_CHECKING:
    from membrane.domain.language.replies import Done

Edit = Callable[[Topic, ChangeContext], Decided]
"""Decides about the topic as it stands."""


def edit(
    topic_id: str, decide: Edit, call: Call, services: TopicServices, *, deleted: bool = False
) -> ReplyBody:
    """What `decide` answers of the topic, once it is written.

    Raises NotFound for a topic that is absent, or may not be seen, PermissionDenied for one that
    may not be written, what `decide` raises, and as `write` does.
    """

    def decided(context: ChangeContext) -> Decided:
        topic = load_topic(topic_id, call.principal.trust, services.topics, deleted=deleted)
        call.principal.require_write(topic.scope, topic.sensitivity)
        return decide(topic, context)

    return write_and_trim(decided, call, services)


def changed(
    before: Topic | None,
    after: Topic,
    body: Body,
    *,
    edges: Sequence[Edge] = (),
    heads: Sequence[Head] = (),
) -> Decided:
    change = TopicChange(topics=[(before, after)], edges=edges, heads=heads)
    return Decided(change, body)


def unchanged(topic: Topic, body: Body) -> Decided:
    """All is as it was asked for already."""
    return Decided(None, body, about=(topic.id,))


def done(topic: Topic) -> "Done":
    return {"ok": True, "consistency_token": topic_token(topic)}


def referred(topic_id: str, call: Call, services: TopicServices) -> str:
    """The id of the topic that a reference names; raises InvalidArgument where there is none."""
    found = load_topics([topic_id], call.principal.trust, services.topics).get(topic_id)
    if found is None:
        raise InvalidArgument(f"ref_topic_id not found: {topic_id}")
    return found.id
