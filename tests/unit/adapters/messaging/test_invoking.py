"""A function is started with its event, and nobody waits for it."""

from typing import Any

import botocore.session
import pytest
from botocore.stub import Stubber

from membrane.adapters.messaging.invoking import invoke
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import compact_json


@pytest.fixture
def client() -> Any:
    return botocore.session.get_session().create_client("lambda", region_name="eu-central-1")


def test_an_invocation_is_asynchronous_and_carries_the_event(client: Any) -> None:
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


def test_a_function_that_lambda_does_not_start_is_unavailable(client: Any) -> None:
    with Stubber(client) as stubber:
        stubber.add_client_error("invoke", "TooManyRequestsException")

        with pytest.raises(Unavailable, match="could not be started"):
            invoke(client, "importing", {})
