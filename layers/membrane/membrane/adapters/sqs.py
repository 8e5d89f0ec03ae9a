"""Messages to SQS: records that could not be indexed, for a later try."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.errors import Unavailable
from membrane.domain.json_text import compact_json

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

Send = Callable[[str, str], None]
"""Sends to the queue of that address a message of that body; may raise Unavailable."""


@dataclass(frozen=True, slots=True)
class SqsSender:
    """A Send over SQS; the client is made when there is something to send."""

    client: Callable[[], "SQSClient"]

    def __call__(self, queue: str, body: str) -> None:
        """One SendMessage."""
        try:
            self.client().send_message(QueueUrl=queue, MessageBody=body)
        except (ClientError, HTTPClientError, NoConnection) as error:
            raise Unavailable("the queue did not take a message") from error


@dataclass(frozen=True, slots=True)
class QueueSetAside:
    """The SetAside over one queue."""

    send: Send
    queue: str

    def __call__(self, record_id: str, scopes: Sequence[str]) -> None:
        """`{"record_id", "scopes"}`, as `membrane.adapters.aws_lambda.stream` takes it back."""
        self.send(self.queue, compact_json({"record_id": record_id, "scopes": list(scopes)}))
