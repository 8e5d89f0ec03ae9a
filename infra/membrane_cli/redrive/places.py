"""The queues of dead letters: of a deployed stack, or of a running local stack."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane_cli.http_client import HttpClient
from membrane_cli.redrive.dead_letters import DeadLetter, DeadLetterQueue, function_name
from membrane_cli.redrive.stream_batches import StreamBatch, changes_at
from membrane_cli.stacks import DeployedStack
from membrane_local.events.sources import QUEUE

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_sqs import SQSClient

FUNCTION = "AWS::Lambda::Function"
BATCH = 10
"""The most messages in one receive."""

LONG_S = 3_600
"""Seconds for which a message is hidden that was received a second time."""

COUNTS: Final = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")

_MESSAGE_ERRORS = (
    "InvalidMessageContents",
    "InvalidParameterValue",
    "InvalidRequestContentException",
    "RequestEntityTooLargeException",
    "RequestTooLargeException",
    "ResourceNotFoundException",
)
"""Errors of SQS and Lambda about a single message, which say nothing about the next message."""


@dataclass(frozen=True)
class DeployedQueues:
    stack: DeployedStack
    sqs: "SQSClient"
    functions: "LambdaClient"
    streams: "DynamoDBStreamsClient"
    wait_s: int = 2
    """Long polling, since SQS queries all servers of a queue only then."""
    hidden_s: int = 120
    """Seconds for which a received message is invisible to other readers."""

    def dead_letters(self) -> Sequence[DeadLetterQueue]:
        """Every queue without a redrive policy, with the queue that names the former as target."""
        attributes = {name: self._attributes(url) for name, url in self._queues.items()}
        sources = {
            json.loads(found["RedrivePolicy"])["deadLetterTargetArn"]: name
            for name, found in attributes.items()
            if "RedrivePolicy" in found
        }
        return [
            DeadLetterQueue(
                name, sources.get(found["QueueArn"]), sum(int(found[count]) for count in COUNTS)
            )
            for name, found in attributes.items()
            if "RedrivePolicy" not in found
        ]

    def take(self, queue: DeadLetterQueue, limit: int | None) -> Sequence[DeadLetter]:
        received = self.sqs.receive_message(
            QueueUrl=self._queues[queue.name],
            MaxNumberOfMessages=BATCH if limit is None else min(BATCH, limit),
            VisibilityTimeout=self.hidden_s,
            WaitTimeSeconds=self.wait_s,
            MessageAttributeNames=["All"],
        )
        return [
            DeadLetter(
                message["MessageId"],
                message["Body"],
                {
                    name: attribute.get("StringValue", "")
                    for name, attribute in message.get("MessageAttributes", {}).items()
                },
                message["ReceiptHandle"],
            )
            for message in received.get("Messages", [])
        ]

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

    def hide(self, queue: DeadLetterQueue, letters: Sequence[DeadLetter]) -> None:
        self._make_visible(queue, letters, LONG_S)

    def give_back(self, queue: DeadLetterQueue, letters: Sequence[DeadLetter]) -> None:
        """Make messages visible now; after a failure, SQS does so when `hidden_s` have passed."""
        self._make_visible(queue, letters, 0)

    def _make_visible(
        self, queue: DeadLetterQueue, letters: Sequence[DeadLetter], after_s: int
    ) -> None:
        for first in range(0, len(letters), BATCH):
            self.sqs.change_message_visibility_batch(
                QueueUrl=self._queues[queue.name],
                Entries=[
                    {
                        "Id": str(number),
                        "ReceiptHandle": letter.receipt,
                        "VisibilityTimeout": after_s,
                    }
                    for number, letter in enumerate(letters[first : first + BATCH])
                ],
            )

    @property
    def _queues(self) -> Mapping[str, str]:
        return self.stack.resources(QUEUE)

    def _attributes(self, url: str) -> Mapping[str, str]:
        reply = self.sqs.get_queue_attributes(
            QueueUrl=url,
            AttributeNames=["QueueArn", "RedrivePolicy", *COUNTS],
        )
        return {str(name): value for name, value in reply["Attributes"].items()}


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


def queues_of_stack(stack: DeployedStack) -> DeployedQueues:
    import boto3  # noqa: PLC0415 - only this command needs it

    session = boto3.Session()
    return DeployedQueues(
        stack,
        session.client("sqs"),
        session.client("lambda"),
        session.client("dynamodbstreams"),
    )


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
        self.client.ask(
            "POST",
            f"/_dev/invoke/{function_name(function_arn)}",
            json.loads(event),
            {"x-amz-invocation-type": "Event"},
        )

    def changes(self, _batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
        """Raises InvalidArgument: the local stack shows its stream to no other process."""
        raise InvalidArgument("the stream of a local stack cannot be read: run `membrane reindex`")

    def delete(self, queue: DeadLetterQueue, letter: DeadLetter) -> None:
        self.client.ask("DELETE", f"/_dev/queues/{queue.name}/{letter.receipt}")

    def hide(self, queue: DeadLetterQueue, letters: Sequence[DeadLetter]) -> None:
        """Nothing to do: the local stack does not hide messages that are only listed."""

    def give_back(self, queue: DeadLetterQueue, letters: Sequence[DeadLetter]) -> None:
        """Nothing to do: the messages never left the queue."""
