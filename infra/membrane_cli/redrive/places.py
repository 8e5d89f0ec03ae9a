"""The queues of dead letters of a stack, deployed or local, and the stream that some name.

The index function's dead letter has the position of a batch in the stream and no content. The
stream keeps a change for a day.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from botocore.exceptions import ClientError

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane_cli.http_client import HttpClient
from membrane_cli.stacks import DeployedStack
from membrane_local.events.sources import QUEUE

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_sqs import SQSClient

FUNCTION = "AWS::Lambda::Function"
BATCH = 10
"""The most messages in one receive."""
COUNTS: Final = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")

_MESSAGE_ERRORS = (
    *("InvalidMessageContents", "InvalidParameterValue", "InvalidRequestContentException"),
    *("RequestEntityTooLargeException", "RequestTooLargeException", "ResourceNotFoundException"),
)
"""Errors of SQS and Lambda about a single message, which say nothing about the next message."""
OUT_OF_REACH = "the stream no longer has the changes: run `membrane reindex`"
MAX_READ = 1_000
MAX_EMPTY = 20
"""Empty reads in a row until the stream counts as read: an open shard has no last read."""


class DeadLetterQueue(NamedTuple):
    name: str
    source: str | None
    """The queue that the messages come from; None for undelivered events."""
    size: int
    """Messages in the queue, also messages received and not yet deleted."""


class DeadLetter(NamedTuple):
    message_id: str
    body: str
    attributes: Mapping[str, str]
    receipt: str


class StreamBatch(NamedTuple):
    """The position of a batch; the stream may have changes in between that the function skips."""

    stream_arn: str
    shard: str
    first: str
    last: str
    """Sequence numbers."""


def changes_at(client: "DynamoDBStreamsClient", batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
    """The changes of the batch that the stream still has; raises InvalidArgument without any.

    The stream has no change that is older than a day, nor a change of a former stream.
    """
    shard: Any = {"StreamArn": batch.stream_arn, "ShardId": batch.shard}
    begin: Any = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": batch.first}
    errors = client.exceptions
    trimmed = errors.TrimmedDataAccessException
    try:
        try:
            found = client.get_shard_iterator(**shard, **begin)
        except trimmed:
            found = client.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")
        changes = [*_changes_from(found.get("ShardIterator"), client, batch)]
    except (trimmed, errors.ResourceNotFoundException) as error:
        raise InvalidArgument(OUT_OF_REACH) from error
    if not changes:
        raise InvalidArgument(OUT_OF_REACH)
    return changes


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


def function_name(arn: str) -> str:
    """The name in a function's ARN, without the version."""
    return arn.partition(":function:")[2].partition(":")[0]


@dataclass(frozen=True)
class DeployedQueues:
    stack: DeployedStack
    sqs: "SQSClient"
    functions: "LambdaClient"
    streams: "DynamoDBStreamsClient"
    wait_s: int = 2
    """Long polling, since SQS queries all servers of a queue only then."""
    hidden_s: int = 120

    def dead_letters(self) -> Sequence[DeadLetterQueue]:
        """Every queue without a redrive policy, with the queue that names the former as target."""
        found: dict[str, Any] = {}
        for name, url in self._queues.items():
            asked: Any = ["QueueArn", "RedrivePolicy", *COUNTS]
            reply = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=asked)
            found[name] = reply["Attributes"]
        sources = {
            json.loads(each["RedrivePolicy"])["deadLetterTargetArn"]: name
            for name, each in found.items()
            if "RedrivePolicy" in each
        }
        return [
            DeadLetterQueue(name, sources.get(each["QueueArn"]), sum(int(each[n]) for n in COUNTS))
            for name, each in found.items()
            if "RedrivePolicy" not in each
        ]

    def take(self, queue: DeadLetterQueue, limit: int | None) -> Sequence[DeadLetter]:
        received = self.sqs.receive_message(
            QueueUrl=self._queues[queue.name],
            MaxNumberOfMessages=BATCH if limit is None else min(BATCH, limit),
            VisibilityTimeout=self.hidden_s,
            WaitTimeSeconds=self.wait_s,
            MessageAttributeNames=["All"],
        )
        letters = []
        for each in received.get("Messages", []):
            attributes = each.get("MessageAttributes", {}).items()
            texts = {name: attribute.get("StringValue", "") for name, attribute in attributes}
            letter = DeadLetter(each["MessageId"], each["Body"], texts, each["ReceiptHandle"])
            letters.append(letter)
        return letters

    def send(self, queue: str, body: str) -> None:
        with _message_refusals():
            self.sqs.send_message(QueueUrl=self._queues[queue], MessageBody=body)

    def invoke(self, function_arn: str, event: str) -> None:
        name = function_name(function_arn)
        if name not in self.stack.resources(FUNCTION).values():
            raise NotFound(f"the stack has no function {name}")
        qualified = function_arn.partition(":function:")[2]  # the dead letters belong to the alias
        with _message_refusals():
            self.functions.invoke(
                FunctionName=qualified, InvocationType="Event", Payload=event.encode()
            )

    def changes(self, batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
        return changes_at(self.streams, batch)

    def delete(self, queue: DeadLetterQueue, letter: DeadLetter) -> None:
        self.sqs.delete_message(QueueUrl=self._queues[queue.name], ReceiptHandle=letter.receipt)

    def show_after(
        self, queue: DeadLetterQueue, letters: Sequence[DeadLetter], after_s: int
    ) -> None:
        """Hide taken messages for so long; without it, SQS shows them after `hidden_s`."""
        entries: Any = [
            {"Id": str(number), "ReceiptHandle": letter.receipt, "VisibilityTimeout": after_s}
            for number, letter in enumerate(letters)
        ]
        for first in range(0, len(entries), BATCH):
            self.sqs.change_message_visibility_batch(
                QueueUrl=self._queues[queue.name], Entries=entries[first : first + BATCH]
            )

    @property
    def _queues(self) -> Mapping[str, str]:
        return self.stack.resources(QUEUE)


@contextmanager
def _message_refusals() -> Iterator[None]:
    """Raises InvalidArgument for a refusal of a single message."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code not in _MESSAGE_ERRORS:
            raise
        raise InvalidArgument(f"could not be sent again: {code}") from error


@dataclass(frozen=True, slots=True)
class LocalQueues:
    client: HttpClient

    def dead_letters(self) -> Sequence[DeadLetterQueue]:
        queues = self.client.ask("GET", "/_dev/queues")["queues"]
        return [
            DeadLetterQueue(name, found["dead_letters_of"], found["visible"])
            for name, found in queues.items()
            if found["read_by"] is None
        ]

    def take(self, queue: DeadLetterQueue, limit: int | None) -> Sequence[DeadLetter]:
        """The first messages of the queue; nothing is hidden, and all messages come at once."""
        found = self.client.ask("GET", f"/_dev/queues/{queue.name}")["messages"]
        return [
            DeadLetter(each["message_id"], each["body"], each["attributes"], each["message_id"])
            for each in found[:limit]
        ]

    def send(self, queue: str, body: str) -> None:
        self.client.ask("POST", f"/_dev/queues/{queue}", {"body": body})

    def invoke(self, function_arn: str, event: str) -> None:
        path = f"/_dev/invoke/{function_name(function_arn)}"
        self.client.ask("POST", path, json.loads(event), {"x-amz-invocation-type": "Event"})

    def changes(self, _batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
        raise InvalidArgument("the stream of a local stack cannot be read: run `membrane reindex`")

    def delete(self, queue: DeadLetterQueue, letter: DeadLetter) -> None:
        self.client.ask("DELETE", f"/_dev/queues/{queue.name}/{letter.receipt}")

    def show_after(self, *_: object) -> None:
        """Nothing to do: the messages never left the queue."""


Place = DeployedQueues | LocalQueues
