"""Reinforce the topics that a query showed, from a message: a read waits for no write."""

from datetime import datetime

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds, is_before
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.requests.reading import Reinforcement
from membrane.domain.topics.salience import Access, Read, after_read, living_names
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import NEVER_READ, ChangeContext, next_version, revive
from membrane.usecases.machinery.calls import Call, until_won
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics import loading
from membrane.usecases.topics.writing import NOTHING, Decision, write

WHY_REVIVED = "it was asked for by its id"


def reinforce_topics(message: JsonObject, world: World) -> None:
    """Add to the salience of every topic of the message; a repeated message adds nothing.

    An archived topic named by id is revived, unless archived after the read. Deleted topics are
    skipped, aliases followed. Raises InvalidArgument for an invalid message; Aborted, after which
    the message may be repeated.
    """
    note = validate(Reinforcement, message)
    # the query has checked the trust
    there = loading.load_topics(note.topics, loading.EVERYTHING, world.topics)
    topics = {topic.id: topic for topic in there.values()}
    fields = {
        there[topic_id].id: names for topic_id, names in note.fields.items() if topic_id in there
    }
    accesses = world.topics.accesses(list(topics))
    for topic in topics.values():
        names = living_names(topic, fields.get(topic.id, ()))
        read_at_s = epoch_seconds(datetime.fromisoformat(note.at))
        read = Read(min(read_at_s, epoch_seconds(world.now())), note.principal, names)
        _reinforce(topic, accesses.get(topic.id), read, note.id, world)
        if note.named and topic.status is TopicStatus.ARCHIVED:
            _revive(topic.id, note.at, note.principal, world)


def _reinforce(
    topic: Topic, known: Access | None, read: Read, message_id: str, world: World
) -> None:
    """Note a read; `known` has the reads so far."""
    newest: list[Access] = [known or NEVER_READ]

    def attempt() -> None:
        before = newest.pop() if newest else _newest_access(topic, world)
        if before is None:
            return
        after = after_read(before, topic, message_id, read, world.topic_policy)
        if after is not before:
            world.topics.keep_access(topic.id, before, after)

    until_won(attempt, world)


def _newest_access(topic: Topic, world: World) -> Access | None:
    newest = world.topics.load(topic.id)
    is_erased = newest is None or newest.status is TopicStatus.ERASED
    return None if is_erased else loading.access_of(topic.id, world)


def _revive(topic_id: str, read_at: str, principal: str, world: World) -> None:
    """Make the topic active again, if archived before the read."""
    reader = loading.SERVICE.principal._replace(actor_id=principal)
    call = Call(reader, "ReinforceTopics", key=None, fingerprint=b"")

    def decide(context: ChangeContext) -> Decision:
        topic = world.topics.load(topic_id)
        if topic is None or is_before(read_at, _archived_at(topic, world)):
            return NOTHING
        active, back = revive(topic, context, WHY_REVIVED)
        if not back:
            return NOTHING
        after = next_version(active, *back, context=context)
        heads = loading.title_heads(after, loading.EVERYTHING, world)
        change = TopicChange(topics=[(topic, after)], heads=heads)
        return Decision(change, {"topic_id": topic_id})

    write(decide, call, world)


def _archived_at(topic: Topic, world: World) -> str:
    events = reversed(world.topics.events(topic))
    archivings = (event.ts for event in events if event.kind is EventKind.ARCHIVED)
    return next(archivings, topic.created_at)
