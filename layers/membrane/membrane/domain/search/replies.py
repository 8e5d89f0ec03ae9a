"""Replies of retrieval: records and prompts, threads, receipts."""

from typing import Annotated, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Fraction, Salience, Timestamp
from membrane.domain.language.json_text import Body, JsonObject
from membrane.domain.language.replies import PageReply, with_shape
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.replies import OversizedRecord, RecordJson, RedactedRecord
from membrane.domain.records.usefulness import Usefulness
from membrane.domain.search.requests import MAX_BRIEF_CHARACTERS, MAX_WHO_CHARACTERS
from membrane.domain.search.selection import Selection


class BriefRecord(TypedDict):
    """A record with the view `brief`."""

    id: str
    """The id of the record."""
    type: MemoryType
    """The memory type of the record."""
    text: Annotated[str, Field(max_length=MAX_BRIEF_CHARACTERS)] | None
    """The content as text; a longer text ends in an ellipsis. Null for a redacted record."""
    score: Fraction | None
    """How well the record answers the task; null without a task, and for a record without a
    known score."""
    salience: Salience
    """The salience as of the instant of reading."""
    when: Timestamp
    """When the content happened; for a redacted record, when the record was made."""
    who: Annotated[str, Field(max_length=MAX_WHO_CHARACTERS)] | None
    """Who said or reported the content, else who made the record. Null for a redacted record."""
    scope: str
    """The scope of the record; empty for an unscoped record."""
    tags: list[str]
    """The tags of the record."""
    usefulness: NotRequired[Annotated[JsonObject, with_shape(Usefulness)]]
    """How often tasks succeeded and failed in which the record had a part; absent for a record
    without credit, and for a redacted record."""


class Prompt(TypedDict):
    """Memories as one text, with the view `prompt`, in place of the records.

    A memory without room is left out, except the first, which is cut. Redacted records are left
    out.
    """

    text: str
    """A heading, then a line for each memory, the best first: `- date, who: "text" [id]`, the
    text as a JSON string. Empty without memories or without room for one."""
    ids: list[str]
    """The ids of the memories in the text, in order."""
    tokens: Count
    """The tokens of the text, an estimate on the high side."""


class RemovedRecord(TypedDict):
    """The rest of a deleted or pruned record, without content."""

    id: str
    """The id of the record."""
    type: MemoryType
    """The memory type."""
    scope: str
    """The scope; empty for an unscoped record."""
    sensitivity: Sensitivity
    """The sensitivity."""
    deleted_at: Timestamp
    """When the record was deleted or pruned."""
    reason: str
    """The reason: `deleted`, or the sweep's own words."""
    restorable_until: Timestamp | None
    """Until when the record can be restored; null if the content is gone."""
    expires_at: Timestamp
    """When the audit trail goes, and the record leaves the list."""


class RecordList(PageReply):
    """A page of records, by salience or, once removed, by the time of removal."""

    records: list[
        Annotated[
            Body,
            with_shape(RecordJson | RedactedRecord | OversizedRecord | BriefRecord | RemovedRecord),
        ]
    ]
    """The records: whole, or brief with the view `brief`; removed records without content."""


@with_config(
    ConfigDict(json_schema_extra={"oneOf": [{"required": ["records"]}, {"required": ["prompt"]}]})
)
class Answer(PageReply):
    """The answer to a retrieval: records, or with the view `prompt` a prompt."""

    records: NotRequired[
        list[
            Annotated[Body, with_shape(RecordJson | RedactedRecord | OversizedRecord | BriefRecord)]
        ]
    ]
    """The records, the best first: whole, or brief with the view `brief`. Absent with the view
    `prompt`."""
    prompt: NotRequired[Prompt]
    """The memories as one text; absent unless the view is `prompt`."""
    scores: NotRequired[dict[str, Fraction]]
    """How well each found record answers the task, by id, comparable between calls; absent
    without a task."""
    selection: NotRequired[Annotated[JsonObject, with_shape(Selection)]]
    """The choice among skills and plans; absent without candidates."""
    receipt_id: NotRequired[str]
    """The receipt explains the answer for 7 days; absent where the receipt could not be stored in
    time."""


class ThreadState(PageReply):
    """The working states of a thread."""

    record: Annotated[Body, with_shape(RecordJson | RedactedRecord)]
    """The latest state; redacted on a later page without room for the content."""
    earlier: list[Annotated[Body, with_shape(RecordJson | OversizedRecord)]]
    """The earlier states, the newest first."""


class ReceiptTrust(TypedDict):
    """The trust that limited an answer."""

    max_sensitivity: Sensitivity
    """The highest sensitivity."""
    scopes: list[str] | None
    """The scopes; null for every scope."""


class ExplainedCandidate(TypedDict):
    """A candidate of an answer, with the parts of the score."""

    id: str
    """The id of the record."""
    score: float
    """The score of the record."""
    parts: dict[str, float]
    """The weighted parts of the score, by name; parts of 0 are left out."""
    handed_out: bool
    """Whether the page had the record. An outcome that names the receipt gives credit to such
    records alone."""


class AnswerReceipt(TypedDict):
    """Why a retrieval answered as it did."""

    id: str
    """The id of the receipt."""
    principal: str
    """Who asked."""
    asked_at: Timestamp
    """When the retrieval ran."""
    query: JsonObject
    """The request; long texts are cut."""
    trust: Annotated[JsonObject, with_shape(ReceiptTrust)]
    """The trust of key and request together: the most that the answer could hold."""
    returned: Count
    """The number of records on the page."""
    considered: Count
    """The number of candidates, explained or not."""
    candidates: list[ExplainedCandidate]
    """The explained candidates, the best first, as many as the receipt has room for."""
    left_out: Count
    """The number of candidates below the score floor."""
    withheld: Count
    """The number of candidates that the key shows in full and the trust of the request does not:
    a lower bound, since no search runs for the count."""
    hidden: NotRequired[Count]
    """The number of candidates beyond the rights of the key; absent unless the reader is `admin`
    over all scopes, with a highest sensitivity that reaches the receipt's."""
