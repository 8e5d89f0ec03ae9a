"""Batches of the table's stream that the index function gave up, as messages for its own queue.

The dead letter of a batch has the position in the stream and no content. The stream keeps a change
for a day; the index function follows the changes of a message as the changes of a batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.adapters.messaging.sqs import set_aside
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.ports.search import Waiting
from membrane.usecases.search.indexing.changes import merge_changes

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

INDEX_QUEUE = "IndexQueue"
"""The logical id of the queue of the index function."""

OUT_OF_REACH = "the stream no longer has the changes: run `membrane reindex`"

MAX_READ = 1_000
"""Changes of a read (AWS, `GetRecords`)."""

MAX_EMPTY = 20
"""Empty reads in a row until the stream counts as read: an open shard has no last read."""

_TRIMMED = "TrimmedDataAccessException"
_LOST = (_TRIMMED, "ResourceNotFoundException")
"""The changes are older than a day, or the table has a new stream."""


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """The position of a batch; the stream may have changes in between that the function skips."""

    stream_arn: str
    shard: str
    first: str
    last: str
    """Sequence numbers."""


def batch_in(info: Any) -> StreamBatch:
    """The batch of a dead letter's `DDBStreamBatchInfo`; raises InvalidArgument."""
    match info:
        case {
            "streamArn": str(arn),
            "shardId": str(shard),
            "startSequenceNumber": str(first),
            "endSequenceNumber": str(last),
        } if last.isdecimal():
            return StreamBatch(arn, shard, first, last)
        case _:
            raise InvalidArgument("neither an event nor the record of an invocation")


def changes_at(client: "DynamoDBStreamsClient", batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
    """The changes of the batch that the stream still has; raises InvalidArgument without any."""
    try:
        changes = [*_changes_from(_beginning(client, batch), client, batch)]
    except ClientError as error:
        if error.response["Error"]["Code"] not in _LOST:
            raise
        raise InvalidArgument(OUT_OF_REACH) from error
    if not changes:
        raise InvalidArgument(OUT_OF_REACH)
    return changes


def _beginning(client: "DynamoDBStreamsClient", batch: StreamBatch) -> str | None:
    """The iterator at the first change, or at the oldest change that the stream has."""
    shard = {"StreamArn": batch.stream_arn, "ShardId": batch.shard}
    try:
        found = client.get_shard_iterator(
            **shard, ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber=batch.first
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != _TRIMMED:
            raise
        found = client.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")
    return found.get("ShardIterator")


def _changes_from(
    iterator: str | None, client: "DynamoDBStreamsClient", batch: StreamBatch
) -> Iterator[Mapping[str, Any]]:
    limit = 1 if batch.first == batch.last else MAX_READ
    empty = 0
    while iterator is not None and empty < MAX_EMPTY:
        page: Any = client.get_records(ShardIterator=iterator, Limit=limit)
        empty = 0 if page["Records"] else empty + 1
        for record in page["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= int(batch.last):
                yield record
            if number >= int(batch.last):
                return
        iterator = page.get("NextShardIterator")


def send_changes(changes: Sequence[Mapping[str, Any]], send: Callable[[str, str], None]) -> None:
    """Send a message to the index function's queue for each changed source and kind of work."""
    found = changes_in(changes)
    by_kind = (
        (Waiting.RECORD, found.records),
        (Waiting.TOPIC, found.topics),
        (Waiting.FED, found.facts),
        (Waiting.CREATED, found.created),
        (Waiting.ENDED, found.ended),
    )
    for kind, several in by_kind:
        for each in merge_changes(several):
            set_aside(
                lambda queue, body, _: send(queue, body),
                INDEX_QUEUE,
                each.record_id,
                each.scopes,
                kind,
            )
