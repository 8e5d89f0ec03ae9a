"""Edges between topics: created, softly removed, and created again."""

from collections.abc import Iterable
from dataclasses import replace

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext

MAX_PERIODS = 50
"""Earlier periods that an edge remembers."""


def new_edge(
    before: Edge | None, from_id: str, to_id: str, kind: str, context: ChangeContext
) -> Edge | None:
    """The edge created now; None if `before`, the stored edge, is not removed."""
    earlier: tuple[tuple[str, str], ...] = ()
    if before is not None:
        if before.removed_at is None:
            return None
        earlier = (*before.earlier, (before.created_at, before.removed_at))[-MAX_PERIODS:]
    return Edge(
        from_id=from_id,
        to_id=to_id,
        kind=kind,
        created_at=context.timestamp,
        principal=context.principal,
        earlier=earlier,
    )


def removed_edges(edges: Iterable[Edge], context: ChangeContext) -> tuple[Edge, ...]:
    """The edges not removed before, with the removal at the instant of the change."""
    return tuple(
        replace(each, removed_at=context.timestamp) for each in edges if each.removed_at is None
    )


def reference_detail(topic: Topic, name: str, ref_topic_id: str | None) -> JsonObject:
    """The audit detail of a field's reference; names the former end, too, which may be hidden."""
    before = topic.living_fields.get(name)
    former = None if before is None else before.ref_topic_id
    detail = {"field": name, "ref_topic_id": ref_topic_id}
    return detail if former is None else detail | {"former_topic_id": former}
