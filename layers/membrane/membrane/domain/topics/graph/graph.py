"""Topics as a graph: what links them, as it is shown once aliases are followed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from membrane.domain.topics.topic import Edge, Topic


class LinkType(StrEnum):
    RELATED = "related"
    FIELD_REF = "field_ref"
    """The reference of a field; its kind is `field:<name>`."""


class Direction(StrEnum):
    """Whether a link leads from a topic (`out`) or to the topic (`in`)."""

    OUT = "out"
    IN = "in"


@dataclass(frozen=True, slots=True, order=True)
class Link:
    from_id: str
    to_id: str
    kind: str
    type: LinkType


def related(edges: Iterable[Edge], ends: Mapping[str, str]) -> Sequence[Link]:
    """The edges that hold, each once, in order.

    `ends` has, for each id that may be seen, the id at the end of its aliases; an edge that touches
    any other is left out. So is one between topics that were merged since: it would be a loop.
    """
    links = {
        Link(ends[edge.from_id], ends[edge.to_id], edge.kind, LinkType.RELATED)
        for edge in edges
        if edge.removed_at is None
        and edge.from_id in ends
        and edge.to_id in ends
        and (edge.from_id == edge.to_id or ends[edge.from_id] != ends[edge.to_id])
    }
    return sorted(links)


def referring(topics: Iterable[Topic], ends: Mapping[str, str]) -> Sequence[Link]:
    """The references of the topics' fields, in order; `ends` as for `related`."""
    links = {
        Link(topic.id, ends[ref], f"field:{name}", LinkType.FIELD_REF)
        for topic in topics
        for name, ref in references(topic)
        if ref in ends
    }
    return sorted(links)


def references(topic: Topic) -> Iterator[tuple[str, str]]:
    """Which of its fields refers to which id, as it stands there; detached fields do not."""
    for name, field in topic.living_fields.items():
        if field.ref_topic_id is not None and not field.is_detached:
            yield name, field.ref_topic_id


def own_ids(topic: Topic) -> tuple[str, ...]:
    """The ids under which the topic has edges: its own, and those of what it absorbed."""
    return (topic.id, *topic.absorbed)
