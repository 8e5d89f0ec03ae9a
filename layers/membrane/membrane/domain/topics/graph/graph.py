"""The links between topics, with aliases followed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from membrane.domain.topics.topic import Edge, Topic


class LinkType(StrEnum):
    """Whether a link is an edge (`related`) or the reference of a field (`field_ref`)."""

    RELATED = "related"
    FIELD_REF = "field_ref"
    """The reference of a field, of the kind `field:<name>`."""


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


def edge_links(edges: Iterable[Edge], ends: Mapping[str, str]) -> Sequence[Link]:
    """The edges not removed, without duplicates, in order.

    `ends` maps each visible id to the id at the end of its aliases; an edge with an end not in
    `ends` is left out. An edge between two topics merged into one is left out, too: a loop.
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


def reference_links(topics: Iterable[Topic], ends: Mapping[str, str]) -> Sequence[Link]:
    """The references of the topics' fields, in order; `ends` as for `edge_links`."""
    links = {
        Link(topic.id, ends[ref], f"field:{name}", LinkType.FIELD_REF)
        for topic in topics
        for name, ref in references(topic)
        if ref in ends
    }
    return sorted(links)


def components(ids: Iterable[str], links: Iterable[Link]) -> Mapping[str, int]:
    """By id, the number of the connected component: from 0, in the order of the first ids.

    Links that lead to other ids connect nothing.
    """
    members = {each: [each] for each in ids}
    for link in links:
        one, other = members.get(link.from_id), members.get(link.to_id)
        if one is None or other is None or one is other:
            continue
        small, large = sorted((one, other), key=len)
        large += small
        members |= dict.fromkeys(small, large)
    numbers: dict[int, int] = {}
    return {each: numbers.setdefault(id(of), len(numbers)) for each, of in members.items()}


def references(topic: Topic) -> Iterator[tuple[str, str]]:
    """Names of fields and the ids they refer to, aliases not followed, without detached fields."""
    for name, field in topic.living_fields.items():
        if field.ref_topic_id is not None and not field.is_detached:
            yield name, field.ref_topic_id


def own_ids(topic: Topic) -> tuple[str, ...]:
    """The ids under which the topic has edges: its own, and the ids of absorbed topics."""
    return (topic.id, *topic.absorbed)


def own_ends(topics: Iterable[Topic]) -> dict[str, str]:
    """By id under which a topic has edges, the id of the topic."""
    return {each: topic.id for topic in topics for each in own_ids(topic)}
