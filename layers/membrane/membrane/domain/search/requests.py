"""Requests that retrieve and list records, and read threads and receipts."""

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language import fields, requests
from membrane.domain.language.cursors import Cursor

# Defaults that are models are made by factories: an instance would build its model at import.

FULL: Final = "full"
BRIEF: Final = "brief"
PROMPT: Final = "prompt"

MAX_BRIEF_CHARACTERS = 2_000
"""The most characters of the text of a brief record."""

MAX_WHO_CHARACTERS = 256
"""The most characters of the `who` of a brief record."""

USUAL_LIMIT = 10
"""Records of a retrieval without a limit."""

MAX_TASK_PAGE = 100
"""The most records on a page for a task."""

USUAL_PAGE = 100
"""Records on a page of a list or thread without a limit."""

_MIN_SALIENCE = fields.not_negative("min_salience", "min_salience must be non-negative and finite")

USUAL_TOKENS = 1_000
MAX_PROMPT_TOKENS = 20_000

OptionalText = Annotated[fields.Text | None, requests.OPTIONAL]


def _as_list(value: Any) -> Any:
    """A word as a list of one word, an empty word as an empty list; any other value unchanged."""
    return [each for each in [value] if each] if isinstance(value, str) else value


ONE_OR_MORE = BeforeValidator(_as_list)


class Retrieve(requests.RequestPart):
    """Retrieve the records that answer a task or, without a task, the most salient records.

    Filters narrow the result; a record must pass every filter.
    """

    task_descriptor: Annotated[str, Field(max_length=fields.MAX_TEXT_CHARACTERS)] = ""
    """The task, question or situation to rank records by, in words; at most 100,000 characters.
    Absent or blank: records are ranked by salience."""
    trust: TrustInput = Field(default_factory=TrustInput)
    """Scopes to retrieve from, and the highest sensitivity. Without scopes: all scopes that the key
    covers; at most 50."""
    memory_types: Annotated[tuple[fields.MemoryTypeWord, ...], fields.LIST] = ()
    """Types of the records. Absent or empty: all types."""
    min_salience: Annotated[float, _MIN_SALIENCE] = 0.0
    """Least salience of a record, as of now; 0 or more."""
    min_score: Annotated[float | None, Field(ge=0.0, le=1.0), requests.OPTIONAL] = None
    """Least score of a record for the task, from 0 to 1. Absent or empty: the deployment's
    `ScoreFloor`. Without a task: no effect."""
    limit: fields.Limit = USUAL_LIMIT
    """Records on the page, 0 to 10,000, for a task at most 100. 0 or absent: 10."""
    cursor: Annotated[Cursor | None, requests.OPTIONAL] = None
    """The `next_cursor` of the previous page of the same request; `limit`, `max_tokens` and
    `consistency_tokens` may differ. Absent or empty: the first page."""
    tags: fields.Tags = ()
    """Tags that a record must have, all of them; at most 100."""
    thread_id: OptionalText = None
    """Thread that a working state, a message or the beginning of an event's `ref` must name. Leaves
    out all types but `working` and `episodic`. Absent or empty: any thread."""
    subject: OptionalText = None
    """Subject of a fact, in any spelling: case, width, blanks and `_` make no difference. Leaves
    out all types but `semantic`. Absent or empty: any subject."""
    predicate: OptionalText = None
    """Predicate of a fact, in any spelling. Leaves out all types but `semantic`. Absent or empty:
    any predicate."""
    created_after: Annotated[fields.Timestamp | None, requests.OPTIONAL] = None
    """Earliest creation time of a record, inclusive, in RFC 3339. Absent or empty: no limit."""
    created_before: Annotated[fields.Timestamp | None, requests.OPTIONAL] = None
    """Latest creation time of a record, exclusive, in RFC 3339. Absent or empty: no limit."""
    include_retracted: bool = False
    """Include retracted records."""
    outcome: Annotated[tuple[fields.OutcomeStatusWord, ...], fields.LIST, ONE_OR_MORE] = ()
    """Outcomes of an episode, as a list or a single word: `success`, `failure`, `partial`. An
    episode must have one of the outcomes. Leaves out all types but `episodic`. Absent or empty: any
    outcome or none."""
    as_of: requests.OptionalTimestamp = None
    """Instant to show the facts of `subject` and `predicate` of, in RFC 3339, not in the future.
    Needs both fields, and no `task_descriptor`. Absent or empty: now."""
    view: Literal["full", "brief", "prompt"] = FULL
    """Form of the records: `full` records, `brief` records (text, score, time and speaker), or
    `prompt`, a text with a line for each record to put into a system message."""
    max_tokens: Annotated[int, Field(ge=1, le=MAX_PROMPT_TOKENS)] = USUAL_TOKENS
    """Most tokens of the text, 1 to 20,000, where `view` is `prompt`; counted by an estimate."""
    consistency_tokens: fields.Tokens = ()
    """The `consistency_token` of earlier writes, at most 100, of at most 256 characters. The
    retrieval sees the records of the tokens, even where the index does not yet have the records."""


ListedState = Literal["active", "deleted", "pruned", "retracted"]

ACTIVE: Final = "active"
RETRACTED: Final = "retracted"


class ListRecords(fields.Part):
    """List records by salience, the most salient first; or removed records, the newest first."""

    scope: requests.FromQuery[Annotated[fields.Scope | None, requests.OPTIONAL]] = None
    """Scope of the records, without unscoped records. Absent or empty: all scopes of the key, and
    unscoped records."""
    types: Annotated[
        tuple[fields.MemoryTypeWord, ...], fields.LIST, requests.Standing("query", "type")
    ] = ()
    """Types of the records. Absent or empty: all types."""
    state: requests.FromQuery[ListedState] = ACTIVE
    """State of the records. `active`: neither removed nor retracted, by salience. `deleted` by a
    caller or `pruned` by the sweep: the rest of each record without content, the last removed
    first; erased records are left out. `retracted`: by type, in no further order."""
    view: requests.FromQuery[Literal["full", "brief"]] = FULL
    """Form of the records: `full` or `brief`; for deleted and pruned records without effect."""
    limit: requests.FromQuery[fields.Limit] = USUAL_PAGE
    """Records on the page, 0 to 10,000; 0 = 100."""
    cursor: requests.FromQuery[Annotated[Cursor | None, requests.OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


class ReadThread(fields.Part):
    """Read the latest working state of a thread, and the earlier working states."""

    thread_id: requests.FromPath[fields.Text]
    """Id of the thread, as in `thread_id` of a working state."""
    trust: requests.FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see. A state one level of sensitivity above is shown redacted."""
    limit: requests.FromQuery[fields.Limit] = USUAL_PAGE
    """Earlier states on the page, 0 to 10,000; 0 = 100."""
    cursor: requests.FromQuery[Annotated[Cursor | None, requests.OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


class ReadReceipt(fields.Part):
    """Read the receipt of a retrieval: the candidates and the parts of each score."""

    id: requests.FromPath[str]
    """The `receipt_id` of a retrieval of the same key, not older than 7 days."""
