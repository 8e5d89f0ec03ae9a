"""The query of topics, and the message by which a query reinforces the topics of the answer.

As in MemState, unknown fields of a query are ignored.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import LIST, MAX_TEXT_CHARACTERS, Part, Text, Timestamp, Tokens
from membrane.domain.language.requests import OptionalTimestamp
from membrane.domain.topics.requests.parts import OpenBody

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
