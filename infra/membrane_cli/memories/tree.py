"""A graph as a tree: roots, and below each node the nodes that the path leads to from there."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.json_text import compact_json
from membrane_cli.memories.brief import instant
from membrane_cli.output import print_json, print_rows
from membrane_cli.outside_text import shorten

if TYPE_CHECKING:
    from membrane_client import Graph, GraphNode, MemoryRecord

SHOWN_CHARACTERS = 160
"""The longest text of a node."""
INDENT = "  "


def print_graph(graph: "Graph", *, as_json: bool) -> None:
    """Score, instant, indented text and id of each node; as JSON an object a line, by worth."""
    if as_json:
        for node in graph.nodes:
            print_json(node.raw)
        return
    print_rows(("score", "when (UTC)", "text", "id"), _rows(graph))


def _rows(graph: "Graph") -> Iterator[Sequence[str]]:
    for depth, way, node in branches(graph.nodes):
        text = f"{way}: {brief_text(node.record)}" if way else brief_text(node.record)
        yield (
            "" if node.score is None else f"{node.score:.2f}",
            instant(node.record.created_at),
            INDENT * depth + text,
            node.record.id,
        )


def branches(nodes: "Sequence[GraphNode]") -> "Iterator[tuple[int, str, GraphNode]]":
    """Each node behind the nearest node of the path that is shown: depth, predicates and node.

    The nodes below one node keep their order. The depth of a root is 0.
    """
    shown = {each.record.id for each in nodes}
    below: dict[str | None, list[tuple[str, GraphNode]]] = {}
    for node in nodes:
        parent, way = _parent(node, shown)
        below.setdefault(parent, []).append((way, node))
    waiting = [(0, *each) for each in reversed(below.get(None, []))]
    while waiting:
        depth, way, node = waiting.pop()
        yield depth, way, node
        waiting += [(depth + 1, *each) for each in reversed(below.get(node.record.id, []))]


def _parent(node: "GraphNode", shown: set[str]) -> tuple[str | None, str]:
    """The nearest shown node of the path, None if there is none, and the predicates from there."""
    predicates: list[str] = []
    for step in reversed(node.path):
        predicates.insert(0, step.predicate)
        if step.from_id in shown:
            return step.from_id, " / ".join(predicates)
    return None, " / ".join(predicates)


def brief_text(record: "MemoryRecord") -> str:
    """The beginning of the record's text; `(redacted)` for a redacted record."""
    return shorten(_text(record), SHOWN_CHARACTERS)


def _text(record: "MemoryRecord") -> str:
    from membrane_client.values.payloads import (  # noqa: PLC0415 - help needs none
        CompetencePayload,
        EntityPayload,
        EpisodicPayload,
        PlanGraphPayload,
        SemanticPayload,
        WorkingPayload,
    )

    match record.payload:
        case None:
            return "(redacted)"
        case EntityPayload() as entity:
            return entity.canonical_name
        case SemanticPayload() as fact:
            return f"{fact.subject} {fact.predicate} {_words(fact.object)}"
        case EpisodicPayload() as episode:
            events = (each.summary or f"{each.event_kind} {each.ref}" for each in episode.timeline)
            return ", ".join(events)
        case WorkingPayload() as state:
            return state.context_summary or f"{state.thread_id} {state.state}"
        case CompetencePayload() as skill:
            return skill.skill_name
        case PlanGraphPayload() as plan:
            return plan.intent or plan.plan_id
        case other:
            return str(other.kind)


def _words(value: object) -> str:
    return value if isinstance(value, str) else compact_json(value)
