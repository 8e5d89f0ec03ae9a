"""Functions started asynchronously through Lambda's API."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.json_text import JsonObject

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient


@dataclass(frozen=True, slots=True)
class LambdaInvoker:
    """Starts functions by name; the client is made when the first one is started."""

    client: Callable[[], "LambdaClient"]

    def __call__(self, function_name: str, event: JsonObject) -> None:
        """One Invoke, which Lambda queues."""
        self.client().invoke(
            FunctionName=function_name,
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
        )
