"""Start functions asynchronously through Lambda's API."""

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient


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
