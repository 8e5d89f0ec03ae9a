"""Messages to SQS: what could not be indexed, for a later try, and what is to be reasoned about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.ports.search import Waiting

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

Send = Callable[[str, str, int], None]
"""Sends to the queue of that address a message of that body, to be delivered after so many seconds.

0 to 900; may raise Unavailable.
"""


@dataclass(frozen=True, slots=True)
class SqsSender:
    """A Send over SQS; the client is made when there is something to send."""

    client: Callable[[], "SQSClient"]

    def __call__(self, queue: str, body: str, delay_s: int) -> None:
        """One SendMessage."""
        try:
            self.client().send_message(QueueUrl=queue, MessageBody=body, DelaySeconds=delay_s)
        except (ClientError, HTTPClientError, NoConnection) as error:
            raise Unavailable("the queue did not take a message") from error


@dataclass(frozen=True, slots=True)
class QueueSetAside:
    """The SetAside over one queue."""

    send: Send
    queue: str

    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        """`{"record_id", "scopes"}`, as `…aws_lambda.events.stream` takes it back."""
        self.send(self.queue, compact_json({kind: source_id, "scopes": list(scopes)}), 0)


@dataclass(frozen=True, slots=True)
class QueueTellReason:
    """The TellReason over one queue."""

    send: Send
    queue: str

    def __call__(self, message: JsonObject, delay_s: int) -> None:
        """As `membrane.adapters.aws_lambda.events.reasoning` takes it."""
        self.send(self.queue, compact_json(message), delay_s)
