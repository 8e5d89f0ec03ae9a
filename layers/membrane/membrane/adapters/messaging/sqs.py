"""Messages to SQS: sources that could not be indexed, scopes to reason about, captures."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.search import Waiting

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

Send = Callable[[str, str, int], None]
"""Sends a body to the queue of an address, delivered after 0 to 900 seconds.

May raise Unavailable.
"""


def send_message(client: "Callable[[], SQSClient]", queue: str, body: str, delay_s: int) -> None:
    """One SendMessage; the client is made for the first message."""
    try:
        client().send_message(QueueUrl=queue, MessageBody=body, DelaySeconds=delay_s)
    except (ClientError, HTTPClientError, NoConnection) as error:
        raise Unavailable("the queue did not take a message") from error


def set_aside(
    send: Send,
    queue: str,
    source_id: str,
    scopes: Sequence[str],
    kind: Waiting = Waiting.RECORD,
) -> None:
    """Send `{"record_id", "scopes"}`; `…aws_lambda.events.stream` is the consumer."""
    send(queue, compact_json({kind: source_id, "scopes": list(scopes)}), 0)


def tell_reason(send: Send, queue: str, message: JsonObject, delay_s: int) -> None:
    """Send a message; `membrane.adapters.aws_lambda.events.queues` is the consumer."""
    send(queue, compact_json(message), delay_s)


def send_capture(send: Send, queue: str, record_id: str, version: int, delay_s: int) -> None:
    """Send a capture for a model; `membrane.adapters.aws_lambda.events.queues` consumes."""
    send(queue, compact_json({"record_id": record_id, "version": version}), delay_s)


def hide_message(client: "Callable[[], SQSClient]", queue: str, receipt: str, seconds: int) -> None:
    """One ChangeMessageVisibility: the queue delivers the message again after `seconds`."""
    try:
        client().change_message_visibility(
            QueueUrl=queue, ReceiptHandle=receipt, VisibilityTimeout=seconds
        )
    except (ClientError, HTTPClientError, NoConnection) as error:
        raise Unavailable("the queue did not hold a message back") from error
