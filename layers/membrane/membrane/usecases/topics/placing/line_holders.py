"""The topics that have a line among their fields: lines change hands, and are never moved."""

from collections.abc import Iterator, Sequence

from membrane.domain.topics.events import EventKind
from membrane.domain.topics.topic import LineKey, Topic
from membrane.domain.topics.withdrawing import has_line
from membrane.usecases.ports.topics import TopicStore


def holders_of(line: LineKey, topics: TopicStore) -> Sequence[Topic]:
    """Every topic that has the line, the one that shows it first.

    A merge hands lines on to the keeper, and the alias keeps its own list of them. A promotion
    hands lines on to the child. Whoever got the line is found from the topic that it was made in.
    """
    found: dict[str, Topic] = {}
    wanted = [line[0]]
    while wanted:
        some = topics.load_all(wanted)
        found |= some
        heirs = {heir for topic in some.values() for heir in _heirs(topic, line, topics)}
        wanted = sorted(heirs - found.keys())
    holders = [topic for topic in found.values() if has_line(topic, line)]
    return sorted(holders, key=lambda topic: topic.merged is not None)


def _heirs(topic: Topic, line: LineKey, topics: TopicStore) -> Iterator[str]:
    """The topics that may have got the line from this one."""
    if topic.merged is not None:
        yield topic.merged.into
    if not has_line(topic, line):
        for event in topics.events(topic):
            if event.kind is EventKind.PROMOTED:
                yield str(event.detail["child_topic_id"])
