"""Load a topic with everything that an export holds of it."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.archive import topic_lines
from membrane.domain.archive.lines import MAX_LINE_BYTES
from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic, large_values_of_topic
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.erasing import without_erasure
from membrane.domain.topics.topic import Line, LineKey, Topic, TopicStatus, key_of
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import until_won
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords

TOO_LONG = f"the line would exceed {MAX_LINE_BYTES} bytes"

MAX_EDGES = 1_000_000
"""Edges of one topic and direction."""


def load_values(
    wanted: Collection[LargeValue], records: "DynamoRecords"
) -> dict[LargeValue, bytes]:
    """The JSON texts of the values; raises TooLarge, before any value is loaded."""
    if sum(large.size for large in wanted) > MAX_LINE_BYTES:
        raise TooLarge(TOO_LONG)
    return {large: records.value(large) for large in wanted}


def load_whole_topic(topic_id: str, world: World) -> ArchivedTopic | None:
    """The topic with everything that one version has; None for an absent topic.

    Raises Aborted if other writers change the topic during every try, and TooLarge.
    """

    def attempt() -> ArchivedTopic | None:
        topic = world.topics.load(topic_id)
        if topic is None:
            return None
        archived = _load_rest(topic, world)
        newest = world.topics.load(topic_id)
        if newest is None or newest.version != topic.version:
            raise LostRace
        return archived

    return until_won(attempt, world)


def _load_rest(topic: Topic, world: World) -> ArchivedTopic:
    """An erased topic has only the audit trail; the rest is gone or about to go."""
    topics = world.topics
    whole = without_erasure(topic) if topic.status is TopicStatus.ERASED else topic
    whole = replace(whole, trail=tuple(topics.events(topic)))
    if topic.status is TopicStatus.ERASED:
        return ArchivedTopic(whole, None, (), (), {})
    lines = tuple(_archived_lines(topic, world))
    edges = (each for each in topics.edges([topic.id], MAX_EDGES) if each.from_id == topic.id)
    return ArchivedTopic(
        whole,
        topics.accesses([topic.id]).get(topic.id),
        tuple(sorted(edges, key=lambda edge: (edge.kind, edge.to_id))),
        lines,
        load_values(large_values_of_topic(topic, lines), world.records),
    )


def _archived_lines(topic: Topic, world: World) -> Iterator[ArchivedLine]:
    """Every line once; an alias may name a line in two states."""
    named: dict[LineKey, list[Line]] = {}
    for line in topic_lines.lines_of_topic(topic):
        named.setdefault(key_of(line), []).append(line)
    for key, states in sorted(named.items()):
        line = states[0]
        archives = dict.fromkeys(archive for state in states for archive in state.archives)
        yield ArchivedLine(
            key,
            tuple(world.topics.history(line)),
            tuple((each, tuple(world.topics.load_archive(line, each))) for each in archives),
        )
