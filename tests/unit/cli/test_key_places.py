"""What the API of a deployed stack remembers of its keys."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from membrane.domain.language.errors import Unavailable
from membrane_cli.keys import keys_of_table, reset_authorizer
from membrane_cli.stacks import DeployedStack


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
    def refuse() -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "ResetAuthorizersCache")

    keys = replace(keys_of_table("absent", "http://127.0.0.1:1"), forget_answers=refuse)

    with pytest.raises(Unavailable, match="the key has changed, but the API may go by the former"):
        keys.take_effect()


def test_the_keys_of_a_table_alone_have_no_api_to_tell() -> None:
    keys_of_table("absent", "http://127.0.0.1:1").take_effect()
