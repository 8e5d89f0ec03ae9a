"""Start functions and executions of state machines, asynchronously."""

from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

STARTED_BEFORE = "ExecutionAlreadyExists"
"""The error for a name that an execution has had, of the same input or of another."""


def invoke(client: "LambdaClient", name_or_arn: str, event: JsonObject) -> None:
    """An Invoke, which Lambda queues; raises Unavailable."""
    try:
        client.invoke(
            FunctionName=name_or_arn,
            InvocationType="Event",
            Payload=compact_json(event).encode(),
        )
    except (ClientError, HTTPClientError, NoConnection) as error:
        raise Unavailable("the function could not be started") from error


class StatesClient(Protocol):
    """The operation in use of botocore's client `stepfunctions`."""

    def start_execution(self, **request: Any) -> Any: ...


def start_execution(
    client: StatesClient, machine_arn: str, name: str, execution_input: JsonObject
) -> None:
    """A StartExecution; an existing execution of the name is no error. Raises Unavailable."""
    try:
        client.start_execution(
            stateMachineArn=machine_arn, name=name, input=compact_json(execution_input)
        )
    except (ClientError, HTTPClientError, NoConnection) as error:
        if isinstance(error, ClientError) and error.response["Error"]["Code"] == STARTED_BEFORE:
            return
        raise Unavailable("the execution could not be started") from error
