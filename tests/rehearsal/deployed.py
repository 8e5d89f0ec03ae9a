"""A deployed stack, as its operator reaches it."""

import json
import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3

from membrane_client import Membrane
from tests.e2e.stack import MEMBRANE

REGION = "us-east-1"


@dataclass(frozen=True)
class Deployed:
    """The stack of a name, in the account at an address."""

    name: str
    endpoint: str

    def client(self, service: str) -> Any:
        """A client of AWS, with the rights of the account's owner."""
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            verify=os.environ["SSL_CERT_FILE"],
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",
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

    def invoke(self, logical_id: str, event: Any) -> Any:
        """The reply of a function to an event."""
        reply = self.client("lambda").invoke(
            FunctionName=self.of_type("Lambda::Function")[logical_id], Payload=json.dumps(event)
        )
        answer = json.loads(reply["Payload"].read())
        assert "FunctionError" not in reply, f"{logical_id}: {answer}"
        return answer

    @cached_property
    def secret(self) -> str:
        """An API key with every right."""
        aws = {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_CA_BUNDLE": os.environ["SSL_CERT_FILE"],
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        rights = [f"--permission={each}" for each in ("ingest", "read", "revise", "admin")]
        rights += ["--scope=*", "--max-sensitivity=hyper"]
        done = subprocess.run(
            [MEMBRANE, "keys", "create", "--stack", self.name, "--actor", "operator", *rights],
            capture_output=True, text=True, check=True, env=os.environ | aws,
        )  # fmt: skip
        return done.stdout.splitlines()[-1]

    @cached_property
    def memory(self) -> Membrane:
        """The Python client."""
        return Membrane(self.outputs["ApiUrl"], self.secret)
