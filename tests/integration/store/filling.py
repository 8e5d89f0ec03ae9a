"""Stores that already hold many records, all in the very scope that tests write to."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.record_items import Codec
from tests.integration.store.samples import event, noise, stored

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

BATCH = 25
"""Items that BatchWriteItem takes at most."""

_PAYLOAD = event(summary=noise(1_000))


def fill(client: "DynamoDBClient", table: str, codec: Codec, numbers: range) -> None:
    """Put a record for each number."""
    for start in range(0, len(numbers), BATCH):
        pending: Any = {table: list(_puts(codec, numbers[start : start + BATCH]))}
        while pending:
            pending = client.batch_write_item(RequestItems=pending)["UnprocessedItems"]


def _puts(codec: Codec, numbers: Iterable[int]) -> Iterable[Any]:
    for number in numbers:
        record = stored(f"filler-{number}", payload=_PAYLOAD)
        yield {"PutRequest": {"Item": codec.encode(record, record.trail, spilled=0).item}}
