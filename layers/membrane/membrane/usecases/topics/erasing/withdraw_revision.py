"""Withdraw a revision from every topic with its line, with all words that only it brought.

A blob of the revision stays for the job that collects blobs, and then in the bucket for the
recovery period.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.erasing import Departure, has_line, text_remover, without_revision
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.topic import Field, LineKey, Revision, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.scope_walk import SERVICE
from membrane.usecases.topics.writing import change_context

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


_RECEIVERS = {
    EventKind.PROMOTED: "child_topic_id",
    EventKind.UNDO_MERGED_BACK: "parent_topic_id",
}
"""By kind of an event that hands on lines, the key of the receiving topic in the detail."""


def withdraw_revision(key: LineKey, revision: Revision, world: World) -> None:
    """Withdraw a revision of the line. Raises LostRace after a concurrent write to a topic."""
    topics = world.topics
    holders = _holders_of(key, topics)
    departure = _departure(key, revision, holders[0], topics) if holders else None
    if departure is None:
        return
    context = change_context(SERVICE, world)
    after = [
        _version_without_revision(topic, holders[0], departure, context, topics)
        for topic in holders
    ]
    changed = list(zip(holders, after, strict=True))
    topics.apply(TopicChange(topics=changed, departed=[departure], token=context.token))


def _holders_of(line: LineKey, topics: "DynamoTopics") -> Sequence[Topic]:
    """Every topic with the line, the topic that shows the line first.

    A merge hands lines on to the keeper, and the alias keeps a list of its own. A promotion hands
    lines on to the child, the undoing of a promotion to the parent. The search begins at the topic
    under which the line was written.
    """
    found: dict[str, Topic] = {}
    wanted = [line[0]]
    while wanted:
        some = topics.load_all(wanted)
        found |= some
        ids = {each for topic in some.values() for each in _possible_holders(topic, line, topics)}
        wanted = sorted(ids - found.keys())
    holders = [topic for topic in found.values() if has_line(topic, line)]
    return sorted(holders, key=lambda topic: topic.merged is not None)


def _possible_holders(topic: Topic, line: LineKey, topics: "DynamoTopics") -> Iterator[str]:
    """The ids of topics that may have received the line from the topic."""
    if topic.merged is not None:
        yield topic.merged.into
    if not has_line(topic, line):
        for event in topics.events(topic):
            pointer = _RECEIVERS.get(event.kind)
            if pointer is not None:
                yield str(event.detail[pointer])


def _departure(
    key: LineKey, revision: Revision, holder: Topic, topics: "DynamoTopics"
) -> Departure | None:
    """The place of the revision in the topic that shows the line; None if the revision is gone."""
    line = holder.lines[key]
    if topics.find_revisions([(line, revision)]):
        return Departure(line, revision)
    for archive in line.archives:
        outside = is_before(revision.valid_from, archive.oldest) or is_before(
            archive.newest, revision.valid_from
        )
        several = () if outside else topics.load_archive(line, archive)
        rest = tuple(each for each in several if each.id != revision.id)
        if len(rest) < len(several):
            rewritten = topics.archive(line, rest) if rest else None
            return Departure(line, revision, archive, rest, rewritten)
    return None


def _version_without_revision(
    topic: Topic,
    holder: Topic,
    departure: Departure,
    context: ChangeContext,
    topics: "DynamoTopics",
) -> Topic:
    shown = {  # by name of a field that shows the revision, the newest remaining revision
        name: _newest_other(field, holder, departure.revision.id, topics)
        for name, field in topic.fields.items()
        if field.current is not None and field.current.id == departure.revision.id
    }
    after, vanished = without_revision(topic, departure, shown, context)
    remove_texts, new = text_remover(vanished, after), after.trail[len(topic.trail) :]
    topics.rewrite_events(topic, remove_texts)
    return replace(after, trail=(*map(remove_texts, topic.trail), *new))


def _newest_other(
    field: Field, holder: Topic, gone: str, topics: "DynamoTopics"
) -> Revision | None:
    """The newest revision of the field but the one that is gone; `holder` knows the lines."""
    lines = tuple(holder.lines.get((each.topic_id, each.id), each) for each in field.lines)
    newest = history_of(replace(field, lines=lines), topics, limit=2, archived=True)
    return next((each for each in newest if each.id != gone), None)
