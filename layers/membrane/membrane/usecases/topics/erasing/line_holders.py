"""Find the lines that a promotion, a merge or the undoing of either gave to another topic."""

from collections.abc import Collection

from membrane.domain.topics.events import topics_named
from membrane.domain.topics.topic import LineKey
from membrane.usecases.ports.topics import TopicStore


def lines_held_elsewhere(
    lines: Collection[LineKey], topic_ids: Collection[str], topics: TopicStore
) -> frozenset[LineKey]:
    """The lines that a field of any topic but `topic_ids` has.

    The search follows the audit trails: the event that moves a line names the other topic.
    """
    held: set[LineKey] = set()
    seen: set[str] = set()
    wanted = {*topic_ids}
    while wanted and held < {*lines}:
        seen |= wanted
        found = topics.load_all(sorted(wanted)).values()
        for topic in found:
            if topic.id not in topic_ids:
                held |= topic.lines.keys() & {*lines}
        named = (topics_named(topics.events(topic)) for topic in found)
        wanted = {each for ids in named for each in ids} - seen
    return frozenset(held)
