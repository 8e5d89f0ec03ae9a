"""Functions started asynchronously through Lambda's API."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.language.json_text import JsonObject, compact_json

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient


@dataclass(frozen=True, slots=True)
class LambdaInvoker:
    """Starts functions by name or ARN; the client is made when the first one is started."""

    client: Callable[[], "LambdaClient"]

    def __call__(self, name_or_arn: str, event: JsonObject) -> None:
        self.client().invoke(
            FunctionName=name_or_arn,
            InvocationType="Event",
            Payload=compact_json(event).encode(),
        )
