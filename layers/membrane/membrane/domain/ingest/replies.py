"""The reply to messages."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.language.replies import Turn
from membrane.domain.records.replies import DeletedRecord, RecordJson


class MessageTurns(TypedDict):
    """The place of new messages in their thread."""

    thread_id: str
    """The thread of the messages."""
    first_turn: Turn | None
    """The turn of the first message; null where a repeat finds nothing but tombstones."""
    next_turn: Turn | None
    """The turn of the next message of the thread; null where a repeat finds nothing but
    tombstones."""
    consistency_tokens: list[str]
    """A token for each record that was not deleted: a retrieval with the tokens sees the messages
    before the index does."""


class MessagesReply(MessageTurns):
    """The records of messages."""

    records: Annotated[list[RecordJson | DeletedRecord], Field(min_length=1)]
    """The records, in the order of the turns."""
    skipped: NotRequired[int]
    """Leading messages of `system` or `developer`, and thoughts, which became no records; absent
    without any."""
