"""An execution is started once by its name, and nobody waits for its end."""

from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ConnectTimeoutError
from botocore.stub import Stubber

from membrane.adapters.messaging.invoking import start_execution
from membrane.domain.language.errors import Unavailable

MACHINE = "arn:aws:states:eu-central-1:000000000000:stateMachine:Study"
INPUT = {"study": {"id": "ä", "attempt": 1}}


@pytest.fixture
def client() -> Any:
    return botocore.session.get_session().create_client("stepfunctions", region_name="eu-central-1")


def test_an_execution_has_the_name_and_the_input(client: Any) -> None:
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


def test_an_execution_that_there_is_already_is_no_error(client: Any) -> None:
    with Stubber(client) as stubber:
        stubber.add_client_error("start_execution", "ExecutionAlreadyExists")

        start_execution(client, MACHINE, "name", INPUT)

        stubber.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["ThrottlingException", "StateMachineDoesNotExist"])
def test_an_execution_that_is_not_started_is_unavailable(client: Any, code: str) -> None:
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
