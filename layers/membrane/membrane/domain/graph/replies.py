"""The types of the reply with a graph."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Fraction
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.language.replies import PageReply, with_shape
from membrane.domain.records import replies
from membrane.domain.search.selection import Selection


class PathStep(TypedDict):
    """One edge on the way from a root to a node."""

    from_id: str
    """The id of the record at the near end of the edge."""
    predicate: str
    """The predicate of the edge, as seen from the near end: `mentioned_in` from an entity to a
    record that mentions the entity."""


class GraphNode(TypedDict):
    """A record of the graph."""

    record: Annotated[
        Body, with_shape(replies.RecordJson | replies.RedactedRecord | replies.OversizedRecord)
    ]
    """The record."""
    root: bool
    """Whether the record is a root."""
    hop: Count
    """The number of edges between the node and its root; 0 for a root."""
    score: NotRequired[Fraction]
    """How well the record answers the task; absent without a task, and for a record that the search
    did not find."""
    path: list[PathStep]
    """The edges from the root to the node, in order; empty for a root."""


class Graph(PageReply):
    """The graph around the records for a task."""

    nodes: list[GraphNode]
    """The nodes on the page, by worth: roots and further nodes together, the best first."""
    edges: list[replies.GraphEdge]
    """The relations of a node on the page with nodes on this page or on pages before."""
    root_ids: list[str]
    """The ids of the roots on the page, in the order of the nodes."""
    selection: NotRequired[Annotated[JsonObject, with_shape(Selection)]]
    """The choice among the skills and plans for the task, or among those that are roots; absent
    without candidates."""
