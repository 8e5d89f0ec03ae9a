"""Requests that query and read topics, and the message by which a query reinforces topics.

As in MemState, unknown fields of a query are ignored.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import (
    LIST,
    MAX_TEXT_CHARACTERS,
    Limit,
    OpenBody,
    Part,
    Scope,
    Text,
    Timestamp,
    Tokens,
)
from membrane.domain.language.requests import OPTIONAL, FromPath, FromQuery, OptionalTimestamp

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_TOP_K = 100
DEFAULT_TOP_K = 8
MAX_TOPIC_IDS = 1_000
MAX_FIELD_NAMES = 200
MAX_NAME_CHARACTERS = 1_000
"""Characters of a field's name in a query; no field has a longer name."""


class Stage(StrEnum):
    """A stage of a query; each stage adds a part of the answer."""

    SEMANTIC = "semantic"
    """Rank the topics by the question."""
    STRUCTURAL = "structural"
    """Add neighbours, and the current values of fields."""
    TEMPORAL = "temporal"
    """Add the current values of fields and, with `explain`, the histories."""


ALL_STAGES = tuple(Stage)

_StageWord = Annotated[Stage, Field(strict=False)]
_Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
_Ids = Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_TOPIC_IDS, fail_fast=True)]
_Names = Annotated[
    tuple[_Name, ...], Field(strict=False, max_length=MAX_FIELD_NAMES, fail_fast=True)
]


class QueryTopics(OpenBody):
    """Find the topics that answer a question, with fields, neighbours and histories."""

    q: Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS)]
    """The question, in words; at most 100,000 characters. Blank: topics are ranked by salience."""
    stages: Annotated[tuple[_StageWord, ...], LIST] = ALL_STAGES
    """Stages to run: `semantic` ranks by the question, `structural` adds neighbours and values of
    fields, `temporal` adds values of fields and, with `explain`, histories. Order and repeats have
    no meaning. Absent: all stages."""
    explain: bool = False
    """Explain the similarity and the salience of each topic; with the stage `temporal`, add the
    histories of fields."""
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = DEFAULT_TOP_K
    """Most topics in the answer, 1 to 100."""
    topic_ids: _Ids | None = None
    """Ids of the topics to consider, at most 1,000, archived topics too. With `reinforce`, a named
    archived topic becomes active. Absent, null or empty: all topics."""
    field_names: _Names | None = None
    """Names of the fields to show, at most 200, also of fields that were detached. With
    `reinforce`, a named field becomes more salient. Absent, null or empty: all fields but detached
    ones."""
    trust: TrustInput = Field(default_factory=TrustInput)
    """Scopes to query, and the highest sensitivity. Without scopes: all scopes that the key covers,
    at most 50."""
    as_of: OptionalTimestamp = None
    """Instant to show the values of fields of, in RFC 3339, not in the future; the search itself
    uses the topics of now. Absent or empty: now."""
    reinforce: bool = True
    """Raise the salience of the topics in the answer."""
    include_archived: bool = False
    """Consider archived topics, too."""
    consistency_tokens: Tokens = ()
    """The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The query
    sees the topics of the tokens, even where the index does not yet have the topics."""


class Reinforcement(Part):
    """The message that reinforces the topics of an answer."""

    id: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
    """Id of the message, unique among all messages."""
    at: Timestamp
    """When the query ran."""
    principal: Text
    """The principal that asked."""
    topics: _Ids
    """Ids of the topics in the answer."""
    fields: dict[str, _Names] = {}
    """By topic, the fields that the query named."""
    named: bool = False
    """Whether the query named the topics by id; a named archived topic is revived."""


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
