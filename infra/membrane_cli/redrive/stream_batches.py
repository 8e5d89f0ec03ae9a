"""Batches of the table's stream that the index function gave up, as messages for its own queue.

The dead letter of a batch has the position in the stream and no content. The stream keeps a change
for a day; the index function follows the changes of a message as the changes of a batch.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.usecases.ports.search import Waiting
from membrane.usecases.search.indexing.changes import merge_changes

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient

INDEX_QUEUE = "IndexQueue"
"""The logical id of the queue of the index function."""

OUT_OF_REACH = "the stream no longer has the changes: run `membrane reindex`"

_LOST = ("TrimmedDataAccessException", "ResourceNotFoundException")
"""The change is older than a day, or the table has a new stream."""


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
    """The records of the stream in the batch; raises InvalidArgument once the stream lost them."""
    try:
        return [*_changes_at(client, batch)]
    except ClientError as error:
        if error.response["Error"]["Code"] not in _LOST:
            raise
        raise InvalidArgument(OUT_OF_REACH) from error


def _changes_at(client: "DynamoDBStreamsClient", batch: StreamBatch) -> Iterator[Mapping[str, Any]]:
    iterator: str | None = client.get_shard_iterator(
        StreamArn=batch.stream_arn,
        ShardId=batch.shard,
        ShardIteratorType="AT_SEQUENCE_NUMBER",
        SequenceNumber=batch.first,
    )["ShardIterator"]
    while iterator is not None:
        page: Any = client.get_records(ShardIterator=iterator)
        for record in page["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= int(batch.last):
                yield record
            if number >= int(batch.last):
                return
        iterator = page.get("NextShardIterator")


def messages_of(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """A message for each changed source and kind of work; the index function's queue takes them."""
    found = changes_in(changes)
    by_kind = (
        (Waiting.RECORD, found.records),
        (Waiting.TOPIC, found.topics),
        (Waiting.FED, found.facts),
        (Waiting.CREATED, found.created),
    )
    return [
        compact_json({kind: each.record_id, "scopes": [*each.scopes]})
        for kind, several in by_kind
        for each in merge_changes(several)
    ]
