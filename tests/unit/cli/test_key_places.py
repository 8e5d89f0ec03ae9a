"""What the API of a deployed stack remembers of its keys."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import boto3
from botocore.stub import Stubber

from membrane_cli.keys import reset_authorizer
from membrane_cli.stacks import DeployedStack
from tests.worlds.refusals import refuses


def test_a_changed_key_counts_at_once_for_the_stacks_api() -> None:
    resource = {
        "LogicalResourceId": "HttpApi",
        "PhysicalResourceId": "api-1",
        "ResourceType": "AWS::ApiGatewayV2::Api",
        "LastUpdatedTimestamp": datetime(2026, 11, 21, tzinfo=UTC),
        "ResourceStatus": "CREATE_COMPLETE",
    }
    cloudformation: Any = boto3.client("cloudformation", region_name="eu-central-1")
    gateway: Any = boto3.client("apigatewayv2", region_name="eu-central-1")
    with Stubber(cloudformation) as listed, Stubber(gateway) as api:
        listed.add_response("list_stack_resources", {"StackResourceSummaries": [resource]})
        asked = {"ApiId": "api-1", "StageName": "$default"}
        api.add_response("reset_authorizers_cache", {}, asked)

        reset_authorizer(DeployedStack("memory", cloudformation), gateway)

        api.assert_no_pending_responses()


def test_a_key_that_counts_later_is_told_of() -> None:
    gateway: Any = boto3.client("apigatewayv2", region_name="eu-central-1")
    stack: Any = SimpleNamespace(resource=lambda _: "api-1")

    with Stubber(gateway) as api:
        api.add_client_error("reset_authorizers_cache", "AccessDeniedException")
        with refuses("UNAVAILABLE", match="the key has changed, but the API may go by the"):
            reset_authorizer(stack, gateway)
