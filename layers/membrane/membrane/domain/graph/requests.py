"""The request that retrieves the graph around the records for a task."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.access.requests import TrustInput
from membrane.domain.language import fields
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.requests import OPTIONAL, RequestPart

USUAL_ROOTS = 10
USUAL_NODES = 25
USUAL_EDGES = 100
USUAL_HOPS = 1

MAX_ROOTS = 100
MAX_NODES = 400
"""Nodes on all pages of one request together: a cursor names every node given before."""
MAX_EDGES = 1_000
"""Edges on one page."""
MAX_HOPS = 10
"""Hops that are walked; a larger `max_hops` goes no further."""

MAX_PREDICATES = 100

_MIN_SALIENCE = fields.not_negative("min_salience", "min_salience must be non-negative and finite")


def _within(name: str, least: int) -> BeforeValidator:
    """A validator that refuses a number out of range with Membrane's error text."""

    def check(value: Any) -> Any:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and not least <= value <= fields.MAX_LIMIT:
            message = "{name} must be between {least} and {most}"
            context = {"name": name, "least": least, "most": fields.MAX_LIMIT}
            raise PydanticCustomError("limit", message, context)
        return value

    return BeforeValidator(check)


class RetrieveGraph(RequestPart):
    """Retrieve the records for a task, and the records that relations connect with them.

    The roots are the records that answer the task, with the entities that the task names first;
    without a task, the most salient records. The expansion goes from the roots along relations, in
    both directions.
    """

    task_descriptor: Annotated[str, Field(max_length=fields.MAX_TEXT_CHARACTERS)] = ""
    """The task, question or situation to find roots by, in words; at most 100,000 characters.
    Absent or blank: the roots are the most salient records."""
    trust: TrustInput = Field(default_factory=TrustInput)
    """Scopes of the nodes, and the highest sensitivity. Without scopes: all scopes that the key
    covers; at most 50."""
    memory_types: Annotated[tuple[fields.MemoryTypeWord, ...], fields.LIST] = ()
    """Types of the roots. Absent or empty: all types."""
    min_salience: Annotated[float, _MIN_SALIENCE] = 0.0
    """Least salience of a node, as of now; 0 or more."""
    min_score: Annotated[float | None, Field(ge=0.0, le=1.0), OPTIONAL] = None
    """Least score of a root for the task, from 0 to 1; entities that the task names need none.
    Absent or empty: the deployment's `ScoreFloor`. Without a task: no effect."""
    tags: fields.Tags = ()
    """Tags that a root must have, all of them; at most 100."""
    root_limit: Annotated[int, _within("root_limit", 0)] = USUAL_ROOTS
    """Roots, 0 to 10,000; at most 100 count. 0 or absent: 10."""
    node_limit: Annotated[int, _within("node_limit", 0)] = USUAL_NODES
    """Nodes on the page, 0 to 10,000; all pages together have at most 400. 0 or absent: 25."""
    edge_limit: Annotated[int, _within("edge_limit", 0)] = USUAL_EDGES
    """Edges on the page, 0 to 10,000; at most 1,000 count. 0 or absent: 100."""
    max_hops: Annotated[int, _within("max_hops", -1)] = USUAL_HOPS
    """Relations between a root and the furthest node, -1 to 10,000; at most 10 count. 0 or -1: the
    roots alone. Absent: 1."""
    predicates: Annotated[
        tuple[fields.Text, ...], Field(strict=False, max_length=MAX_PREDICATES)
    ] = ()
    """Predicates of the edges to follow and to list, named from either end: `mentions_entity` or
    `mentioned_in`; at most 100. Absent or empty: every predicate."""
    node_types: Annotated[tuple[fields.MemoryTypeWord, ...], fields.LIST] = ()
    """Types of the nodes that the expansion may add. Absent or empty: all types."""
    cursor: Annotated[Cursor | None, OPTIONAL] = None
    """The `next_cursor` of the previous page of the same request; `node_limit`, `edge_limit` and
    `consistency_tokens` may differ. Absent or empty: the first page."""
    consistency_tokens: fields.Tokens = ()
    """The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The roots
    are found among the records of the tokens, too, even where the index does not yet have them."""
