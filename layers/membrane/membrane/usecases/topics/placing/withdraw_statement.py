"""Withdraw the statement of a record: the revision, with all bytes of the revision alone.

A single transaction takes the revision out of every topic. Then the blobs go; the statement names
the blobs until all are gone, for a later run to go on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from membrane.domain.access.principals import FEEDER
from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.large_values import owner_of_values, topic_of
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Field, Line, LineKey, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.domain.topics.withdrawing import Departure, has_line, scrub_events, without_revision
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.scope_walk import SERVICE
from membrane.usecases.topics.writing import change_context

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


FEW = 8
"""Revisions in the first read, up to `valid_from`; the second read has no limit."""

_RECEIVERS = {
    EventKind.PROMOTED: "child_topic_id",
    EventKind.UNDO_MERGED_BACK: "parent_topic_id",
}
"""By kind of an event that hands on lines, the key of the receiving topic in the detail."""

WITHDRAWING = SERVICE._replace(
    principal=SERVICE.principal._replace(actor_id=FEEDER), rpc="WithdrawStatement"
)


def withdraw_statement(statement: Statement, world: World) -> None:
    """Withdraw the statement. Raises LostRace after a concurrent write to a topic."""
    holders, departure = _holders_and_departure(statement, world.topics)
    if departure is None:
        world.topics.commit(TopicChange(topics=(), statements=[(statement, None)]))
        return
    blobs = world.topics.blobs_left(holders, departure)
    for topic in holders:  # documents of earlier versions hold the revision
        world.blobs.erase_removed(owner_of_values(topic.id))
    left = replace(statement, is_withdrawn=True, blobs=tuple(sorted(blobs))) if blobs else None
    change = _change_of(holders, departure, world)
    world.topics.commit(replace(change, statements=[(statement, left)]))


def withdraw_revision(line: LineKey, revision: Revision, world: World) -> None:
    """Withdraw a revision that no record states. Raises LostRace after a concurrent write.

    A blob of a topic's former version stays for the job that collects blobs, and then in the bucket
    for the recovery period.
    """
    place = Statement(
        record_id="",
        content="",
        topic_id=line[0],
        line_id=line[1],
        revision_id=revision.id,
        valid_from=revision.valid_from,
    )
    holders, departure = _holders_and_departure(place, world.topics)
    if departure is not None:
        world.topics.commit(_change_of(holders, departure, world))


def remove_blobs(statement: Statement, world: World) -> None:
    """Remove the blobs of a withdrawn statement that no revision names, then the statement."""
    for owner, names in groupby(statement.blobs, key=lambda name: name.split("/")[1]):
        named = world.topics.blob_names(topic_of(owner) or owner)
        for name in names:
            if name not in named:
                world.blobs.erase(name)
    world.topics.commit(TopicChange(topics=(), statements=[(statement, None)]))


def _holders_and_departure(
    statement: Statement, topics: "DynamoTopics"
) -> tuple[Sequence[Topic], Departure | None]:
    """Every topic with the line, and the departing revision; None for a revision that is gone."""
    line = (statement.topic_id, statement.line_id)
    holders = _holders_of(line, topics) if statement.line_id else ()
    return holders, _departure(statement, holders[0], topics) if holders else None


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


def _departure(statement: Statement, holder: Topic, topics: "DynamoTopics") -> Departure | None:
    """The place of the revision in the topic that shows the line; None if the revision is gone."""
    key = (statement.topic_id, statement.line_id)
    line = holder.lines[key]
    revision = _find_in_table(statement, line, topics)
    if revision is not None:
        return Departure(line, revision)
    for archive in line.archives:
        outside = is_before(statement.valid_from, archive.oldest) or is_before(
            archive.newest, statement.valid_from
        )
        several = () if outside else topics.load_archive(line, archive)
        rest = tuple(each for each in several if each.id != statement.revision_id)
        if len(rest) < len(several):
            [revision] = [each for each in several if each.id == statement.revision_id]
            rewritten = topics.archive(line, rest) if rest else None
            return Departure(line, revision, archive, rest, rewritten)
    return None


def _find_in_table(statement: Statement, line: Line, topics: "DynamoTopics") -> Revision | None:
    for limit in (FEW, None):
        several = topics.history(line, until=statement.valid_from, limit=limit)
        for each in several:
            if each.id == statement.revision_id:
                return each
        if len(several) < FEW or is_before(several[-1].valid_from, statement.valid_from):
            return None
    return None


def _change_of(holders: Sequence[Topic], departure: Departure, world: World) -> TopicChange:
    """The change of all topics with the revision; spilled audit events are rewritten before."""
    context = change_context(WITHDRAWING, world)
    after = [
        _version_without_revision(topic, holders[0], departure, context, world.topics)
        for topic in holders
    ]
    return TopicChange(
        topics=list(zip(holders, after, strict=True)), departed=[departure], token=context.token
    )


def _version_without_revision(
    topic: Topic,
    holder: Topic,
    departure: Departure,
    context: ChangeContext,
    topics: "DynamoTopics",
) -> Topic:
    trail = topics.events(topic)
    shown = {  # by name of a field that shows the revision, the newest remaining revision
        name: _newest_other(field, holder, departure.revision.id, topics)
        for name, field in topic.fields.items()
        if field.current is not None and field.current.id == departure.revision.id
    }
    after, vanished = without_revision(topic, departure, shown, context, trail)
    clean = scrub_events(trail, vanished, after)
    spilled = len(trail) - len(topic.trail)
    rewritten = {at: clean[at] for at in range(spilled) if clean[at] != trail[at]}
    if rewritten:
        topics.rewrite_events(topic.id, rewritten)
    new = after.trail[len(topic.trail) :]
    return replace(after, trail=(*clean[spilled:], *new))


def _newest_other(
    field: Field, holder: Topic, gone: str, topics: "DynamoTopics"
) -> Revision | None:
    """The newest revision of the field but the one that is gone; `holder` knows the lines."""
    lines = tuple(holder.lines.get((each.topic_id, each.id), each) for each in field.lines)
    newest = history_of(replace(field, lines=lines), topics, limit=2, archived=True)
    return next((each for each in newest if each.id != gone), None)
