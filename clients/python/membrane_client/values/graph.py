"""The graph around the records for a task: nodes, edges, and the ways from the roots."""

from collections.abc import Sequence

from membrane_client.values.records import GraphEdge, MemoryRecord, Page, Selection
from membrane_client.values.value import (
    Value,
    count,
    flag,
    optional_number,
    optional_part,
    part,
    parts,
    text,
    texts,
)


class PathStep(Value):
    from_id = text()
    """The record at the near end of the edge."""
    predicate = text()
    """As seen from the near end."""


class GraphNode(Value):
    record = part(MemoryRecord)
    root = flag()
    hop = count()
    """Edges between the node and its root; 0 for a root."""
    score = optional_number()
    """From 0 to 1; None without a task, and for a record that the search did not find."""
    path = parts(PathStep)
    """From the root to the node; empty for a root."""


class Graph(Page[GraphNode]):
    """A page of a graph; nodes come by rank."""

    LISTS = "nodes"
    nodes = parts(GraphNode)
    edges = parts(GraphEdge)
    """Of nodes on the page with nodes on this page or on pages before."""
    root_ids = texts()
    selection = optional_part(Selection)

    @property
    def records(self) -> Sequence[MemoryRecord]:
        return [each.record for each in self.nodes]
