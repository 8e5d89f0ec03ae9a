"""Stores that already hold many records, and clients of stacks."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2

from membrane.adapters.dynamodb.records.items import AUDIT, Codec
from membrane.domain.records.stored import StoredRecord
from membrane.table.blobs import Packing
from membrane_client import AsyncMembrane, Membrane
from membrane_client.calls import Calls
from membrane_client.core.api import Api, Options
from membrane_client.core.protocol import Answer, Pause, Request, Steps
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


T = TypeVar("T")
Answering = Callable[[httpx2.Request], httpx2.Response]

URL = "http://memory"
RECORD: dict[str, Any] = {
    "id": "r1",
    "type": "semantic",
    "sensitivity": "low",
    "confidence": 0.0,
    "salience": 0.0,
    "created_at": "2026-01-02T03:04:05.678901Z",
    "updated_at": "2026-01-02T03:04:05.678901Z",
    "payload": {"kind": "semantic", "subject": "s", "predicate": "p", "object": None},
}


class Definitions(Api, Calls):
    """The calls of a client as their steps."""


def an_api(**options: Any) -> Definitions:
    values: dict[str, Any] = {"url": URL, "api_key": "key", "timeout": 1.0}
    return Definitions(Options(**values | options))


def played(steps: Steps[T], *answers: Answer) -> tuple[list[Request | Pause], T]:
    """The steps and the result of a call, under the given answers to requests."""
    yielded: list[Request | Pause] = []
    left = [*answers]
    answer: Answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return yielded, end.value
        yielded.append(step)
        answer = left.pop(0) if isinstance(step, Request) else None


def sent_by(steps: Steps[Any]) -> tuple[Request, Any]:
    """The first request of a call, with the body."""
    request = next(steps)
    assert isinstance(request, Request)
    return request, None if request.content is None else json.loads(request.content)


def served(answering: Answering, **options: Any) -> Membrane:
    http_client = httpx2.Client(transport=httpx2.MockTransport(answering))
    return Membrane(URL, "key", http_client=http_client, **options)


def served_async(answering: Answering, **options: Any) -> AsyncMembrane:
    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answering))
    return AsyncMembrane(URL, "key", http_client=http_client, **options)
