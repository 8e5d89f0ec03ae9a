"""Start functions asynchronously through Lambda's API."""

from typing import TYPE_CHECKING

from membrane.domain.language.json_text import JsonObject, compact_json

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient


def invoke(client: "LambdaClient", name_or_arn: str, event: JsonObject) -> None:
    """An Invoke, which Lambda queues."""
    client.invoke(
        FunctionName=name_or_arn,
        InvocationType="Event",
        Payload=compact_json(event).encode(),
    )
