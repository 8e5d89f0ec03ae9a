"""Messages to queues, invocations of functions and executions, and the dead letters of queues."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.search import Waiting

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

Send = Callable[[str, str, int], None]
"""Sends a body to the queue of an address, delivered after 0 to 900 seconds.

May raise Unavailable.
"""

STARTED_BEFORE = "ExecutionAlreadyExists"
"""The error for a name that an execution has had, of the same input or of another."""

TOGETHER = 10
"""Messages of one ReceiveMessage at most (AWS)."""

HIDDEN_S = 120
"""Seconds for which a received message stays hidden, so that SQS gives further messages."""

MOST = 100_000
"""Messages of a queue to look at in a run: more come back while the run reads."""

WAIT_S = 1
"""Seconds to wait for a message: with a wait, SQS asks all servers of the queue."""

_SILENT = "the queue did not answer"


@contextmanager
def _unavailable(message: str) -> Iterator[None]:
    """Raise Unavailable with the message for every failure of a client."""
    try:
        yield
    except (ClientError, HTTPClientError, NoConnection) as error:
        raise Unavailable(message) from error


def send_message(client: "Callable[[], SQSClient]", queue: str, body: str, delay_s: int) -> None:
    """One SendMessage; the client is made for the first message."""
    with _unavailable("the queue did not take a message"):
        client().send_message(QueueUrl=queue, MessageBody=body, DelaySeconds=delay_s)


def send_json(send: Send, queue: str, message: JsonObject, delay_s: int) -> None:
    """Send a message; `membrane.adapters.aws_lambda.events.queues` is the consumer."""
    send(queue, compact_json(message), delay_s)


def send_capture(send: Send, queue: str, record_id: str, version: int, delay_s: int) -> None:
    """Send a capture for a model; `membrane.adapters.aws_lambda.events.queues` consumes."""
    send_json(send, queue, {"record_id": record_id, "version": version}, delay_s)


def set_aside(
    send: Send,
    queue: str,
    source_id: str,
    scopes: Sequence[str],
    kind: Waiting = Waiting.RECORD,
) -> None:
    """Send `{"record_id", "scopes"}`; `…aws_lambda.events.stream` is the consumer."""
    send_json(send, queue, {kind: source_id, "scopes": list(scopes)}, 0)


def hide_message(client: "Callable[[], SQSClient]", queue: str, receipt: str, seconds: int) -> None:
    """One ChangeMessageVisibility: the queue delivers the message again after `seconds`."""
    with _unavailable("the queue did not hold a message back"):
        client().change_message_visibility(
            QueueUrl=queue, ReceiptHandle=receipt, VisibilityTimeout=seconds
        )


def invoke(client: "LambdaClient", name_or_arn: str, event: JsonObject) -> None:
    """An Invoke, which Lambda queues; raises Unavailable."""
    with _unavailable("the function could not be started"):
        client.invoke(
            FunctionName=name_or_arn, InvocationType="Event", Payload=compact_json(event).encode()
        )


class StatesClient(Protocol):
    """The operation in use of botocore's client `stepfunctions`."""

    def start_execution(self, **request: Any) -> Any: ...


def start_execution(
    client: StatesClient, machine_arn: str, name: str, execution_input: JsonObject
) -> None:
    """A StartExecution; an existing execution of the name is no error. Raises Unavailable."""
    with _unavailable("the execution could not be started"):
        try:
            client.start_execution(
                stateMachineArn=machine_arn, name=name, input=compact_json(execution_input)
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != STARTED_BEFORE:
                raise


@dataclass(frozen=True, slots=True)
class SqsDeadLetters:
    """The DeadLetters over queues given by address; the client is made for the first look."""

    client: "Callable[[], SQSClient]"
    queues: Sequence[str]

    def remove_where(self, is_wanted: Callable[[str], bool]) -> Sequence[str]:
        """A ReceiveMessage per 10 messages, then a request per message: delete or show again."""
        return [each for queue in self.queues for each in self._remove_from(queue, is_wanted)]

    def are_all_visible(self) -> bool:
        """A GetQueueAttributes per queue."""
        with _unavailable(_SILENT):
            return not any(self._count_hidden(queue) for queue in self.queues)

    def _count_hidden(self, queue: str) -> int:
        name: Final = "ApproximateNumberOfMessagesNotVisible"
        reply = self.client().get_queue_attributes(QueueUrl=queue, AttributeNames=[name])
        return int(reply["Attributes"][name])

    def _remove_from(self, queue: str, is_wanted: Callable[[str], bool]) -> Iterator[str]:
        with _unavailable(_SILENT):
            kept: dict[str, str] = {}
            try:
                for message in self._messages(queue):
                    if is_wanted(message["Body"]):
                        self.client().delete_message(
                            QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"]
                        )
                        yield message["MessageId"]
                    else:
                        kept[message["MessageId"]] = message["ReceiptHandle"]
            finally:
                for handle in kept.values():
                    self.client().change_message_visibility(
                        QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0
                    )

    def _messages(self, queue: str) -> "Iterator[MessageTypeDef]":
        seen: set[str] = set()
        while True:
            reply = self.client().receive_message(
                QueueUrl=queue,
                MaxNumberOfMessages=TOGETHER,
                VisibilityTimeout=HIDDEN_S,
                WaitTimeSeconds=WAIT_S,
            )
            received = reply.get("Messages", [])
            if not received or len(seen) > MOST:
                return
            for message in received:
                if message["MessageId"] not in seen:
                    seen.add(message["MessageId"])
                    yield message
