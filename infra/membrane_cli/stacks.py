"""Deployed stacks: the resources of each, by their logical ids in the template."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from membrane.domain.language.errors import NotFound

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

TABLE, TABLE_PARAMETER = "Table", "TableName"
"""The logical id of the own table, and the parameter that names an existing table."""

API_URL = "ApiUrl"
"""The output with the address of the API."""

GONE = ("DELETE_COMPLETE", "DELETE_SKIPPED")
"""Statuses of a resource that left the stack: deleted, or kept outside by the template's policy."""


@dataclass(frozen=True)
class DeployedStack:
    """A CloudFormation stack, listed once."""

    name: str
    cloudformation: "CloudFormationClient"

    def resource(self, logical_id: str) -> str:
        """The physical id of one resource; raises NotFound."""
        for resources in self._resources_by_type.values():
            if logical_id in resources:
                return resources[logical_id]
        raise NotFound(f"the stack {self.name} has no resource {logical_id}")

    @property
    def table(self) -> str:
        """The name of the stack's table, own or existing; raises NotFound."""
        try:
            return self.resource(TABLE)
        except NotFound:
            (described,) = self.cloudformation.describe_stacks(StackName=self.name)["Stacks"]
            for each in described.get("Parameters", []):
                if each["ParameterKey"] == TABLE_PARAMETER and each["ParameterValue"]:
                    return each["ParameterValue"]
            raise

    @property
    def api_url(self) -> str:
        """The address of the stack's API; raises NotFound."""
        (described,) = self.cloudformation.describe_stacks(StackName=self.name)["Stacks"]
        for each in described.get("Outputs", []):
            if each["OutputKey"] == API_URL:
                return each["OutputValue"]
        raise NotFound(f"the stack {self.name} has no output {API_URL}")

    def resources(self, resource_type: str) -> Mapping[str, str]:
        """Physical ids by logical ids; raises NotFound for a stack that does not exist."""
        return self._resources_by_type.get(resource_type, {})

    @cached_property
    def _resources_by_type(self) -> Mapping[str, Mapping[str, str]]:
        """Physical ids by type and logical id, without resources that are to come or gone."""
        found: dict[str, dict[str, str]] = {}
        pages = self.cloudformation.get_paginator("list_stack_resources")
        try:
            for page in pages.paginate(StackName=self.name):
                for resource in page["StackResourceSummaries"]:
                    if "PhysicalResourceId" in resource and resource["ResourceStatus"] not in GONE:
                        of_type = found.setdefault(resource["ResourceType"], {})
                        of_type[resource["LogicalResourceId"]] = resource["PhysicalResourceId"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "ValidationError":
                raise
            raise NotFound(error.response["Error"]["Message"]) from error
        return found


def stack_here(name: str) -> DeployedStack:
    """The stack with the name in the environment's account and Region."""
    import boto3  # noqa: PLC0415 - a local stack needs no client

    return DeployedStack(name, boto3.client("cloudformation"))
