"""Dead letters of SQS: the wanted go, all others stay."""

from typing import TYPE_CHECKING, cast

import botocore.session
import pytest
from moto import mock_aws

from membrane.adapters.messaging import SqsDeadLetters
from membrane.domain.language.errors import Unavailable
from membrane.wiring import clients

if TYPE_CHECKING:
    from collections.abc import Iterator

    from types_boto3_sqs import SQSClient


@pytest.fixture
def client() -> "Iterator[SQSClient]":
    with mock_aws():
        made = botocore.session.get_session().create_client("sqs", config=clients.CLIENT_CONFIG)
        yield cast("SQSClient", made)


def test_wanted_messages_go_and_the_others_can_be_received_again(client: "SQSClient") -> None:
    queues = [client.create_queue(QueueName=name)["QueueUrl"] for name in ("one", "two")]
    for queue in queues:
        for number in range(13):
            body = f"{'wanted' if number % 3 == 0 else 'other'} {number}"
            client.send_message(QueueUrl=queue, MessageBody=body)

    removed = SqsDeadLetters(lambda: client, queues).remove_where(
        lambda body: body.startswith("wanted")
    )

    assert len(set(removed)) == 10
    for queue in queues:
        left = [
            message["Body"]
            for _ in range(3)
            for message in client.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get(
                "Messages", []
            )
        ]
        assert sorted(left) == sorted(f"other {n}" for n in range(13) if n % 3)


def test_no_queue_means_no_request(client: "SQSClient") -> None:
    assert SqsDeadLetters(lambda: client, ()).remove_where(lambda _: True) == []


def test_an_absent_queue_is_an_error_of_ours(client: "SQSClient") -> None:
    queue = client.create_queue(QueueName="one")["QueueUrl"]
    client.delete_queue(QueueUrl=queue)

    with pytest.raises(Unavailable):
        SqsDeadLetters(lambda: client, [queue]).remove_where(lambda _: True)
