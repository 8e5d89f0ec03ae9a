"""Retrieving: by task, by salience, by thread; and the receipt of an answer."""

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import (
    LIST,
    MAX_TEXT_CHARACTERS,
    MemoryTypeWord,
    OutcomeStatusWord,
    Part,
    Scope,
    Tags,
    Text,
    Timestamp,
    not_negative,
)
from membrane.domain.language.requests import OPTIONAL, Asked, OptionalTimestamp
from membrane.domain.tokens.fields import Cursor, Limit, Token

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_TOKENS = 100
"""As many as one request writes messages, or items of a batch."""

FULL: Final = "full"
BRIEF: Final = "brief"
PROMPT: Final = "prompt"

MAX_BRIEF_CHARACTERS = 2_000
"""Of the text of a brief record."""

MAX_WHO_CHARACTERS = 256
"""Of the `who` of a brief record."""

USUAL_LIMIT = 10
"""Records of a retrieval that names no limit."""

MAX_TASK_PAGE = 100
"""Records on a page for a task at most."""

USUAL_PAGE = 100
"""Records on a page of a list or thread without a limit."""

_MIN_SALIENCE = not_negative("min_salience", "min_salience must be non-negative and finite")

USUAL_TOKENS = 1_000
MAX_PROMPT_TOKENS = 20_000

OptionalText = Annotated[Text | None, OPTIONAL]


def _listed(value: Any) -> Any:
    """A word as the list of it; an empty word as none."""
    return [each for each in [value] if each] if isinstance(value, str) else value


ONE_OR_MORE = BeforeValidator(_listed)


class Retrieve(Asked):
    """What is worth knowing for a task or, without a task descriptor, what is most salient.

    `limit` 0 is the default. For a task a page has 100 records at most. No memory type names them
    all.
    """

    task_descriptor: Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS)] = ""
    trust: TrustInput = Field(default_factory=TrustInput)
    memory_types: Annotated[tuple[MemoryTypeWord, ...], LIST] = ()
    min_salience: Annotated[float, _MIN_SALIENCE] = 0.0
    min_score: Annotated[float | None, Field(ge=0.0, le=1.0), OPTIONAL] = None
    """Records that score less for the task are left out; None = the operator's `ScoreFloor`."""
    limit: Limit = USUAL_LIMIT
    cursor: Annotated[Cursor | None, OPTIONAL] = None
    tags: Tags = ()
    """A record must have every one of them."""
    thread_id: OptionalText = None
    subject: OptionalText = None
    predicate: OptionalText = None
    created_after: Annotated[Timestamp | None, OPTIONAL] = None
    """That very instant included."""
    created_before: Annotated[Timestamp | None, OPTIONAL] = None
    """That very instant not included."""
    include_retracted: bool = False
    outcome: Annotated[tuple[OutcomeStatusWord, ...], LIST, ONE_OR_MORE] = ()
    """An episode must have ended in one of them; one word may stand without a list."""
    as_of: OptionalTimestamp = None
    """What was believed then of one subject and predicate."""
    view: Literal["full", "brief", "prompt"] = FULL
    """Whole records, records in brief, or one text for a system message."""
    max_tokens: Annotated[int, Field(ge=1, le=MAX_PROMPT_TOKENS)] = USUAL_TOKENS
    """Of the text, where `view` is `prompt`."""
    consistency_tokens: Annotated[
        tuple[Token, ...], Field(strict=False, max_length=MAX_TOKENS, fail_fast=True)
    ] = ()


class ListRecords(Part):
    """The records of a scope or of all, of a type or of all, the most salient first."""

    scope: Annotated[Scope | None, OPTIONAL] = None
    types: Annotated[tuple[MemoryTypeWord, ...], LIST] = ()
    view: Literal["full", "brief"] = FULL
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None


class ReadThread(Part):
    """The state of a thread: its latest working state, and the earlier ones behind it."""

    thread_id: Text
    trust: TrustInput = Field(default_factory=TrustInput)
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None


class ReadReceipt(Part):
    """Why a retrieval answered as it did."""

    id: str
