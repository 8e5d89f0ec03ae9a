"""The dead letters of SQS."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

TOGETHER = 10
"""Messages of one ReceiveMessage at most (AWS)."""

HIDDEN_S = 120
"""Seconds for which a received message stays hidden, so that SQS gives further messages."""

MOST = 100_000
"""Messages of a queue to look at in a run: more come back while the run reads."""

WAIT_S = 1
"""Seconds to wait for a message: with a wait, SQS asks all servers of the queue."""


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
        with _translating_errors():
            return not any(self._count_hidden(queue) for queue in self.queues)

    def _count_hidden(self, queue: str) -> int:
        name: Final = "ApproximateNumberOfMessagesNotVisible"
        reply = self.client().get_queue_attributes(QueueUrl=queue, AttributeNames=[name])
        return int(reply["Attributes"][name])

    def _remove_from(self, queue: str, is_wanted: Callable[[str], bool]) -> Iterator[str]:
        with _translating_errors():
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
        """Every visible message of the queue, once."""
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


@contextmanager
def _translating_errors() -> Iterator[None]:
    try:
        yield
    except (ClientError, HTTPClientError, NoConnection) as error:
        raise Unavailable("the queue did not answer") from error
