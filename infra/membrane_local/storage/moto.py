"""Moto's tables, for a comparison: with vector searches, one call at a time.

moto has no vector indexes, so a search reads every item, and it is not thread-safe.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto import mock_aws
from moto.core.models import botocore_stubber

from membrane_local.memory.attributes import Refused
from membrane_local.memory.database import Database
from membrane_local.memory.tables import schema_of
from membrane_local.storage import clients

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient


@contextmanager
def moto_tables() -> Iterator[tuple["DynamoDBClient", "DynamoDBStreamsClient"]]:
    """Clients of moto's tables and of their streams, whose calls take turns.

    A `before-call` hook returns nothing: botocore takes a result for the call's answer.
    """
    turn = threading.Lock()

    def begin(**_: object) -> None:
        turn.acquire()

    with mock_aws():
        made = moto_client(), clients.stream_client()
        for client in made:
            events: Any = client.meta.events
            events.register_last("before-call", begin)
            events.register_first("after-call", lambda **_: turn.release())
            events.register_first("after-call-error", lambda **_: turn.release())
        yield made


def moto_client() -> "DynamoDBClient":
    """A new client of moto's tables; within `moto.mock_aws` alone."""
    return clients.send_to(clients.light_client(None), MotoSession())


class MotoSession:
    """Takes a client's requests in place of botocore's URLLib3Session."""

    definitions: ClassVar[dict[str, dict[str, Any]]] = {}
    """By name of a table, the request that made the table; moto's tables are the process's, too."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        operation, asked = clients.call_in(request)
        if operation == "SearchVectors":
            return self._search(request, asked)
        if operation == "CreateTable":
            self.definitions[asked["TableName"]] = asked
            asked = _known_to_moto(asked)
        status, reply = _ask(request, operation, asked)
        if operation == "DescribeTable" and "Table" in reply:
            definition = self.definitions[asked["TableName"]]
            for part in ("AttributeDefinitions", "VectorIndexes"):
                reply["Table"][part] = definition.get(part, [])
        return clients.reply_of(request, status, reply)

    def close(self) -> None:
        """A client that ends leaves the tables to the other clients."""

    def _search(self, request: AWSPreparedRequest, asked: dict[str, Any]) -> AWSResponse:
        """Copy the table, and search the copy."""
        name, copied = asked["TableName"], Database()
        if name in self.definitions:
            copied.answer("CreateTable", self.definitions[name])
            for item in _items(request, name):
                with suppress(Refused):  # a vector of a wrong length, which moto does not refuse
                    copied.answer("PutItem", {"TableName": name, "Item": item})
        return clients.MemorySession(copied).send(request)


def _items(request: AWSPreparedRequest, name: str) -> Iterator[Any]:
    asked = {"TableName": name, "ConsistentRead": True}
    while True:
        _, page = _ask(request, "Scan", asked)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _known_to_moto(asked: dict[str, Any]) -> dict[str, Any]:
    """The request for a table without vector indexes, and without their attributes."""
    schemas = [asked, *(asked.get("GlobalSecondaryIndexes") or ())]
    keys = {name for schema in schemas for name in schema_of(schema)}
    attributes = [each for each in asked["AttributeDefinitions"] if each["AttributeName"] in keys]
    known = {name: value for name, value in asked.items() if name != "VectorIndexes"}
    return {**known, "AttributeDefinitions": attributes}


def _ask(
    request: AWSPreparedRequest, operation: str, asked: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    """Moto's reply to a request that is sent as the given one is."""
    sent = copy(request)
    sent.headers = cast("Any", request.headers).copy()  # copy() would share the names and values
    sent.headers["X-Amz-Target"] = f"DynamoDB_20120810.{operation}"
    sent.url = request.url.replace("://search-dynamodb.", "://dynamodb.", 1)
    sent.body = json.dumps(asked).encode()
    response = cast("AWSResponse", botocore_stubber("before-send", sent))
    return response.status_code, json.loads(response.content)
