"""The edges from one topic to another, with those of what was merged into either."""

from collections.abc import Sequence

from membrane.domain.topics.topic import Edge, Topic
from membrane.usecases.ports.topics import TopicStore

MAX_EDGES = 10_000
"""Of the second topic that are looked through where one edge cannot be asked for by itself."""


def links_between(
    source: Topic, target: Topic, topics: TopicStore, kind: str | None = None
) -> Sequence[Edge]:
    """Those of that kind, or of any; removed ones, too."""
    if kind is not None and not source.absorbed and not target.absorbed:
        edge = topics.find_edge(source.id, target.id, kind)
        return () if edge is None else (edge,)
    from_ids, to_ids = _ids(source), _ids(target)
    return [
        each
        for each in topics.edges(to_ids, MAX_EDGES)
        if each.from_id in from_ids and each.to_id in to_ids and kind in (None, each.kind)
    ]


def _ids(topic: Topic) -> tuple[str, ...]:
    return topic.id, *topic.absorbed
