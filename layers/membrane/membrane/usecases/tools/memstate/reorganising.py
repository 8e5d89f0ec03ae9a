"""MemState's planners: structure and guidelines for an agent that reorganises topics by itself."""

from membrane.domain.tools.memstate.documents import Cutter, Level, Long
from membrane.domain.tools.memstate.reorganising import GUIDELINES, Operation, Plan
from membrane.domain.tools.memstate.topics import edges_by_source, outline
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate.answers import Run, answer_of
from membrane.usecases.tools.memstate.windows import (
    MOST_NODES,
    graph_page_of,
    place_of,
    room_beside,
    seen_topics,
    window_of,
)
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.reading.read_graph import subgraph_of

MOST_COUNTED = 200
"""Topics whose edges are counted: each takes two requests."""

_CRITERIA = Level(200, 0)
"""How much of the criteria an answer repeats."""


def planner_of(operation: Operation) -> Run:
    """The planner: reads the structure of all topics, archived topics too, and changes nothing."""

    def plan(asked: Plan, call: Call, world: World) -> ToolAnswer:
        window = window_of(asked.cursor, call, world, include_archived=True)
        total = len(window.topics)
        counted = window.topics[:MOST_COUNTED]
        chosen = window.topics[asked.offset : asked.offset + MOST_NODES]
        examined = {topic.id: topic for topic in (*counted, *chosen)}
        subgraph = subgraph_of(list(examined.values()), call.principal.trust, world)
        edges = edges_by_source(subgraph.links, with_references=False)
        count = sum(len(edges.get(topic.id, ())) for topic in counted)
        partly = {"counted_topics": len(counted)} if len(counted) < total else {}
        head = {
            "ok": True,
            "tool": operation.tool,
            "operation": operation.value,
            "criteria": Cutter(_CRITERIA).show(Long(asked.criteria.strip())),
            "guidelines": GUIDELINES[operation],
            "metrics": {"topic_count": total, "related_edge_count": count, **partly},
            "topics_schema_snapshot": {"topics": [], "edges": []},
            "total": total,
        }
        nodes = [
            (outline(each), edges.get(each.topic.id, []))
            for each in seen_topics(chosen, call, world)
        ]
        room = room_beside(head, window)
        page = graph_page_of(nodes, asked.offset, asked.edge_offset, total, room)
        snapshot = {"topics": page.parts, "edges": page.edges}
        return answer_of({**head, "topics_schema_snapshot": snapshot, **place_of(page, window)})

    return plan
