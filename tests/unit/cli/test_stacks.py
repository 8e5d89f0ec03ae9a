"""Where a deployed stack's resources are found: in CloudFormation's list, by logical id."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from membrane_cli.stacks import DeployedStack
from tests.worlds.refusals import refuses

UPDATED = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def answers() -> Iterator[Stubber]:
    """CloudFormation's answers; a test asks for all of them."""
    with Stubber(boto3.client("cloudformation", region_name="eu-central-1")) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def stack(answers: Stubber) -> DeployedStack:
    client: Any = answers.client  # typed as a client of any service
    return DeployedStack("memory", client)


def a_resource(logical_id: str, resource_type: str, physical_id: str | None) -> dict[str, Any]:
    named = {} if physical_id is None else {"PhysicalResourceId": physical_id}
    return {
        "LogicalResourceId": logical_id,
        "ResourceType": resource_type,
        "LastUpdatedTimestamp": UPDATED,
        "ResourceStatus": "CREATE_COMPLETE",
        **named,
    }


def answer_in_pages(answers: Stubber, *resources: dict[str, Any]) -> None:
    for number, resource in enumerate(resources):
        asked = {"StackName": "memory", **({"NextToken": str(number)} if number else {})}
        last = number == len(resources) - 1
        more = {} if last else {"NextToken": str(number + 1)}
        reply = {"StackResourceSummaries": [resource], **more}
        answers.add_response("list_stack_resources", reply, asked)


def test_a_resource_is_found_on_any_page_by_its_logical_id(
    answers: Stubber, stack: DeployedStack
) -> None:
    answer_in_pages(
        answers,
        a_resource("HttpApi", "AWS::ApiGatewayV2::Api", "api-1"),
        a_resource("Table", "AWS::DynamoDB::Table", "memory-Table-1"),
    )

    assert stack.resource("Table") == "memory-Table-1"
    assert stack.resource("HttpApi") == "api-1"


def test_resources_of_a_type_have_their_physical_ids_by_logical_ids(
    answers: Stubber, stack: DeployedStack
) -> None:
    answer_in_pages(
        answers,
        a_resource("IndexQueue", "AWS::SQS::Queue", "https://sqs/index"),
        a_resource("Table", "AWS::DynamoDB::Table", "memory-Table-1"),
        a_resource("TopicQueue", "AWS::SQS::Queue", None),
    )

    assert stack.resources("AWS::SQS::Queue") == {"IndexQueue": "https://sqs/index"}
    assert stack.resources("AWS::Lambda::Function") == {}


def test_a_stack_without_that_resource_is_told_of(answers: Stubber, stack: DeployedStack) -> None:
    answer_in_pages(answers, a_resource("Table", "AWS::DynamoDB::Table", None))

    with refuses("NOT_FOUND", match=r"^the stack memory has no resource Table$"):
        stack.resource("Table")


def test_a_stack_that_does_not_exist_is_told_of(answers: Stubber, stack: DeployedStack) -> None:
    answers.add_client_error(
        "list_stack_resources", "ValidationError", "Stack with id memory does not exist", 400
    )

    with refuses("NOT_FOUND", match=r"^Stack with id memory does not exist$"):
        stack.resource("Table")


def test_a_refusal_stays_what_it_is(answers: Stubber, stack: DeployedStack) -> None:
    answers.add_client_error("list_stack_resources", "AccessDenied", "not yours", 403)

    with pytest.raises(ClientError, match=r"not yours"):
        stack.resource("Table")


def describe_with(answers: Stubber, table: str) -> None:
    described = {
        "StackName": "memory",
        "CreationTime": UPDATED,
        "StackStatus": "UPDATE_COMPLETE",
        "Parameters": [{"ParameterKey": "TableName", "ParameterValue": table}],
    }
    answers.add_response("describe_stacks", {"Stacks": [described]}, {"StackName": "memory"})


def test_the_table_of_a_stack_over_an_existing_table_is_the_parameters(
    answers: Stubber, stack: DeployedStack
) -> None:
    left = {
        **a_resource("Table", "AWS::DynamoDB::Table", "own"),
        "ResourceStatus": "DELETE_SKIPPED",
    }
    answer_in_pages(answers, left)
    describe_with(answers, "restored")

    assert stack.table == "restored"


def test_the_own_table_needs_no_parameter(answers: Stubber, stack: DeployedStack) -> None:
    answer_in_pages(answers, a_resource("Table", "AWS::DynamoDB::Table", "own"))

    assert stack.table == "own"


def test_a_stack_without_a_table_is_refused(answers: Stubber, stack: DeployedStack) -> None:
    answer_in_pages(answers, a_resource("Bucket", "AWS::S3::Bucket", "bucket"))
    describe_with(answers, "")

    with refuses("NOT_FOUND", match="no resource Table"):
        assert stack.table


def test_the_address_of_the_api_is_an_output(answers: Stubber, stack: DeployedStack) -> None:
    output = {"OutputKey": "ApiUrl", "OutputValue": "https://api.example"}
    for outputs in ([output], []):
        described = {
            "StackName": "memory",
            "CreationTime": UPDATED,
            "StackStatus": "UPDATE_COMPLETE",
        }
        reply = {"Stacks": [{**described, "Outputs": outputs}]}
        answers.add_response("describe_stacks", reply, {"StackName": "memory"})

    assert stack.api_url == "https://api.example"
    with refuses("NOT_FOUND", match="the stack memory has no output ApiUrl"):
        assert stack.api_url


def test_parameters_and_tags_are_those_of_the_last_deployment(
    answers: Stubber, stack: DeployedStack
) -> None:
    described = {
        "StackName": "memory",
        "CreationTime": UPDATED,
        "StackStatus": "UPDATE_COMPLETE",
        "Parameters": [{"ParameterKey": "RankShards", "ParameterValue": "4"}],
        "Tags": [{"Key": "team", "Value": "memory"}],
    }
    for _ in range(2):
        answers.add_response("describe_stacks", {"Stacks": [described]}, {"StackName": "memory"})

    assert stack.parameters == {"RankShards": "4"}
    assert stack.tags == {"team": "memory"}


def test_a_stack_that_does_not_exist_has_no_parameters(
    answers: Stubber, stack: DeployedStack
) -> None:
    answers.add_client_error("describe_stacks", "ValidationError", "Stack does not exist", 400)

    with refuses("NOT_FOUND", match=r"^Stack does not exist$"):
        assert stack.parameters
