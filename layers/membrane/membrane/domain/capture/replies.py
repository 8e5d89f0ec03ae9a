"""The reply to a capture."""

from typing_extensions import TypedDict

from membrane.domain.records.replies import DeletedRecord, GraphEdge, RecordJson


class CaptureLinks(TypedDict):
    """The edges of a capture, and the tokens of the records."""

    edges: list[GraphEdge]
    """The edges of the records, each from both ends: first of the mentions, then of the
    references, of the derived fact, and of the entities of the fact."""
    consistency_tokens: list[str]
    """A token for each of the records: a retrieval with the tokens sees the records before the
    index does."""


class CaptureReply(CaptureLinks):
    """What a capture stored, all or nothing."""

    primary_record: RecordJson | DeletedRecord
    """The evidence, with the interpretation; what is left of the record where a repeat finds a
    deleted record."""
    created_records: list[RecordJson]
    """The records that the capture brought along: entities in the order of the mentions, then the
    derived fact. A known fact is reinforced, and not among these."""
