"""Functions, executions and messages: started or sent once, and nobody waits."""

from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ConnectTimeoutError
from botocore.stub import Stubber

from membrane.adapters.messaging import hide_message, invoke, send_capture, start_execution
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import compact_json

QUEUE = "https://sqs.eu-central-1.amazonaws.com/111122223333/captures"
MACHINE = "arn:aws:states:eu-central-1:000000000000:stateMachine:Study"
INPUT = {"study": {"id": "ä", "attempt": 1}}


def client_of(service: str) -> Any:
    return botocore.session.get_session().create_client(service, region_name="eu-central-1")


def test_an_invocation_is_asynchronous_and_carries_the_event() -> None:
    client = client_of("lambda")
    event = {"detail": {"object": {"key": "imports/ä.ndjson"}}}
    expected = {
        "FunctionName": "importing",
        "InvocationType": "Event",
        "Payload": compact_json(event).encode(),
    }

    with Stubber(client) as stubber:
        stubber.add_response("invoke", {"StatusCode": 202}, expected)
        invoke(client, "importing", event)

        stubber.assert_no_pending_responses()


def test_a_function_that_lambda_does_not_start_is_unavailable() -> None:
    client = client_of("lambda")
    with Stubber(client) as stubber:
        stubber.add_client_error("invoke", "TooManyRequestsException")

        with pytest.raises(Unavailable, match="could not be started"):
            invoke(client, "importing", {})


def test_a_capture_is_sent_by_id_and_version_after_a_delay() -> None:
    sent: list[tuple[str, str, int]] = []

    send_capture(lambda *message: sent.append(message), QUEUE, "a", 2, 900)

    assert sent == [(QUEUE, '{"record_id":"a","version":2}', 900)]


def test_a_message_is_hidden_by_its_receipt() -> None:
    client = client_of("sqs")
    expected = {"QueueUrl": QUEUE, "ReceiptHandle": "receipt", "VisibilityTimeout": 600}

    with Stubber(client) as stubber:
        stubber.add_response("change_message_visibility", {}, expected)
        hide_message(lambda: client, QUEUE, "receipt", 600)

        stubber.assert_no_pending_responses()


def test_a_queue_that_refuses_to_hide_a_message_is_unavailable() -> None:
    client = client_of("sqs")
    with Stubber(client) as stubber:
        stubber.add_client_error("change_message_visibility", "ReceiptHandleIsInvalid")

        with pytest.raises(Unavailable, match="did not hold a message back"):
            hide_message(lambda: client, QUEUE, "receipt", 600)


def test_an_execution_has_the_name_and_the_input() -> None:
    client = client_of("stepfunctions")
    expected = {
        "stateMachineArn": MACHINE,
        "name": "ä-1",
        "input": '{"study":{"id":"ä","attempt":1}}',
    }
    started = {"executionArn": f"{MACHINE}:1", "startDate": 1}

    with Stubber(client) as stubber:
        stubber.add_response("start_execution", started, expected)
        start_execution(client, MACHINE, "ä-1", INPUT)

        stubber.assert_no_pending_responses()


def test_an_execution_that_there_is_already_is_no_error() -> None:
    client = client_of("stepfunctions")
    with Stubber(client) as stubber:
        stubber.add_client_error("start_execution", "ExecutionAlreadyExists")

        start_execution(client, MACHINE, "name", INPUT)

        stubber.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["ThrottlingException", "StateMachineDoesNotExist"])
def test_an_execution_that_is_not_started_is_unavailable(code: str) -> None:
    client = client_of("stepfunctions")
    with Stubber(client) as stubber:
        stubber.add_client_error("start_execution", code)

        with pytest.raises(Unavailable, match="could not be started"):
            start_execution(client, MACHINE, "name", INPUT)


def test_step_functions_out_of_reach_is_unavailable() -> None:
    class Unreachable:
        def start_execution(self, **_: Any) -> Any:
            raise ConnectTimeoutError(endpoint_url="https://states")

    with pytest.raises(Unavailable, match="could not be started"):
        start_execution(Unreachable(), MACHINE, "name", INPUT)
