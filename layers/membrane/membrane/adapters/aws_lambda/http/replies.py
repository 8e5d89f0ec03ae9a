"""Replies that the edge itself makes: problems, batches, health."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.capture.replies import CaptureLinks
from membrane.domain.ingest.replies import MessageTurns
from membrane.domain.language.json_text import Body
from membrane.domain.language.replies import with_shape
from membrane.domain.records.replies import DeletedRecord, RecordJson


class FieldProblem(TypedDict):
    """What is wrong with a field of a request."""

    field: str
    """The path of the field in the request."""
    message: str
    """A sentence for the caller, without the value of the field."""


class Problem(TypedDict):
    """A refusal by the service."""

    title: str
    """What happened, the same for each error of the code and status."""
    status: int
    """The HTTP status."""
    code: str
    """The error code, for programs."""
    detail: str
    """A sentence for the caller."""
    request_id: NotRequired[str]
    """The id of the request in the logs: the header `apigw-requestid` of the reply."""
    errors: NotRequired[Annotated[list[FieldProblem], Field(min_length=1)]]
    """The faults by field; absent unless fields are at fault."""


class BatchRecordId(TypedDict):
    """The id of a record of a batch whose records together are too large for a reply."""

    id: str
    """The id of the record."""


BatchRecord = RecordJson | DeletedRecord | BatchRecordId


class BatchEntry(TypedDict):
    status: Literal[200, 201]
    """The HTTP status that the item would have had alone."""


class BatchedRecord(BatchEntry):
    """An item of a batch that became a record."""

    record: BatchRecord
    """The record, or the id alone where the records together are too large for a reply."""
    consistency_token: NotRequired[str]
    """A retrieval with the token sees the write before the index does; absent for a deleted
    record."""


class BatchedMessages(BatchEntry, MessageTurns):
    """An item of a batch that became the records of messages."""

    records: Annotated[list[BatchRecord], Field(min_length=1)]
    """The records in the order of the turns, or their ids alone where the records of the batch
    together are too large for a reply."""


class BatchedCapture(BatchEntry, CaptureLinks):
    """An item of a batch that captured evidence."""

    primary_record: BatchRecord
    """The evidence, or the id alone where the records of the batch together are too large for a
    reply."""
    created_records: list[BatchRecord]
    """The records that the capture brought along, or their ids alone."""


class RefusedItem(TypedDict):
    """An item of a batch that was refused."""

    status: int
    """The HTTP status that the item would have had alone."""
    error: Problem
    """Why the item was refused."""


class BatchReply(TypedDict):
    """The results of a batch."""

    results: list[
        Annotated[Body, with_shape(BatchedRecord | BatchedMessages | BatchedCapture | RefusedItem)]
    ]
    """An entry for each item, in the order of the items."""


class Health(TypedDict):
    """A sign of life."""

    status: Literal["ok"]
    """Always `ok`: a function that fails answers with an error."""
