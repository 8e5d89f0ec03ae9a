"""A deployed stack, as its operator reaches it."""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3

from membrane_client import Membrane
from tests.rehearsal.terminal import OWNER, Terminal


@dataclass(frozen=True)
class Deployed:
    """The stack of a name, in the account at an address."""

    name: str
    endpoint: str
    terminal: Terminal

    def client(self, service: str) -> Any:
        """A client of AWS, with the rights of the account's owner."""
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            verify=os.environ["SSL_CERT_FILE"],
            region_name="us-east-1",
            **OWNER,
        )

    @property
    def resources(self) -> list[dict[str, str]]:
        """The resources, as CloudFormation lists them."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        found = pages.paginate(StackName=self.name)
        return [each for page in found for each in page["StackResourceSummaries"]]

    def of_type(self, kind: str) -> dict[str, str]:
        """Physical ids of the resources of a type, by logical id."""
        return {
            each["LogicalResourceId"]: each["PhysicalResourceId"]
            for each in self.resources
            if each["ResourceType"] == f"AWS::{kind}"
        }

    @property
    def outputs(self) -> dict[str, str]:
        (stack,) = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    def invoke(self, function: str, event: Any) -> Any:
        """The reply of a function, by name or ARN, to an event."""
        reply = self.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event))
        answer = json.loads(reply["Payload"].read())
        assert "FunctionError" not in reply, f"{function}: {answer}"
        return answer

    @cached_property
    def secret(self) -> str:
        """An API key with every right."""
        return self.key("operator")

    def key(self, actor: str, variables: str = "") -> str:
        """A new API key of an actor, with every right; `variables` stand before the command."""
        rights = [f"--permission {each}" for each in ("ingest", "read", "revise", "admin")]
        made = f"{variables} .venv/bin/membrane keys create --stack {self.name} --actor {actor}"
        rights += ["--scope '*'", "--max-sensitivity hyper"]
        return self.terminal.run(f"{made} {' '.join(rights)}").splitlines()[-1]

    @cached_property
    def memory(self) -> Membrane:
        """The Python client."""
        return Membrane(self.outputs["ApiUrl"], self.secret)
