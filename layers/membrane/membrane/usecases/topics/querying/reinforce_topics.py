"""Reinforce the topics that a query showed: by a message, so that reading waits for no write."""

from datetime import datetime

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, is_before
from membrane.domain.language.violations import validate
from membrane.domain.topics.access import Access, Read
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.requests.query import Reinforcement
from membrane.domain.topics.salience import after_read, living_names
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import NEVER_READ, ChangeContext, next_version, revive
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.loading import EVERYTHING, load_topics
from membrane.usecases.topics.saliences import access_of
from membrane.usecases.topics.scope_walk import SERVICE
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import NOTHING, Decided, write

WHY_REVIVED = "it was asked for by its id"


def reinforce_topics(message: JsonObject, services: TopicServices) -> None:
    """Add to the salience of each topic of the message; the same message adds nothing again.

    An archived topic that was asked for by id is revived, unless it was archived since. Topics
    that were deleted since are passed over, and aliases followed. Raises InvalidArgument for
    anything but such a message; Aborted, after which the message may be repeated.
    """
    told = validate(Reinforcement, message)
    there = load_topics(told.topics, EVERYTHING, services.topics)  # gated when it was shown
    topics = {topic.id: topic for topic in there.values()}
    fields = {
        there[topic_id].id: names for topic_id, names in told.fields.items() if topic_id in there
    }
    accesses = services.topics.accesses(list(topics))
    for topic in topics.values():
        names = living_names(topic, fields.get(topic.id, ()))
        read_at_s = epoch_seconds(datetime.fromisoformat(told.at))
        read = Read(min(read_at_s, epoch_seconds(services.now())), told.principal, names)
        _reinforce(topic, accesses.get(topic.id), read, told.id, services)
        if told.named and topic.status is TopicStatus.ARCHIVED:
            _revive(topic.id, told.at, told.principal, services)


def _reinforce(
    topic: Topic, known: Access | None, read: Read, message_id: str, services: TopicServices
) -> None:
    """Note one read; `known` is how the topic was read so far."""
    newest = [known or NEVER_READ]

    def attempt() -> None:
        before = newest.pop() if newest else access_of(topic.id, services)
        after = after_read(before, topic, message_id, read, services.topic_policy)
        if after is not before:
            services.topics.keep_access(topic.id, before, after)

    until_won(attempt, services)


def _revive(topic_id: str, read_at: str, principal: str, services: TopicServices) -> None:
    """Make the topic active again, if it was archived before it was read."""
    reader = SERVICE.principal._replace(actor_id=principal)
    call = Call(reader, "ReinforceTopics", key=None, fingerprint=b"")

    def decide(context: ChangeContext) -> Decided:
        topic = services.topics.load(topic_id)
        if topic is None or is_before(read_at, _archived_at(topic, services)):
            return NOTHING
        active, back = revive(topic, context, WHY_REVIVED)
        if not back:
            return NOTHING
        after = next_version(active, *back, context=context)
        heads = title_heads(after, EVERYTHING, services)
        change = TopicChange(topics=[(topic, after)], heads=heads)
        return Decided(change, {"topic_id": topic_id})

    write(decide, call, services)


def _archived_at(topic: Topic, services: TopicServices) -> str:
    """When the topic was last archived; when it was made, if it never was."""
    events = reversed(services.topics.events(topic))
    told = (event.ts for event in events if event.kind is EventKind.ARCHIVED)
    return next(told, topic.created_at)
