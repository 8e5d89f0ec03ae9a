"""What the commands ask a deployed stack for."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from membrane.domain.language.errors import NotFound
from membrane_cli.keys.places import output_of_stack

ASKED = {"StackName": "memory"}
STACK: dict[str, Any] = {
    "StackName": "memory",
    "StackStatus": "CREATE_COMPLETE",
    "CreationTime": datetime(2026, 11, 21, tzinfo=UTC),
}


@pytest.fixture
def answers() -> Iterator[Stubber]:
    """What a client is told; all of it is asked for."""
    with Stubber(boto3.client("cloudformation")) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def table_name(answers: Stubber) -> str:
    client: Any = answers.client  # typed as a client of any service
    return output_of_stack("memory", "TableName", client)


def test_an_output_is_found_by_its_name(answers: Stubber) -> None:
    outputs = [
        {"OutputKey": "ApiUrl", "OutputValue": "https://api.example"},
        {"OutputKey": "TableName", "OutputValue": "memory-Table-1"},
    ]
    answers.add_response("describe_stacks", {"Stacks": [STACK | {"Outputs": outputs}]}, ASKED)

    found = table_name(answers)

    assert found == "memory-Table-1"


def test_a_stack_without_that_output_is_told_of(answers: Stubber) -> None:
    answers.add_response("describe_stacks", {"Stacks": [STACK]}, ASKED)

    with pytest.raises(NotFound, match=r"^the stack memory has no output TableName$"):
        table_name(answers)


def test_a_stack_that_does_not_exist_is_told_of(answers: Stubber) -> None:
    answers.add_client_error(
        "describe_stacks", "ValidationError", "Stack with id memory does not exist", 400
    )

    with pytest.raises(NotFound, match=r"^Stack with id memory does not exist$"):
        table_name(answers)


def test_a_refusal_stays_what_it_is(answers: Stubber) -> None:
    answers.add_client_error("describe_stacks", "AccessDenied", "not yours", 403)

    with pytest.raises(ClientError, match=r"not yours"):
        table_name(answers)
