"""Querying topics (seed 004), and the message by which a query reinforces what it showed.

Unknown keys of a query are ignored, as there; its types are strict, and null is taken only where
the contract says so.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import LIST, MAX_TEXT_CHARACTERS, Part, Text, Timestamp
from membrane.domain.language.requests import OptionalTimestamp
from membrane.domain.search.requests import MAX_TOKENS
from membrane.domain.tokens.fields import Token
from membrane.domain.topics.requests.parts import OpenBody

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_TOP_K = 100
DEFAULT_TOP_K = 8
MAX_TOPIC_IDS = 1_000
MAX_FIELD_NAMES = 200
MAX_NAME_CHARACTERS = 1_000
"""Of a field's name that is asked for; longer than any that there is."""


class Stage(StrEnum):
    """What a query does: each adds something to the answer (spec 3.4)."""

    SEMANTIC = "semantic"
    """Candidates come by what they have to do with the question."""
    STRUCTURAL = "structural"
    """Neighbours, and the current values of fields."""
    TEMPORAL = "temporal"
    """The current values of fields and, with `explain`, their histories."""


ALL_STAGES = tuple(Stage)

_StageWord = Annotated[Stage, Field(strict=False)]
_Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
_Ids = Annotated[tuple[Text, ...], Field(strict=False, max_length=MAX_TOPIC_IDS, fail_fast=True)]
_Names = Annotated[
    tuple[_Name, ...], Field(strict=False, max_length=MAX_FIELD_NAMES, fail_fast=True)
]


class QueryTopics(OpenBody):
    """What topics have to say to a question."""

    q: Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS)]
    """May be empty: then salience alone decides."""
    stages: Annotated[tuple[_StageWord, ...], LIST] = ALL_STAGES
    """Order and repeats mean nothing."""
    explain: bool = False
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = DEFAULT_TOP_K
    topic_ids: _Ids | None = None
    """None, or none at all, is every topic."""
    field_names: _Names | None = None
    """The same of fields."""
    trust: TrustInput = Field(default_factory=TrustInput)
    as_of: OptionalTimestamp = None
    """What was so then is shown; what is searched is what is so now."""
    reinforce: bool = True
    """Whether what is shown becomes more salient by it."""
    include_archived: bool = False
    consistency_tokens: Annotated[
        tuple[Token, ...], Field(strict=False, max_length=MAX_TOKENS, fail_fast=True)
    ] = ()


class Reinforcement(Part):
    """Which topics a query showed, to whom and when."""

    id: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
    """Tells the message from all others."""
    at: Timestamp
    principal: Text
    topics: _Ids
    fields: dict[str, _Names] = {}
    """By topic the fields that were asked for by name."""
    named: bool = False
    """Whether the topics were asked for by id: that revives an archived one."""
