"""Edges between topics: made, removed softly, and made anew (spec 1.7)."""

from collections.abc import Iterable
from dataclasses import replace

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.topic import Edge, Topic
from membrane.domain.topics.versions import ChangeContext

MAX_PERIODS = 50
"""That an edge remembers of having been there before."""


def new_edge(
    before: Edge | None, from_id: str, to_id: str, kind: str, context: ChangeContext
) -> Edge | None:
    """The edge made now; None where `before`, the edge so far, is not removed."""
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
    """The edges that are not removed yet, removed from now on."""
    return tuple(
        replace(each, removed_at=context.timestamp) for each in edges if each.removed_at is None
    )


def reference_detail(topic: Topic, name: str, ref_topic_id: str | None) -> JsonObject:
    """The audit's detail of a field's reference; it names the former end, which may be hidden."""
    before = topic.living_fields.get(name)
    former = None if before is None else before.ref_topic_id
    told = {"field": name, "ref_topic_id": ref_topic_id}
    return told if former is None else told | {"former_topic_id": former}
