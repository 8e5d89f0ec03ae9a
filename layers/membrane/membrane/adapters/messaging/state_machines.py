"""Start executions of state machines through the API of AWS Step Functions."""

from typing import Any, Protocol

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json

STARTED_BEFORE = "ExecutionAlreadyExists"
"""The error for a name that an execution has had, of the same input or of another."""


class StatesClient(Protocol):
    """The operation in use of botocore's client `stepfunctions`."""

    def start_execution(self, **request: Any) -> Any: ...


def start_execution(
    client: StatesClient, machine_arn: str, name: str, execution_input: JsonObject
) -> None:
    """A StartExecution; an execution of the name that there is already is no error.

    Raises Unavailable.
    """
    try:
        client.start_execution(
            stateMachineArn=machine_arn, name=name, input=compact_json(execution_input)
        )
    except (ClientError, HTTPClientError, NoConnection) as error:
        if isinstance(error, ClientError) and error.response["Error"]["Code"] == STARTED_BEFORE:
            return
        raise Unavailable("the execution could not be started") from error
