"""Where dead letters lie: in the queues of a deployed stack, or of a running local one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from membrane.domain.errors import NotFound
from membrane_local.event_sources import QUEUE
from membrane_local.http_client import HttpClient
from membrane_local.redrive import DeadLetter, DeadLetters, function_name

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_sqs import SQSClient

FUNCTION = "AWS::Lambda::Function"
BATCH = 10
"""Messages that one receipt takes at most."""


@dataclass(frozen=True)
class DeployedStack:
    """A CloudFormation stack, its queues and its functions."""

    name: str
    cloudformation: "CloudFormationClient"
    sqs: "SQSClient"
    functions: "LambdaClient"
    wait_s: int = 2
    """SQS asks all of its servers only if it may take its time."""
    hidden_s: int = 120
    """For how long a message is ours, once received."""

    def dead_letters(self) -> Sequence[DeadLetters]:
        """Queues that others name as theirs, and queues that have none themselves."""
        attributes = {name: self._attributes(url) for name, url in self._queues.items()}
        sources = {
            json.loads(found["RedrivePolicy"])["deadLetterTargetArn"]: name
            for name, found in attributes.items()
            if "RedrivePolicy" in found
        }
        return [
            DeadLetters(
                name, sources.get(found["QueueArn"]), int(found["ApproximateNumberOfMessages"])
            )
            for name, found in attributes.items()
            if "RedrivePolicy" not in found
        ]

    def letters(self, queue: DeadLetters) -> Iterator[DeadLetter]:
        """Messages, until there are none that were not seen."""
        seen: set[str] = set()
        while True:
            received = self.sqs.receive_message(
                QueueUrl=self._queues[queue.name],
                MaxNumberOfMessages=BATCH,
                VisibilityTimeout=self.hidden_s,
                WaitTimeSeconds=self.wait_s,
                MessageAttributeNames=["All"],
            )
            new = [
                message
                for message in received.get("Messages", [])
                if message["MessageId"] not in seen
            ]
            if not new:
                return
            for message in new:
                seen.add(message["MessageId"])
                yield DeadLetter(
                    message["MessageId"],
                    message["Body"],
                    {
                        name: attribute.get("StringValue", "")
                        for name, attribute in message.get("MessageAttributes", {}).items()
                    },
                    message["ReceiptHandle"],
                )

    def send(self, queue: str, body: str) -> None:
        """See Place."""
        self.sqs.send_message(QueueUrl=self._queues[queue], MessageBody=body)

    def invoke(self, function_arn: str, event: str) -> None:
        """See Place."""
        name = function_name(function_arn)
        if name not in self._resources[FUNCTION].values():
            raise NotFound(f"the stack has no function {name}")
        self.functions.invoke(FunctionName=name, InvocationType="Event", Payload=event.encode())

    def delete(self, queue: DeadLetters, letter: DeadLetter) -> None:
        """See Place."""
        self.sqs.delete_message(QueueUrl=self._queues[queue.name], ReceiptHandle=letter.receipt)

    @property
    def _queues(self) -> Mapping[str, str]:
        """Addresses by logical id."""
        return self._resources[QUEUE]

    @cached_property
    def _resources(self) -> Mapping[str, Mapping[str, str]]:
        """Physical by logical id, by type."""
        found: dict[str, dict[str, str]] = {QUEUE: {}, FUNCTION: {}}
        pages = self.cloudformation.get_paginator("list_stack_resources").paginate(
            StackName=self.name
        )
        for page in pages:
            for resource in page["StackResourceSummaries"]:
                if resource["ResourceType"] in found:
                    physical_id = resource.get("PhysicalResourceId", "")
                    found[resource["ResourceType"]][resource["LogicalResourceId"]] = physical_id
        return found

    def _attributes(self, url: str) -> Mapping[str, str]:
        asked = self.sqs.get_queue_attributes(
            QueueUrl=url,
            AttributeNames=["QueueArn", "RedrivePolicy", "ApproximateNumberOfMessages"],
        )
        return {str(name): value for name, value in asked["Attributes"].items()}


def deployed_stack(name: str) -> DeployedStack:
    """A stack in the environment's account and Region."""
    import boto3  # noqa: PLC0415 - only this command needs it

    session = boto3.Session()
    return DeployedStack(
        name, session.client("cloudformation"), session.client("sqs"), session.client("lambda")
    )


@dataclass(frozen=True, slots=True)
class LocalStack:
    """A running `membrane dev`."""

    client: HttpClient

    def dead_letters(self) -> Sequence[DeadLetters]:
        """Every queue that no function reads."""
        queues = self.client.ask("GET", "/_dev/queues?wait")["queues"]
        return [
            DeadLetters(name, found["dead_letters_of"], found["visible"])
            for name, found in queues.items()
            if found["read_by"] is None
        ]

    def letters(self, queue: DeadLetters) -> Iterator[DeadLetter]:
        """What lies in the queue now."""
        found = self.client.ask("GET", f"/_dev/queues/{queue.name}")["messages"]
        for each in found:
            yield DeadLetter(
                each["message_id"], each["body"], each["attributes"], each["message_id"]
            )

    def send(self, queue: str, body: str) -> None:
        """See Place."""
        self.client.ask("POST", f"/_dev/queues/{queue}", {"body": body})

    def invoke(self, function_arn: str, event: str) -> None:
        """See Place."""
        self.client.ask(
            "POST",
            f"/_dev/invoke/{function_name(function_arn)}",
            json.loads(event),
            {"x-amz-invocation-type": "Event"},
        )

    def delete(self, queue: DeadLetters, letter: DeadLetter) -> None:
        """See Place."""
        self.client.ask("DELETE", f"/_dev/queues/{queue.name}/{letter.receipt}")
