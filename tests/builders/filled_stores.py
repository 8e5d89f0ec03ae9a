"""Stores that already hold many records, all in the very scope that tests write to."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.records.items import AUDIT, Codec
from membrane.domain.records.stored import StoredRecord
from membrane.table.blobs import Packing
from tests.builders.stored_records import NOW_S, event, noise, stored

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

BATCH = 25
"""Items that BatchWriteItem takes at most."""

DAY_S = 86_400
MINUTE_S = 60
_PAYLOAD = event(summary=noise(1_000))


def filler(number: int) -> StoredRecord:
    """A record of a little earlier this morning, which is due in the evening."""
    return stored(f"filler-{number}", payload=_PAYLOAD, born_s=NOW_S - MINUTE_S)


def faded(number: int) -> StoredRecord:
    """A record that has been due for half a day and more."""
    return stored(f"faded-{number}", payload=_PAYLOAD, born_s=NOW_S - DAY_S)


def fill(
    client: "DynamoDBClient",
    table: str,
    codec: Codec,
    numbers: range,
    made: Callable[[int], StoredRecord] = filler,
) -> None:
    """Put the record that is made of each number, whatever stands in its place."""
    for start in range(0, len(numbers), BATCH):
        pending: Any = {table: list(_puts(codec, map(made, numbers[start : start + BATCH])))}
        while pending:
            pending = client.batch_write_item(RequestItems=pending)["UnprocessedItems"]


def _puts(codec: Codec, records: Iterable[StoredRecord]) -> Iterable[Any]:
    for record in records:
        item, texts = codec.encode(record)
        packing = Packing(record.id, item | AUDIT.counts(0, len(record.trail)))
        packing.add({**texts, AUDIT.name: AUDIT.pack(record.trail)})
        yield {"PutRequest": {"Item": packing.item}}
