"""Deployed stacks and their resources, and the functions of a stack, which a command may ask."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import ClientError
from rich.console import Console

from membrane.domain.language.errors import DomainError, NotFound, ResourceExhausted, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane_cli.http_client import HttpClient
from membrane_cli.options import local_stack
from membrane_cli.output import show_line

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_lambda import LambdaClient


@dataclass(frozen=True)
class DeployedStack:
    """A stack by its name, whether or not it exists; without it, every look raises NotFound."""

    name: str
    cloudformation: "CloudFormationClient"

    def resource(self, logical_id: str) -> str:
        for resources in self._resources_by_type.values():
            if logical_id in resources:
                return resources[logical_id]
        raise NotFound(f"the stack {self.name} has no resource {logical_id}")

    @property
    def table(self) -> str:
        try:
            return self.resource("Table")
        except NotFound:
            if named := self.parameters.get("TableName"):
                return named
            raise

    @property
    def api_url(self) -> str:
        outputs = self._describe("Outputs", "OutputKey", "OutputValue")
        if "ApiUrl" not in outputs:
            raise NotFound(f"the stack {self.name} has no output ApiUrl")
        return outputs["ApiUrl"]

    @property
    def parameters(self) -> Mapping[str, str]:
        return self._describe("Parameters", "ParameterKey", "ParameterValue")

    @property
    def tags(self) -> Mapping[str, str]:
        return self._describe("Tags", "Key", "Value")

    def _describe(self, part: str, key: str, value: str) -> Mapping[str, str]:
        with _existing():
            described: Any = self.cloudformation.describe_stacks(StackName=self.name)
        (stack,) = described["Stacks"]
        return {each[key]: each[value] for each in stack.get(part, ())}

    def resources(self, resource_type: str) -> Mapping[str, str]:
        return self._resources_by_type.get(resource_type, {})

    @cached_property
    def _resources_by_type(self) -> Mapping[str, Mapping[str, str]]:
        """Physical ids by type and logical id, without resources that are to come or gone."""
        gone = ("DELETE_COMPLETE", "DELETE_SKIPPED")  # skipped: kept by the template's policy
        found: dict[str, dict[str, str]] = {}
        pages = self.cloudformation.get_paginator("list_stack_resources")
        with _existing():
            for page in pages.paginate(StackName=self.name):
                for resource in page["StackResourceSummaries"]:
                    if "PhysicalResourceId" in resource and resource["ResourceStatus"] not in gone:
                        of_type = found.setdefault(resource["ResourceType"], {})
                        of_type[resource["LogicalResourceId"]] = resource["PhysicalResourceId"]
        return found


@contextmanager
def _existing() -> Iterator[None]:
    """Raises NotFound in CloudFormation's words where no stack has the name."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        raise NotFound(error.response["Error"]["Message"]) from error


def stack_here(name: str) -> DeployedStack:
    import boto3  # noqa: PLC0415 - a local stack needs no client

    return DeployedStack(name, boto3.client("cloudformation"))


PAUSES_S = (1, 2, 4, 8, 16, 32, *[60] * 14)
"""Seconds before each further attempt at a step; an embedder's quota is counted by the minute."""
Pause = Callable[[float], None]
Ask = Callable[[JsonObject], JsonObject]
"""A function of a stack: the answer to an event.

Raises DomainError with the function's message for a failure, ResourceExhausted or Unavailable for
a failure that may pass.
"""


def function_of(options: argparse.Namespace, logical_id: str, longest_s: int) -> Ask:
    """A function of the chosen stack, which answers within `longest_s`; raises NotFound."""
    client = local_stack(options)
    if client is not None:
        return local_function(client, logical_id)
    return deployed_function(stack_here(options.stack), logical_id, longest_s)


def local_function(client: HttpClient, logical_id: str) -> Ask:
    def ask(event: JsonObject) -> JsonObject:
        answer = client.call("POST", f"/_dev/invoke/{logical_id}", event)
        if answer.status != HTTPStatus.OK:
            raise client.failure(answer)
        return _result(answer.body, failed="x-amz-function-error" in answer.headers)

    return ask


def deployed_function(stack: DeployedStack, logical_id: str, longest_s: int) -> Ask:
    import boto3  # noqa: PLC0415 - few commands need it

    # a retry before the end of an invocation would run the function twice at once
    waiting = Config(read_timeout=longest_s, retries={"total_max_attempts": 1})
    return partial(invoke, boto3.client("lambda", config=waiting), stack.resource(logical_id))


def invoke(client: "LambdaClient", name: str, event: JsonObject) -> JsonObject:
    """The answer of a deployed function; raises the errors of Ask."""
    try:
        reply = client.invoke(FunctionName=name, Payload=compact_json(event).encode())
    except (
        client.exceptions.TooManyRequestsException,
        client.exceptions.ServiceException,
    ) as error:
        raise Unavailable("Lambda does not start the function now") from error
    return _result(parse_json(reply["Payload"].read()), failed="FunctionError" in reply)


def _result(reply: Any, *, failed: bool) -> JsonObject:
    if not failed and isinstance(reply, dict):
        return dict(reply)
    kind = reply.get("errorType") if isinstance(reply, dict) else None
    match reply:
        case {"errorMessage": str(words)} | {"detail": str(words)} | {"message": str(words)}:
            reason = words
        case _:
            reason = "the function failed without a reason"
    passing = {refusal.__name__: refusal for refusal in (ResourceExhausted, Unavailable)}
    raise passing.get(str(kind), DomainError)(reason)


def ask_again(ask: Ask, event: JsonObject, console: Console, pause: Pause) -> JsonObject:
    """The answer, after passing failures to a repeated event; raises the last of too many."""
    for pause_s in PAUSES_S:
        try:
            return ask(event)
        except (ResourceExhausted, Unavailable) as error:
            show_line(console, f"{error}; the next try is in {pause_s} s")
            pause(pause_s)
    return ask(event)
