"""Messages with captures are sent after a delay, and held back by their receipt."""

from typing import Any

import botocore.session
import pytest
from botocore.stub import Stubber

from membrane.adapters.messaging.sqs import hide_message, send_capture
from membrane.domain.language.errors import Unavailable

QUEUE = "https://sqs.eu-central-1.amazonaws.com/111122223333/captures"


@pytest.fixture
def client() -> Any:
    session = botocore.session.get_session()
    return session.create_client("sqs", region_name="eu-central-1")


def test_a_capture_is_sent_by_id_and_version_after_a_delay() -> None:
    sent: list[tuple[str, str, int]] = []

    send_capture(lambda *message: sent.append(message), QUEUE, "a", 2, 900)

    assert sent == [(QUEUE, '{"record_id":"a","version":2}', 900)]


def test_a_message_is_hidden_by_its_receipt(client: Any) -> None:
    expected = {"QueueUrl": QUEUE, "ReceiptHandle": "receipt", "VisibilityTimeout": 600}

    with Stubber(client) as stubber:
        stubber.add_response("change_message_visibility", {}, expected)
        hide_message(lambda: client, QUEUE, "receipt", 600)

        stubber.assert_no_pending_responses()


def test_a_queue_that_refuses_to_hide_a_message_is_unavailable(client: Any) -> None:
    with Stubber(client) as stubber:
        stubber.add_client_error("change_message_visibility", "ReceiptHandleIsInvalid")

        with pytest.raises(Unavailable, match="did not hold a message back"):
            hide_message(lambda: client, QUEUE, "receipt", 600)
