"""Messages to SQS: what could not be indexed, for a later try, and what is to be reasoned about."""

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
"""Sends to the queue of an address a message of a body, to be delivered after 0 to 900 seconds.

May raise Unavailable.
"""


def send_message(client: "Callable[[], SQSClient]", queue: str, body: str, delay_s: int) -> None:
    """One SendMessage; the client is made when there is something to send."""
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
    """`{"record_id", "scopes"}`, as `…aws_lambda.events.stream` takes it back."""
    send(queue, compact_json({kind: source_id, "scopes": list(scopes)}), 0)


def tell_reason(send: Send, queue: str, message: JsonObject, delay_s: int) -> None:
    """As `membrane.adapters.aws_lambda.events.reasoning` takes it."""
    send(queue, compact_json(message), delay_s)
