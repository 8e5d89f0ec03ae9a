"""A function is started with its event, and nobody waits for it."""

from typing import Any

import botocore.session
from botocore.stub import Stubber

from membrane.adapters.messaging.invoking import invoke
from membrane.domain.language.json_text import compact_json


def test_an_invocation_is_asynchronous_and_carries_the_event() -> None:
    client: Any = botocore.session.get_session().create_client("lambda")
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
