"""What the commands ask a deployed stack for."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from membrane.domain.language.errors import NotFound, Unavailable
from membrane_cli.keys.places import keys_of_table, output_of_stack, reset_authorizer

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


# --- what an API remembers of keys ---------------------------------------------------------------


def test_a_changed_key_counts_at_once_for_the_stacks_api(answers: Stubber) -> None:
    resource = {
        "LogicalResourceId": "HttpApi",
        "PhysicalResourceId": "api-1",
        "ResourceType": "AWS::ApiGatewayV2::Api",
        "LastUpdatedTimestamp": datetime(2026, 11, 21, tzinfo=UTC),
        "ResourceStatus": "CREATE_COMPLETE",
    }
    answers.add_response(
        "describe_stack_resource",
        {"StackResourceDetail": resource},
        {"StackName": "memory", "LogicalResourceId": "HttpApi"},
    )
    gateway: Any = boto3.client("apigatewayv2")
    with Stubber(gateway) as api:
        asked = {"ApiId": "api-1", "StageName": "$default"}
        api.add_response("reset_authorizers_cache", {}, asked)
        client: Any = answers.client

        reset_authorizer("memory", client, gateway)

        api.assert_no_pending_responses()


def test_a_key_that_counts_later_is_told_of() -> None:
    def refuse() -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "ResetAuthorizersCache")

    keys = replace(keys_of_table("absent", "http://127.0.0.1:1"), forget_answers=refuse)

    with pytest.raises(Unavailable, match="the key has changed, but the API may go by the former"):
        keys.take_effect()


def test_the_keys_of_a_table_alone_have_no_api_to_tell() -> None:
    keys_of_table("absent", "http://127.0.0.1:1").take_effect()
