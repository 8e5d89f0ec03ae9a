"""Requests that read topics, fields, lists, the graph, the action log and the system context."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import Limit, Part, Scope
from membrane.domain.language.requests import OPTIONAL, FromPath, FromQuery, OptionalTimestamp

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_DEPTH = 3
MAX_NODES = 200
USUAL_NODES = 50


class ReadTopic(Part):
    """Read a topic with the histories of the fields, as of now or of an instant."""

    id: FromPath[str]
    """Id of the topic. The id of a merged topic leads to the topic of the merge."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see; a topic that only the narrowed trust excludes is refused with
    403."""
    as_of: FromQuery[OptionalTimestamp] = None
    """Instant to show the fields of, in RFC 3339, not in the future; title and salience are those
    of now. Absent or empty: now."""


class ReadField(Part):
    """Read a field, or a group of nested fields, with the history."""

    id: FromPath[str]
    """Id of the topic. The id of a merged topic leads to the topic of the merge."""
    name: FromPath[str]
    """Whole name of the field, `<group>.<name>` for a nested field, or the name of a group."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see; a topic that only the narrowed trust excludes is refused with
    403."""
    with_history: FromQuery[bool] = True
    """Include earlier revisions."""
    archived: FromQuery[bool] = False
    """Include revisions that were archived into the bucket."""
    as_of: FromQuery[OptionalTimestamp] = None
    """Instant to show the field of, in RFC 3339, not in the future. Absent or empty: now."""


class ListTopics(Part):
    """List the topics of a scope or of all scopes, the most salient first."""

    scope: FromQuery[Annotated[Scope | None, OPTIONAL]] = None
    """Scope of the topics, without unscoped topics. Absent or empty: all scopes of the key, at most
    50, and unscoped topics."""
    include_archived: FromQuery[bool] = False
    """Include archived topics."""
    limit: FromQuery[Limit] = 0
    """Topics on the page, 0 to 10,000; 0, and more than 1,000, give 1,000. A page may have fewer
    topics."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


class ReadGraph(Part):
    """Read topics as nodes, with edges and references: page by page, or around one topic.

    With a `topic_id` the graph has no pages.
    """

    scope: FromQuery[Annotated[Scope | None, OPTIONAL]] = None
    """Scope of the topics. Absent or empty: all scopes of the key, at most 50, and unscoped topics.
    With a `topic_id`, unscoped topics are included."""
    topic_id: FromQuery[Annotated[str | None, OPTIONAL]] = None
    """Id of the topic in the middle. Absent or empty: a page of topics, the most salient first,
    archived topics too."""
    depth: FromQuery[Annotated[int, Field(ge=1, le=MAX_DEPTH)]] = 1
    """Most links between `topic_id` and a node, 1 to 3. Without a `topic_id`: no effect."""
    limit: FromQuery[Annotated[int, Field(ge=1, le=MAX_NODES)]] = USUAL_NODES
    """Most topics in the answer, 1 to 200."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page; not together with `topic_id`. Absent or empty: the
    first page."""


class ReadActions(Part):
    """Read the log of merges and forgetting steps in a scope, the newest first."""

    scope: FromQuery[Annotated[Scope | None, OPTIONAL]] = None
    """Scope of the log. Absent or empty: the first scope of the key that is no prefix, unscoped
    under a key for all scopes."""
    limit: FromQuery[Limit] = 0
    """Actions on the page, 0 to 10,000; 0 = 100, and more than 1,000 give 1,000."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


class ReadSystemContext(Part):
    """Read the description of the agents' role and surroundings."""
